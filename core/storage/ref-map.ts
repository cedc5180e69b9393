import type { DocumentRef } from './adapter.ts';

/**
 * A map by document. One map per collection: an id that is passed on as it is need not be hashed again, which a name
 * made of both would have to be each time.
 */
export class RefMap<T> {
  readonly #collections = new Map<string, Map<string, T>>();

  has({ collection, id }: DocumentRef): boolean {
    return this.#collections.get(collection)?.has(id) ?? false;
  }

  get({ collection, id }: DocumentRef): T | undefined {
    return this.#collections.get(collection)?.get(id);
  }

  set({ collection, id }: DocumentRef, value: T): void {
    const known = this.#collections.get(collection);
    if (known) known.set(id, value);
    else this.#collections.set(collection, new Map([[id, value]]));
  }

  delete({ collection, id }: DocumentRef): void {
    this.#collections.get(collection)?.delete(id);
  }

  *values(): Generator<T, void> {
    for (const documents of this.#collections.values()) yield* documents.values();
  }
}

/** Makes each name once: there are as many as declarations, and the same text is found by its hash at once. */
export function kept<T>(make: (name: string) => T): (name: string) => T {
  const known = new Map<string, T>();
  return (name) => {
    let made = known.get(name);
    if (made === undefined) {
      made = make(name);
      known.set(name, made);
    }
    return made;
  };
}
