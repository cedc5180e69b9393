/** Fetches that wait for a place; one more is refused, and tried again later. */
const MOST_WAITING = 1_000;

export interface FetchPlacesOptions {
  /** Fetches at the same time: what each has got is held in memory, up to 10 MiB. */
  readonly most: number;
  /** Those of one agent that nobody asked for. */
  readonly each: number;
}

/** The fetches of deliveries that run at the same time, of a node's own agent or of all others of it; first come, first served. */
export class FetchPlaces {
  readonly #most: number;
  readonly each: number;
  readonly #waiting: (() => void)[] = [];
  #taken = 0;

  constructor({ most, each }: FetchPlacesOptions) {
    this.#most = most;
    this.each = each;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.#place();
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#taken -= 1;
    }
  }

  /** The place of a fetch that ends goes to the one that has waited longest. */
  async #place(): Promise<void> {
    if (this.#taken < this.#most) {
      this.#taken += 1;
      return;
    }
    if (this.#waiting.length >= MOST_WAITING)
      throw new Error('Too many deliveries are being fetched; try again later.');
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}
