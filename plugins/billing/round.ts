import type { Collection } from '../../core/plugin.ts';
import type { Space } from '../../core/services.ts';
import { marks } from './stored.ts';

interface Place {
  readonly id: string;
  readonly key: string;
}

const ROUND_MS = 60_000;

export interface RoundOptions {
  /** Where its place is kept: rounds over one collection have names of their own. */
  readonly name?: string;
  /** Milliseconds from the begin of a round to the begin of the next, at least. */
  readonly ms?: number;
}

/**
 * Goes round a collection, a page at a time. Its place is stored with every page, so that one who is often restarted comes to the end too.
 */
export class Round<T> {
  readonly #space: Space;
  readonly #of: Collection<T>;
  readonly #page: number;
  readonly #place: ReturnType<typeof marks.ref>;
  readonly #ms: number;
  #begun: number | undefined;

  constructor(space: Space, of: Collection<T>, page: number, { name = of.name, ms = ROUND_MS }: RoundOptions = {}) {
    this.#space = space;
    this.#of = of;
    this.#page = page;
    this.#place = marks.ref(`round-${name}`);
    this.#ms = ms;
  }

  /** The page that is due; undefined while the next round waits. `first` and `last` tell of its place in the round. */
  async next(
    now: number,
  ): Promise<{ readonly rows: readonly T[]; readonly first: boolean; readonly last: Place | undefined } | undefined> {
    const stored = (await this.#space.get(this.#place))?.value ?? '';
    const after: Place | undefined = stored === '' ? undefined : JSON.parse(stored);
    if (!after && this.#begun !== undefined && now < this.#begun + this.#ms) return undefined;
    if (!after) this.#begun = now;
    const page = await this.#space.page(this.#of, { limit: this.#page, ...(after && { after }) });
    const end = page.at(-1);
    const last = page.length < this.#page || !end ? undefined : { id: end.id, key: end.key };
    return { rows: page.map(({ value }) => value), first: !after, last };
  }

  /** The page was dealt with; the next one is behind it. */
  async passed(last: Place | undefined): Promise<void> {
    const value = last ? JSON.stringify(last) : '';
    if (((await this.#space.get(this.#place))?.value ?? '') === value) return;
    await this.#space.tx([], (tx) => tx.put(this.#place, { value }));
  }
}
