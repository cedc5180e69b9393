import { readFileSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isRecord } from '../../platform/kind-of.ts';
import { makeFolder, syncFolder } from '../../platform/new-file.ts';
import { messageOf, type Problem } from '../../platform/problem.ts';
import { CHANGEABLE } from './changeable.ts';
import type { Override } from './overrides.ts';
import { resolveReferences } from './references.ts';

/** The settings that the operator changed over the API, by their dotted names. They win over the file, and lose to flags and variables. */
export interface KeptSettings {
  readonly file: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/** The settings kept in the data folder, which the other settings name. */
export function readKept(dataDir: string, problems: Problem[]): KeptSettings {
  const file = join(dataDir, 'settings.json');
  const fault = (what: string, where = file) =>
    problems.push({ where, what, hint: `mend or delete ${file}; without it the other settings hold` });
  let values: unknown;
  try {
    values = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    // A data folder that is a file keeps nothing; whoever makes the folder tells that.
    const isMissing = ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
    if (!isMissing) fault(`cannot be read: ${messageOf(error)}`);
    return { file, values: {} };
  }
  if (!isRecord(values)) {
    fault('must hold an object of settings by name');
    return { file, values: {} };
  }
  for (const key of Object.keys(values).filter((name) => !CHANGEABLE.has(name)))
    fault(`has ${key}, which only plugins.json can set`);
  return { file, values: Object.fromEntries(Object.entries(values).filter(([key]) => CHANGEABLE.has(key))) };
}

/** Replaces the file of kept settings; whichever way the process ends, the old one or the new one is there whole. */
export async function writeKept({ file, values }: KeptSettings): Promise<void> {
  makeFolder(dirname(file));
  const draft = `${file}.tmp`;
  const handle = await open(draft, 'w', 0o600);
  try {
    await handle.writeFile(`${JSON.stringify(values, null, 2)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, file).catch(async (error: unknown) => {
    await rm(draft, { force: true });
    throw error;
  });
  syncFolder(dirname(file));
}

/** Where the data folder is, before the settings in it are known. */
export function dataFolderOf(
  value: Readonly<Record<string, unknown>>,
  overrides: readonly Override[],
  from: { readonly folder: string; readonly env: Readonly<Record<string, string | undefined>> },
): string {
  const given = overrides.findLast(({ flag }) => flag.key === 'dataDir')?.value ?? value['dataDir'] ?? './data';
  const named = resolveReferences(given, from, []);
  return resolve(from.folder, typeof named === 'string' ? named : './data');
}
