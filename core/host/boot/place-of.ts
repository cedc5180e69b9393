import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../../platform/package-root.ts';

/** Nobody looks for their mistake in our own files. */
const OURS = ['core', 'dist'].map((folder) => join(packageRoot, folder) + sep);

/** The innermost line of an error's stack that is in somebody else's file: `/path/file.js:12:5`. */
export function placeOf(error: unknown): string | undefined {
  const { stack } = Object(error) as { stack?: unknown };
  if (typeof stack !== 'string') return undefined;
  for (const line of stack.split('\n')) {
    const found = /(?:\(|at (?:async )?)((?:file:\/\/)?\/[^()]+:\d+:\d+)\)?$/.exec(line.trim())?.[1];
    const place = found?.startsWith('file:') ? fileURLToPath(found) : found;
    if (place !== undefined && !OURS.some((folder) => place.startsWith(folder))) return place;
  }
  return undefined;
}
