import type { Clock } from './clock.ts';
import { messageOf, type Problem } from './problem.ts';

/** Milliseconds one undo may take. */
const UNDO_DEADLINE = 5_000;

/** The resources opened under one name, closed in reverse order. */
export class Scope {
  readonly name: string;
  readonly #clock: Clock;
  readonly #undos: (() => unknown)[] = [];

  constructor(name: string, clock: Clock) {
    this.name = name;
    this.#clock = clock;
  }

  defer(undo: () => unknown): void {
    this.#undos.push(undo);
  }

  /** Runs every undo, last deferred first; one that throws or hangs is reported and does not stop the others. */
  async close(): Promise<Problem[]> {
    const problems: Problem[] = [];
    for (let undo = this.#undos.pop(); undo; undo = this.#undos.pop()) {
      const run = undo;
      try {
        await within(this.#clock, UNDO_DEADLINE, async () => run());
      } catch (error) {
        problems.push({ where: this.name, what: `closing failed: ${messageOf(error)}` });
      }
    }
    return problems;
  }
}

/** The work's result; rejects when it takes longer than `ms`. The work itself cannot be stopped from outside. */
export function within<T>(clock: Clock, ms: number, work: () => T | Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(ms, () => reject(new Error(`it did not finish within ${ms / 1000} seconds`)));
    Promise.resolve().then(work).then(resolve, reject).finally(cancel);
  });
}
