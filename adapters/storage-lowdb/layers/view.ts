import { gather } from './block-cache.ts';
import type { Cursor, Item, Run } from './run.ts';
import { behind } from './texts.ts';

/** Stands behind every string of bytes. */
const BEHIND_ALL = '\u0100';

export interface Window {
  /** Inclusive. */
  readonly from: string;
  /** Exclusive; everything behind `from` when absent. */
  readonly to?: string | undefined;
  readonly reverse?: boolean;
  readonly offset?: number;
  readonly limit: number;
}

/** How many keys there are, all layers together. */
export function totalOf(runs: readonly Run[]): number {
  return runs.reduce((sum, { total }) => sum + total, 0);
}

/** How many keys there are below this one. */
export function countBelow(runs: readonly Run[], key: string): number {
  return gather(runs, (run) => run.below(key)).reduce((a, b) => a + b, 0);
}

export function isThere(runs: readonly Run[], key: string): boolean {
  return gather(runs, (run) => run.find(key)?.delta ?? 0).reduce((a, b) => a + b, 0) > 0;
}

/** The keys in a window, as their newest layer holds them; the runs are given newest first. */
export function slice(runs: readonly Run[], { from, to, reverse, offset = 0, limit }: Window): Item[] {
  return reverse ? descend(runs, from, to ?? BEHIND_ALL, offset, limit) : ascend(runs, from, to, offset, limit);
}

function ascend(runs: readonly Run[], from: string, to: string | undefined, offset: number, limit: number): Item[] {
  const begin = offset > 0 ? seek(runs, countBelow(runs, from) + offset) : { key: from, skip: 0 };
  const out: Item[] = [];
  const walk = new Ascent(runs, begin.key);
  let skip = begin.skip;
  for (let item = walk.next(); item && out.length < limit; item = walk.next()) {
    if (to !== undefined && item.key >= to) break;
    if (skip > 0) skip--;
    else out.push(item);
  }
  return out;
}

function descend(runs: readonly Run[], from: string, to: string, offset: number, limit: number): Item[] {
  let end = to;
  if (offset > 0) {
    const rank = countBelow(runs, to) - offset;
    if (rank <= 0) return [];
    const begin = seek(runs, rank);
    const walk = new Ascent(runs, begin.key);
    end = begin.key;
    for (let skip = begin.skip; skip > 0; skip--) end = behind(walk.next()!.key);
  }
  const out: Item[] = [];
  const walk = new Descent(runs, end);
  for (let item = walk.next(); item && item.key >= from; item = walk.next()) {
    out.push(item);
    if (out.length === limit) break;
  }
  return out;
}

/** A key from which on `skip` keys have to be passed over to stand behind `rank` keys. */
function seek(runs: readonly Run[], rank: number): { key: string; skip: number } {
  const largest = runs.reduce((a, b) => (b.parts > a.parts ? b : a));
  let low = -1;
  let high = largest.parts - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (countBelow(runs, largest.partKey(middle)) <= rank) low = middle;
    else high = middle - 1;
  }
  const key = low < 0 ? '' : largest.partKey(low);
  return { key, skip: rank - countBelow(runs, key) };
}

class Ascent {
  readonly #cursors: Cursor[];

  constructor(runs: readonly Run[], from: string) {
    this.#cursors = gather(runs, (run) => {
      const cursor = run.cursor(from);
      cursor.peek();
      return cursor;
    });
  }

  next(): Item | undefined {
    for (;;) {
      let first: Item | undefined;
      for (const cursor of this.#cursors) {
        const item = cursor.peek();
        if (item && (!first || item.key < first.key)) first = item;
      }
      if (!first) return undefined;
      let delta = 0;
      for (const cursor of this.#cursors) {
        const item = cursor.peek();
        if (item?.key !== first.key) continue;
        delta += item.delta;
        cursor.next();
      }
      if (delta > 0) return first;
    }
  }
}

class Descent {
  readonly #cursors: Cursor[];

  constructor(runs: readonly Run[], to: string) {
    this.#cursors = gather(runs, (run) => {
      const cursor = run.cursor(to);
      cursor.peekBack();
      return cursor;
    });
  }

  next(): Item | undefined {
    for (;;) {
      const items = this.#cursors.map((cursor) => cursor.peekBack());
      let last: Item | undefined;
      for (const item of items) if (item && (!last || item.key > last.key)) last = item;
      if (!last) return undefined;
      let delta = 0;
      for (const [i, item] of items.entries()) {
        if (item?.key !== last.key) continue;
        delta += item.delta;
        this.#cursors[i]!.back();
      }
      if (delta > 0) return last;
    }
  }
}
