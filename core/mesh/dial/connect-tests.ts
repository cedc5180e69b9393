import { networkOf } from '../../platform/addresses.ts';
import { toHex } from '../../platform/bytes.ts';
import type { Clock } from '../../platform/clock.ts';
import { TokenBucket } from '../../platform/token-bucket.ts';
import type { MeshLimits } from '../limits.ts';
import { RecentMap } from '../recent-map.ts';
import type { Session } from '../session/session.ts';

interface Test {
  readonly url: string;
  /** Until then it is not tested again for the same key. */
  readonly until: number;
  reached?: boolean;
}

/** Tests a second for those of one network, and at once. */
const PER_NETWORK = 1;
const AT_ONCE = 16;

/**
 * The tests that a hub makes for others: few at a time, and seldom for one key at one URL, which is told again what was
 * found when it comes back over another session. Keys cost nothing, so neither can all of one network together take all places, or
 * have the hub dial whatever they like as often as they like.
 */
export class ConnectTests {
  readonly #clock: Clock;
  readonly #limits: MeshLimits;
  /** The last test of each key. */
  readonly #tests: RecentMap<Test>;
  readonly #networks: RecentMap<TokenBucket>;
  #underWay = 0;

  constructor(clock: Clock, limits: MeshLimits) {
    this.#clock = clock;
    this.#limits = limits;
    this.#tests = new RecentMap(limits.senders);
    this.#networks = new RecentMap(limits.senders);
  }

  /** Runs the test and says whether the key was reached; undefined when there is no room or time for it. */
  async run(session: Session, url: string, probe: () => Promise<void>): Promise<boolean | undefined> {
    const now = this.#clock.now();
    const name = toHex(session.peer!.key);
    const last = this.#tests.get(name);
    if (last && last.until > now && last.url === url) return last.reached;
    if (this.#underWay >= this.#limits.dials / 2 || !this.#rateOf(session.remote).take()) return undefined;
    const test: Test = { url, until: now + this.#limits.testPauseMs };
    this.#tests.set(name, test);
    this.#underWay += 1;
    try {
      await probe();
      test.reached = true;
    } catch {
      test.reached = false;
    } finally {
      this.#underWay -= 1;
    }
    return test.reached;
  }

  #rateOf(remote: string): TokenBucket {
    const network = networkOf(remote);
    const rate = this.#networks.get(network) ?? new TokenBucket(this.#clock, PER_NETWORK, AT_ONCE);
    this.#networks.set(network, rate);
    return rate;
  }
}
