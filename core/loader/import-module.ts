import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { placeOf } from '../place-of.ts';

const CHECK_MS = 10_000;

/** The default export of a plugin's file; what keeps it from being loaded is said in words, with the place in its code. */
export async function importDefault(url: string): Promise<unknown> {
  const file = fileURLToPath(url);
  if (statSync(file).isDirectory()) throw new Error(folderInstead(file));
  try {
    return ((await import(url)) as { default?: unknown }).default;
  } catch (error) {
    throw new Error(reasonOf(error, file), { cause: error });
  }
}

function folderInstead(folder: string): string {
  const index = ['index.js', 'index.mjs', 'index.ts'].find((name) => existsSync(join(folder, name)));
  return `${folder} is a folder; name the plugin's file${index ? `, ${join(folder, index)}` : ' in it'}`;
}

function reasonOf(error: unknown, file: string): string {
  const { message, code } = error as NodeJS.ErrnoException;
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION' && /\.[cm]?ts\b/.test(message)) {
    return `Node.js ${process.versions.node} runs no TypeScript (${file}): name the compiled .js file, or use Node.js 22.18 or newer`;
  }
  if (error instanceof SyntaxError) return `${message}${told(syntaxPlace(file))}`;
  return `${message}${told(placeOf(error))}`;
}

function told(place: string | undefined): string {
  return place === undefined ? '' : ` (${place})`;
}

/**
 * Node tells the line of a syntax error only to a process that ends by it. Nothing of the plugin runs there: modules are
 * run once all of them could be read, and one cannot.
 */
function syntaxPlace(file: string): string | undefined {
  const { stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8', timeout: CHECK_MS, env: {} });
  const place = /^(file:\/\/\S+|\/\S+):(\d+)$/m.exec(stderr ?? '');
  if (!place) return undefined;
  const [, where, line] = place;
  return `${where!.startsWith('file:') ? fileURLToPath(where!) : where}:${line}`;
}
