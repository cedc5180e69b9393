import type { ReadRef } from './adapter.ts';
import type { AppendLog, Collection, CounterRef, Ref } from './declarations.ts';
import { kept } from './ref-map.ts';

/** Where a declaration of a space lives in the adapter. Neither part can hold a colon, so no two meet. */
export function collectionName(space: string, collection: Collection<any>): string {
  return placesOf(space)(collection.name);
}

const placesOf = kept((space) => kept((name) => `${space}:${name}`));

export function logName(space: string, log: AppendLog<any>): string {
  return placesOf(space)(log.name);
}

export function counterName(space: string, { of, id }: CounterRef): string {
  return `${space}:${of.name}:${id}`;
}

export function locate(space: string, { of, id, once }: Ref<any>): ReadRef {
  const collection = collectionName(space, of);
  return once ? { collection, id, once } : { collection, id };
}
