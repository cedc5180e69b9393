import type { DocumentRef } from '../../core/storage/adapter.ts';
import { kept } from '../../core/storage/ref-map.ts';
import { behind, fromBytes, idFrom, numberBytes, toBytes } from './layers/texts.ts';

/** The names of runs: documents by id, entries of an index, moments of expiry, postings of a log. */
export const documentsRun = kept((collection) => `d\0${collection}`);
export const indexRun = (collection: string, index: string) => indexesOf(collection)(index);
const indexesOf = kept((collection) => kept((index) => `x\0${collection}\0${index}`));
export const EXPIRY = 'e';
export const postingsRun = kept((log) => `p\0${log}`);

/** The runs with a filter, which spares reading them: missing keys are looked up in these alone. */
export function isFiltered(run: string): boolean {
  return run.startsWith('d\0');
}

/** Tells the keys of a run that belong to trimmed records, which are never asked for again. */
export function forgottenOf(run: string, trimmed: ReadonlyMap<string, number>): ((key: string) => boolean) | undefined {
  const upTo = run.startsWith('p\0') ? (trimmed.get(run.slice(2)) ?? 0) : 0;
  return upTo === 0 ? undefined : (key) => idFrom(key.slice(key.lastIndexOf('\0') + 1)) <= upTo;
}

export function entryKey(key: string, id: string): string {
  return behind(toBytes(key)) + toBytes(id);
}

export function expiryKey(expires: number, { collection, id }: DocumentRef): string {
  return numberBytes(expires) + behind(toBytes(collection)) + toBytes(id);
}

export function refOf(key: string): DocumentRef {
  const border = key.indexOf('\0', 8);
  return { collection: fromBytes(key.slice(8, border)), id: fromBytes(key.slice(border + 1)) };
}
