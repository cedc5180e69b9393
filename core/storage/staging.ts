import type { CommitBatch, CommitResult, DocumentRef, Effect } from './adapter.ts';
import type { Change } from './changes.ts';
import { RefMap } from './ref-map.ts';

export interface Staged {
  readonly result: CommitResult;
  /** The commit's number; 0 when it was refused. */
  readonly number: number;
  readonly changes: readonly Change[];
}

/** The durable state that commits are checked against. */
export interface DurableState {
  readonly commits: number;
  document(ref: DocumentRef): { readonly version: number } | undefined;
  readonly logs: { get(name: string): { readonly next: number } | undefined };
  readonly totals: { get(name: string): bigint | undefined };
  /** A log that is new gives ids above this one; 0 when absent. */
  readonly floor?: number;
}

/**
 * Commits on their way to the disk. Each is checked against the durable state and the commits staged before it, and
 * turned into absolute changes. The durable state stays as it is until the adapter applies them.
 */
export class Staging {
  /** The number of the last commit staged. */
  commits: number;
  readonly #durable: DurableState;
  /** Documents written by staged commits: their version, 0 when deleted. */
  readonly #versions = new RefMap<number>();
  readonly #nextIds = new Map<string, number>();
  readonly #totals = new Map<string, bigint>();

  constructor(durable: DurableState) {
    this.#durable = durable;
    this.commits = durable.commits;
  }

  stage({ checks, effects }: CommitBatch): Staged {
    const stale = checks.filter((check) => this.#version(check) !== check.version);
    this.commits++;
    if (stale.length > 0) {
      return {
        result: { ok: false, stale: stale.map(({ collection, id }) => ({ collection, id })) },
        number: 0,
        changes: [],
      };
    }
    const ids: number[] = [];
    const changes = effects.map((effect) => this.#change(effect, ids));
    return { result: { ok: true, ids, version: this.commits }, number: this.commits, changes };
  }

  #change(effect: Effect, ids: number[]): Change {
    switch (effect.kind) {
      case 'put': {
        const { collection, id, value, entries, expires } = effect;
        this.#versions.set(effect, this.commits);
        const pairs = entries.map(({ index, key }) => [index, key] as const);
        return ['put', collection, id, this.commits, value, pairs, expires ?? null];
      }
      case 'delete':
        this.#versions.set(effect, 0);
        return ['delete', effect.collection, effect.id];
      case 'append': {
        const id = this.#nextId(effect.log);
        this.#nextIds.set(effect.log, id + 1);
        ids.push(id);
        return ['append', effect.log, id, effect.value, effect.postings];
      }
      case 'trim':
        return ['trim', effect.log, Math.min(effect.upTo, this.#nextId(effect.log) - 1)];
      case 'add': {
        const before = this.#totals.get(effect.counter) ?? this.#durable.totals.get(effect.counter) ?? 0n;
        const total = before + effect.amount;
        this.#totals.set(effect.counter, total);
        return ['total', effect.counter, total.toString()];
      }
    }
  }

  #nextId(log: string): number {
    return this.#nextIds.get(log) ?? this.#durable.logs.get(log)?.next ?? (this.#durable.floor ?? 0) + 1;
  }

  #version(ref: DocumentRef): number {
    return this.#versions.get(ref) ?? this.#durable.document(ref)?.version ?? 0;
  }
}
