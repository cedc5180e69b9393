export class Crash extends Error {}

/** Counts the calls of everything it wraps and ends the process, so to speak, before or after one of them. */
export class Fate {
  calls = 0;
  readonly #at: number;
  readonly #after: boolean;

  constructor(at: number, after: boolean) {
    this.#at = at;
    this.#after = after;
  }

  over<T extends object>(target: T): T {
    return new Proxy(target, {
      get: (of, name) => {
        const member = Reflect.get(of, name);
        if (typeof member !== 'function') return member;
        return async (...args: unknown[]) => {
          this.calls += 1;
          const mine = this.calls === this.#at;
          if (mine && !this.#after) throw new Crash();
          const value = await member.apply(of, args);
          if (mine) throw new Crash();
          return value;
        };
      },
    });
  }
}
