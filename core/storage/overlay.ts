import type { CommitBatch, DocumentRef, Effect, StorageAdapter } from './adapter.ts';

type PutEffect = Extract<Effect, { kind: 'put' }>;
type DeleteEffect = Extract<Effect, { kind: 'delete' }>;

/** Everything one transaction wants to change. */
export interface Writes {
  readonly documents: Map<string, PutEffect | DeleteEffect>;
  readonly appends: Effect[];
  readonly sums: Map<string, bigint>;
  readonly trims: Effect[];
}

export function noWrites(): Writes {
  return { documents: new Map(), appends: [], sums: new Map(), trims: [] };
}

interface Seen {
  readonly ref: DocumentRef;
  readonly version: number;
  readonly text: string | undefined;
}

/** The documents a batch has read, and over them what its transactions have written so far. */
export class Overlay {
  readonly #adapter: StorageAdapter;
  readonly #seen = new Map<string, Seen>();
  readonly #writes = noWrites();
  #reads = 0;

  constructor(adapter: StorageAdapter) {
    this.#adapter = adapter;
  }

  async load(refs: readonly DocumentRef[]): Promise<void> {
    const missing = new Map(refs.map((ref) => [nameOf(ref), ref]));
    for (const name of missing.keys()) if (this.#seen.has(name)) missing.delete(name);
    if (missing.size === 0) return;
    this.#reads++;
    const asked = [...missing];
    const rows = await this.#adapter.read(asked.map(([, ref]) => ref));
    asked.forEach(([name, ref], i) => {
      this.#seen.set(name, { ref, version: rows[i]?.version ?? 0, text: rows[i]?.value });
    });
  }

  has(name: string): boolean {
    return this.#seen.has(name) || this.#writes.documents.has(name);
  }

  /** The JSON text of a document as the transactions before left it. */
  text(name: string): string | undefined {
    const written = this.#writes.documents.get(name);
    if (written) return written.kind === 'put' ? written.value : undefined;
    return this.#seen.get(name)?.text;
  }

  take(writes: Writes): void {
    for (const [name, effect] of writes.documents) this.#writes.documents.set(name, effect);
    this.#writes.appends.push(...writes.appends);
    for (const [name, amount] of writes.sums) this.#writes.sums.set(name, (this.#writes.sums.get(name) ?? 0n) + amount);
    this.#writes.trims.push(...writes.trims);
  }

  /** What to commit; undefined when nothing changes and everything was read in one moment. */
  batch(): CommitBatch | undefined {
    const { documents, appends, sums, trims } = this.#writes;
    const adds = [...sums].map(([counter, amount]) => ({ kind: 'add', counter, amount }) as const);
    const effects: Effect[] = [...documents.values(), ...appends, ...adds, ...trims];
    if (effects.length === 0 && this.#reads < 2) return undefined;
    return { checks: [...this.#seen.values()].map(({ ref, version }) => ({ ...ref, version })), effects };
  }
}

export function nameOf({ collection, id }: DocumentRef): string {
  return `${collection}\0${id}`;
}
