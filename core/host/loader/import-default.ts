import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { messageOf } from '../../platform/problem.ts';

const READS_TYPESCRIPT = [22, 18] as const;
const run = promisify(execFile);

/** The default export of a file. What cannot be imported is thrown as a sentence with the way out. */
export async function importDefault(url: string): Promise<unknown> {
  try {
    return ((await import(url)) as { default?: unknown }).default;
  } catch (error) {
    throw new Error((await sentenceOf(error, url)) ?? messageOf(error), { cause: error });
  }
}

/** Undefined for what the file itself has thrown. */
async function sentenceOf(error: unknown, url: string): Promise<string | undefined> {
  if (error instanceof SyntaxError) return (await placeOf(url)) ?? `it cannot be imported: ${error.message}`;
  const { code, message } = (error ?? {}) as NodeJS.ErrnoException;
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION' && /\.[cm]?ts\b/.test(message ?? '')) {
    const [major, minor] = READS_TYPESCRIPT;
    return `Node ${process.versions.node} does not read TypeScript: use Node ${major}.${minor} or newer, or compile it to JavaScript and name that file`;
  }
  if (code === 'ERR_MODULE_NOT_FOUND') return `${message}; install it, or correct the import`;
  return undefined;
}

/** The line and column of a mistake: an import does not tell them, a check of the file by another process does. */
async function placeOf(url: string): Promise<string | undefined> {
  const path = fileURLToPath(url);
  const said = await run(process.execPath, ['--check', path], { timeout: 10_000 }).then(
    () => '',
    ({ stderr }: { stderr?: string }) => stderr ?? '',
  );
  const [, line, code, mark, what] = /:(\d+)\n(.*)\n( *\^+)\n[\s\S]*?SyntaxError: (.*)/.exec(said) ?? [];
  if (line === undefined || code === undefined || mark === undefined) return undefined;
  return `${path}:${line}:${mark.indexOf('^') + 1}: ${what}, at ${code.trim().slice(0, 80)}`;
}
