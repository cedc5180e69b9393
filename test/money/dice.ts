/** Chance out of one seed, so that a play can be repeated as far as the network's timing lets it. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A throw that does not depend on how often others are made: for something that has a name of its own. */
  fork(name: string): Dice {
    let mixed = this.#state;
    for (const char of name) mixed = Math.imul(mixed ^ char.charCodeAt(0), 0x01000193) >>> 0;
    return new Dice(mixed);
  }

  /** From 0 up to 1. */
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  chance(of: number): boolean {
    return this.fraction() < of;
  }

  /** Both included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.fraction() * (most - least + 1));
  }

  of<T>(items: readonly T[]): T {
    return items[this.between(0, items.length - 1)]!;
  }

  /** One of the names, as often as its weight says; undefined when there is none. */
  weighted<K extends string>(weights: Partial<Record<K, number>>): K | undefined {
    const entries = Object.entries(weights) as [K, number][];
    let left = this.fraction() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of entries) {
      left -= weight;
      if (left < 0) return name;
    }
    return undefined;
  }
}
