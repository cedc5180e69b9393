import { toHex } from '../../platform/bytes.ts';
import type { Clock } from '../../platform/clock.ts';
import type { MeshLimits } from '../limits.ts';
import type { MeshOptions } from '../mesh-contract.ts';
import { RecentMap } from '../recent-map.ts';
import type { Session } from '../session/session.ts';
import type { SessionPool } from '../session/session-pool.ts';
import type { RelayDialler } from './relay-dialler.ts';

const MAX_URLS = 3;
/** Attempts that may run out of time before a peer is given up: it could name many places where nobody answers. */
const PATIENCE = 4;

/** Opens sessions to peers that are wanted now, at most one dial per peer and a bounded number in all. */
export class Dialler {
  readonly #pool: SessionPool;
  readonly #clock: Clock;
  readonly #limits: MeshLimits;
  readonly #lookup: (key: Uint8Array) => Promise<readonly string[]>;
  readonly #relayed: RelayDialler;
  readonly #failed: (error: unknown) => void;
  readonly #underWay = new Map<string, Promise<Session | undefined>>();
  /** Until when a peer that did not answer is left alone. */
  readonly #notBefore: RecentMap<number>;

  constructor(
    pool: SessionPool,
    relayed: RelayDialler,
    options: MeshOptions,
    limits: MeshLimits,
    failed: (error: unknown) => void,
  ) {
    this.#pool = pool;
    this.#relayed = relayed;
    this.#clock = options.clock;
    this.#limits = limits;
    this.#lookup = async (key) => options.directory?.lookup(key) ?? [];
    this.#failed = failed;
    this.#notBefore = new RecentMap(limits.senders);
  }

  /** A session with that key, `busy` when too much is under way, undefined when it cannot be reached. */
  async reach(key: Uint8Array): Promise<Session | 'busy' | undefined> {
    const name = toHex(key);
    const known = this.#underWay.get(name);
    if (known) return known;
    if ((this.#notBefore.get(name) ?? 0) > this.#clock.now()) return undefined;
    if (this.#underWay.size >= this.#limits.dials || this.#pool.size >= this.#limits.peers) return 'busy';
    const dial = this.#dial(key, name).finally(() => this.#underWay.delete(name));
    this.#underWay.set(name, dial);
    return dial;
  }

  async #dial(key: Uint8Array, name: string): Promise<Session | undefined> {
    const until = this.#clock.now() + PATIENCE * this.#limits.handshakeMs;
    const urls = await this.#lookup(key).catch(() => []);
    for (const url of urls.slice(0, MAX_URLS)) {
      try {
        return await this.#pool.dial(url, key);
      } catch (error) {
        this.#failed(error);
      }
    }
    const session = await this.#relayed.reach(key, until).catch(() => undefined);
    if (session) return session;
    if (urls.length > 0 || this.#relayed.hubs().length > 0)
      this.#notBefore.set(name, this.#clock.now() + this.#limits.redialMs);
    return undefined;
  }
}
