import type { Clock } from '../../platform/clock.ts';
import type { MeshLimits } from '../limits.ts';
import type { RelaySlot } from '../mesh-contract.ts';
import type { Relay } from '../relay/relay.ts';
import type { Session } from '../session/session.ts';
import type { DirectPaths } from './direct-paths.ts';
import type { HubConnections } from './hub-connections.ts';

/** Milliseconds from one look at the hubs' answers to the next. */
const LOOK = 25;

export interface RejoiningOptions {
  readonly hub: boolean;
  readonly keeper: HubConnections;
  readonly relay: Relay;
  readonly paths: DirectPaths;
  readonly clock: Clock;
  readonly limits: MeshLimits;
}

/** Has a node that was asleep reached again: sockets may be dead, slots over, and other hubs the nearest. */
export class Rejoining {
  readonly #options: RejoiningOptions;
  #underWay: Promise<RelaySlot | undefined> | undefined;

  constructor(options: RejoiningOptions) {
    this.#options = options;
  }

  run(): Promise<RelaySlot | undefined> {
    this.#underWay ??= this.#rejoin().finally(() => {
      this.#underWay = undefined;
    });
    return this.#underWay;
  }

  /** The slot at the nearest hub of those that give one. */
  nearest(since = 0): RelaySlot | undefined {
    const { keeper, relay } = this.#options;
    const held = keeper.sessions().flatMap((session) => {
      const { roundTrip, measuredAt = 0 } = session.pulse;
      if (roundTrip === undefined || measuredAt < since || relay.holds(session) !== true) return [];
      return [{ hub: session.peer!.key, roundTrip }];
    });
    return held.sort((one, other) => one.roundTrip - other.roundTrip)[0];
  }

  async #rejoin(): Promise<RelaySlot | undefined> {
    const { hub, keeper, relay, paths, clock, limits } = this.#options;
    const begun = clock.now();
    const before = keeper.sessions();
    for (const session of before) {
      session.pulse.ask();
      if (!hub && session.welcome?.hub) relay.renew(session);
    }
    keeper.again();
    paths.again();
    const until = begun + limits.rejoinMs;
    while (clock.now() < until && !this.#isSettled(begun)) await clock.sleep(LOOK);
    // The network may have dropped the socket while the device slept, without a word to either side.
    for (const session of before)
      if (session.open && session.lastSeen < begun) session.close('no answer after sleep', 'silent');
    return this.nearest(begun);
  }

  #isSettled(begun: number): boolean {
    const { hub, keeper, relay } = this.#options;
    const isKnown = (session: Session) =>
      (session.pulse.measuredAt ?? 0) >= begun && (hub || !session.welcome?.hub || relay.holds(session) !== undefined);
    return keeper.areTried && keeper.sessions().every(isKnown);
  }
}
