import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageRoot } from './package-root.ts';
import { messageOf } from './problem.ts';

/** Nobody looks for their mistake in our own files. */
const OURS = ['core', 'dist', 'bin'].map((folder) => join(packageRoot, folder) + sep);

/** The innermost line of an error's stack that is in somebody else's file: `/path/file.js:12:5`. */
export function placeOf(error: unknown): string | undefined {
  const { stack } = Object(error) as { stack?: unknown };
  if (typeof stack !== 'string') return undefined;
  for (const line of stack.split('\n')) {
    const found = /(?:\(|at (?:async )?)((?:file:\/\/)?\/[^()]+:\d+:\d+)\)?$/.exec(line.trim())?.[1];
    const plain = found?.replace(/\?[^:/]*(?=:\d+:\d+$)/, '');
    const place = plain?.startsWith('file:') ? fileURLToPath(plain) : plain;
    if (place !== undefined && !OURS.some((folder) => place.startsWith(folder))) return place;
  }
  return undefined;
}

/** The message of an error, with the place in the thrower's own file. */
export function thrownMessage(error: unknown): string {
  const place = placeOf(error);
  return place === undefined ? messageOf(error) : `${messageOf(error)} at ${place}`;
}
