import type { Clock } from '../../platform/clock.ts';
import { within } from '../../platform/scope.ts';
import type { Judge } from '../../services.ts';

/** Milliseconds that a judge has to know its case, and to give its verdict. */
const TO_FIND = 2_000;
const TO_JUDGE = 30_000;

/** The judge that a plugin brought, if any; it knows no case without one. */
export class Judges implements Judge {
  readonly #clock: Clock;
  #judge: Judge | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** False when there is one already. */
  use(judge: Judge): boolean {
    if (this.#judge) return false;
    this.#judge = judge;
    return true;
  }

  end(judge: Judge): void {
    if (this.#judge === judge) this.#judge = undefined;
  }

  async find(...given: Parameters<Judge['find']>): ReturnType<Judge['find']> {
    const judge = this.#judge;
    return judge && within(this.#clock, TO_FIND, () => judge.find(...given));
  }

  async verdict(...given: Parameters<Judge['verdict']>): ReturnType<Judge['verdict']> {
    const judge = this.#judge;
    return judge && within(this.#clock, TO_JUDGE, () => judge.verdict(...given));
  }
}
