import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Problem } from '../../platform/problem.ts';

/** One import as it is written: what it names, and where. */
export interface WrittenImport {
  readonly names: string;
  /** Offset of the name in the text. */
  readonly at: number;
}

export interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly imports: readonly WrittenImport[];
}

/** A plugin of more files is looked at in part. */
const MOST = 200;
const IMPORT = /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)(['"])([^'"\n]+)\1/g;

/**
 * The files that make up what is imported from `entry`: itself and what it imports by relative paths, on and on, but nothing in
 * node_modules. A file that is missing is left out.
 */
export function ownFiles(entry: string): SourceFile[] {
  const found = new Map<string, SourceFile>();
  const waiting = [pathOf(entry)];
  for (let path = waiting.pop(); path !== undefined && found.size < MOST; path = waiting.pop()) {
    if (found.has(path) || path.includes(`${sep}node_modules${sep}`) || !isFile(path)) continue;
    const text = readFileSync(path, 'utf8');
    const imports = importsOf(text);
    found.set(path, { path, text, imports });
    waiting.push(...importedPaths({ path, imports }));
  }
  return [...found.values()];
}

/** Where the relative imports of a file lead, whether anything is there or not. */
export function importedPaths({ path, imports }: Pick<SourceFile, 'path' | 'imports'>): string[] {
  return imports.filter(({ names }) => /^\.{1,2}\//.test(names)).map(({ names }) => resolve(dirname(path), names));
}

/** Imports of a text, without looking whether they stand in a comment. */
function importsOf(text: string): WrittenImport[] {
  return [...text.matchAll(IMPORT)].map((match) => ({
    names: match[2]!,
    at: match.index + match[0].lastIndexOf(match[2]!),
  }));
}

/** `/path/file.js:12:5` of an offset. */
export function placeAt({ path, text }: Pick<SourceFile, 'path' | 'text'>, at: number): string {
  const before = text.slice(0, at).split('\n');
  return `${path}:${before.length}:${before.at(-1)!.length + 1}`;
}

/** Where the first of these patterns stands in the files of an entry; the entry itself when none is found. */
export function placeOfPattern(entry: string, pattern: RegExp): string {
  const files = ownFiles(entry);
  for (const file of files) {
    const found = pattern.exec(file.text);
    if (found) return placeAt(file, found.index);
  }
  return pathOf(entry);
}

/** A problem with its place behind it, where its source is known and says what to look for. */
export function placed({ find, ...problem }: Problem & { readonly find?: RegExp }, entry: string | undefined): Problem {
  if (entry === undefined || find === undefined) return problem;
  return { ...problem, what: `${problem.what} at ${placeOfPattern(entry, find)}` };
}

function pathOf(entry: string): string {
  return entry.startsWith('file:') ? fileURLToPath(entry) : resolve(entry);
}

function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile();
}
