import { systemClock } from '../../core/platform/system-clock.ts';
import { ShiftedClock } from './shifted-clock.ts';

/** The machine's clock, but for jumps ahead; what has become due by one is run at once. */
export class JumpingClock extends ShiftedClock {
  readonly #waiting = new Set<{ readonly at: number; run(): void }>();

  override after(ms: number, run: () => void): () => void {
    const due = { at: this.now() + ms, run: () => {} };
    const cancel = systemClock.after(ms, () => due.run());
    const forget = () => {
      cancel();
      this.#waiting.delete(due);
    };
    due.run = () => {
      forget();
      run();
    };
    this.#waiting.add(due);
    return forget;
  }

  advance(ms: number): void {
    this.shift(ms);
    const now = this.now();
    for (const due of [...this.#waiting]) if (due.at <= now) due.run();
  }
}
