import type { Clock } from '../clock.ts';
import type { MeshLimits } from './limits.ts';
import type { Session } from './session.ts';

/** The tests that a hub makes for others: few at a time, and seldom for one. */
export class ConnectTests {
  readonly #clock: Clock;
  readonly #limits: MeshLimits;
  /** When a session's URL may be tested again. */
  readonly #notBefore = new Map<Session, number>();
  #underWay = 0;

  constructor(clock: Clock, limits: MeshLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Runs the test and says whether the key was reached; undefined when there is no room or time for it. */
  async run(session: Session, probe: () => Promise<void>): Promise<boolean | undefined> {
    const now = this.#clock.now();
    if ((this.#notBefore.get(session) ?? 0) > now || this.#underWay >= this.#limits.dials / 2) return undefined;
    this.#notBefore.set(session, now + this.#limits.testPauseMs);
    this.#underWay += 1;
    try {
      await probe();
      return true;
    } catch {
      return false;
    } finally {
      this.#underWay -= 1;
    }
  }

  ended(session: Session): void {
    this.#notBefore.delete(session);
  }
}
