import type { Clock, Random } from '../../platform/clock.ts';
import { writeFrame } from '../frames/frame-writer.ts';
import type { ConnectBackFrame } from '../frames/relay-frames.ts';
import type { MeshLimits } from '../limits.ts';
import type { Reachable } from '../mesh-contract.ts';
import type { MeshCounters } from '../mesh-counters.ts';
import type { Session } from '../session/session.ts';
import type { SessionPool } from '../session/session-pool.ts';
import { ConnectTests } from './connect-tests.ts';
import { Reachability } from './reachability.ts';
import { Upgrades } from './upgrades.ts';

export interface DirectPathsOptions {
  readonly hub: boolean;
  /** Where this node says it can be dialled, whatever its hubs find. */
  readonly url: string | undefined;
  readonly pool: SessionPool;
  readonly clock: Clock;
  readonly random: Random;
  readonly limits: MeshLimits;
  readonly counters: MeshCounters;
  readonly dialFailed: (error: unknown) => void;
  readonly changed: (state: Reachable) => void;
}

/**
 * How relayed sessions become direct ones: hubs dial back to tell a node whether it is reached; a node that is invites
 * those who came to it over a hub; who is invited dials.
 */
export class DirectPaths {
  readonly #options: DirectPathsOptions;
  readonly #reachability: Reachability;
  readonly #upgrades: Upgrades;
  readonly #tests: ConnectTests;
  #state: Reachable = 'unknown';

  constructor(options: DirectPathsOptions) {
    const { pool, clock, random, limits, dialFailed } = options;
    this.#options = options;
    this.#tests = new ConnectTests(clock, limits);
    this.#reachability = new Reachability({ clock, limits, found: (url) => this.#inviteAll(url) });
    this.#upgrades = new Upgrades({
      ...{ clock, random, limits },
      dial: (url, key) => pool.dial(url, key),
      sessionOf: (key) => pool.get(key),
      failed: dialFailed,
    });
  }

  get state(): Reachable {
    return this.#reachability.state;
  }

  /** The URL that this node gives in its welcome: the configured one, else the one at which a hub reached it. */
  get url(): string | undefined {
    return this.#options.url ?? this.#reachability.reachedAt;
  }

  /** A node that is no hub has its hubs try where it listens. */
  start(listening: string | undefined): void {
    if (!this.#options.hub) this.#reachability.url = this.#options.url ?? listening;
  }

  /** Begins again, in the background: with the tests whether this node is reached, and with the upgrades. */
  again(): void {
    this.#reachability.again();
    this.#upgrades.again();
  }

  /** A peer has introduced itself. */
  opened(session: Session): void {
    const url = session.welcome?.url;
    if (session.relayed && url !== undefined) this.#upgrades.invited(session, url);
  }

  /** This session leads to a hub that is kept. */
  kept(session: Session): void {
    if (!this.#options.hub) this.#reachability.hub(session);
  }

  frame(frame: ConnectBackFrame, session: Session): void {
    if (frame.type === 'connect-invite') this.#upgrades.invited(session, frame.url);
    else if (frame.type === 'connect-moved') this.#options.pool.left(session);
    else if (session.relayed) return;
    else if (frame.type === 'connect-test') void this.#test(frame.url, session);
    else {
      this.#reachability.tested(session, frame.reached);
      this.#look();
    }
  }

  ended(session: Session): void {
    this.#upgrades.ended(session);
    this.#reachability.ended(session);
    this.#look();
  }

  async #test(url: string, session: Session): Promise<void> {
    const { hub, pool, counters } = this.#options;
    if (!hub) return;
    const reached = await this.#tests.run(session, url, () => {
      counters.add('tests');
      return pool.probe(url, session.peer!.key);
    });
    if (reached !== undefined) session.offer(writeFrame({ type: 'connect-tested', reached }), false);
  }

  #inviteAll(url: string): void {
    const frame = writeFrame({ type: 'connect-invite', url });
    for (const session of this.#options.pool.sessions()) if (session.relayed) session.offer(frame, false);
  }

  #look(): void {
    const state = this.#reachability.state;
    if (state === this.#state) return;
    this.#state = state;
    this.#options.changed(state);
  }
}
