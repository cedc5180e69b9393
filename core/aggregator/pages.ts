import { BoundedMap } from '../platform/bounded-map.ts';
import type { Space } from '../storage/space.ts';

interface Made<T> {
  readonly changes: number;
  readonly epoch: number;
  readonly page: Promise<T>;
}

const MOST = 100;

/** Pages made once for as long as nothing in the store has changed; where others change it too, made each time. */
export class Pages<T> {
  readonly #space: Pick<Space, 'changes'>;
  readonly #made = new BoundedMap<string, Made<T>>(MOST);

  constructor(space: Pick<Space, 'changes'>) {
    this.#space = space;
  }

  of(name: string, epoch: number, make: () => Promise<T>): Promise<T> {
    const { changes } = this.#space;
    if (changes === undefined) return make();
    const known = this.#made.get(name);
    if (known?.changes === changes && known.epoch === epoch) return known.page;
    const page = make();
    this.#made.set(name, { changes, epoch, page });
    // Asking again may work.
    page.catch(() => this.#made.delete(name));
    return page;
  }
}
