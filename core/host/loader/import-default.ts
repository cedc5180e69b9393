import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { didYouMean } from '../../platform/nearest-name.ts';
import { thrownMessage } from '../../platform/place-of.ts';
import { systemClock } from '../../platform/system-clock.ts';
import { ownFiles, placeOfPattern } from './own-files.ts';

const READS_TYPESCRIPT = [22, 18] as const;
const run = promisify(execFile);

/** The modules a plugin imports, by the end of their names, with the names that they export. */
const DOORS: Readonly<Record<string, () => Promise<object>>> = {
  plugin: () => import('../../plugin.ts'),
  services: () => import('../../services.ts'),
  ports: () => import('../../services.ts'),
};
const PLAIN = 'agent-mesh/plugin, agent-mesh/services and agent-mesh/testing are what a plugin imports';

/** Milliseconds that a file may wait for something while it is imported. */
const IMPORT_DEADLINE = 10_000;

/** The default export of a file. An import that fails, or waits for too long, throws a sentence with the remedy. */
export async function importDefault(url: string, deadline = IMPORT_DEADLINE): Promise<unknown> {
  let module: { readonly default?: unknown } | undefined;
  try {
    module = await imported(url, deadline);
  } catch (error) {
    throw new Error((await sentenceOf(error, url)) ?? thrownMessage(error), { cause: error });
  }
  if (module) return module.default;
  throw new Error(
    `its import did not end within ${deadline / 1_000} seconds; what it waits for belongs in ready, or a job`,
  );
}

/** Undefined when it takes too long. */
function imported(url: string, deadline: number): Promise<object | undefined> {
  return new Promise((resolve, reject) => {
    const cancel = systemClock.after(deadline, () => resolve(undefined));
    import(url).then(resolve, reject).finally(cancel);
  });
}

/** Undefined for what the file itself has thrown. */
async function sentenceOf(error: unknown, url: string): Promise<string | undefined> {
  const { code, message = '' } = (error ?? {}) as NodeJS.ErrnoException;
  if (error instanceof SyntaxError) {
    return (await missingExport(message, url)) ?? (await brokenFile(url)) ?? `it cannot be imported: ${message}`;
  }
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION' && /\.[cm]?ts\b/.test(message)) {
    const [major, minor] = READS_TYPESCRIPT;
    return `Node ${process.versions.node} does not read TypeScript: use Node ${major}.${minor} or newer, or compile it to JavaScript and name that file`;
  }
  if (code === 'ERR_PACKAGE_PATH_NOT_EXPORTED') {
    const path = /'\.\/([^']+)'/.exec(message)?.[1] ?? '';
    const place = placeOfPattern(url, new RegExp(escaped(path)));
    return `there is nothing to import at ${path} of that package, at ${place}; ${PLAIN}`;
  }
  if (code === 'ERR_MODULE_NOT_FOUND') return `${message}; install it, or correct the import`;
  return undefined;
}

/** A name that a module does not export, with the place of the import and the name that is meant. */
async function missingExport(message: string, url: string): Promise<string | undefined> {
  const found = /requested module '([^']+)' does not provide an export named '([^']+)'/.exec(message);
  if (!found) return undefined;
  const [, module, name] = found as unknown as [string, string, string];
  const place = placeOfPattern(url, new RegExp(`(?<![\\w$])${escaped(name)}(?![\\w$])`));
  const door = DOORS[/(?:^agent-mesh|core)\/(\w+)(?:\.[jt]s)?$/.exec(module)?.[1] ?? ''];
  const meant = door && didYouMean(name, Object.keys(await door()));
  const hint =
    door && !meant
      ? '; docs/services.md lists what is offered, and docs/plugin-guide.md what contract 2 took away'
      : meant;
  return `${module} exports no ${name} at ${place}${hint ?? ''}`;
}

/** The line and column of a mistake: an import does not tell them, a check of each own file by another process does. */
async function brokenFile(url: string): Promise<string | undefined> {
  for (const { path } of ownFiles(fileURLToPath(url))) {
    const found = await placeOfMistake(path);
    if (found !== undefined) return found;
  }
  return undefined;
}

async function placeOfMistake(path: string): Promise<string | undefined> {
  const said = await run(process.execPath, ['--check', path], { timeout: 10_000 }).then(
    () => '',
    ({ stderr }: { stderr?: string }) => stderr ?? '',
  );
  const [, line, code, mark, what] = /:(\d+)\n(.*)\n( *\^+)\n[\s\S]*?SyntaxError: (.*)/.exec(said) ?? [];
  if (line === undefined || code === undefined || mark === undefined) return undefined;
  return `${path}:${line}:${mark.indexOf('^') + 1}: ${what}, at ${code.trim().slice(0, 80)}`;
}

function escaped(text: string): string {
  return text.replaceAll(/[^\w ]/g, '\\$&');
}
