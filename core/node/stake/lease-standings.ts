import { BoundedMap } from '../../bounded-map.ts';
import type { Clock } from '../../clock.ts';
import { type LeaseStatus, leaseStatus } from '../../ledger/lease-status.ts';
import type { Settlement } from '../../ledger/settlement.ts';
import type { Log } from '../../log.ts';
import { within } from '../../scope.ts';

export interface LeaseStandingsOptions {
  /** Undefined where there is no settlement program: then nobody has a lease. */
  readonly settlement: Settlement | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

interface Known {
  readonly paidThrough: number;
  readonly at: number;
}

/** Milliseconds a caller waits for the ledger. */
const PATIENCE = 2_000;
const LONGEST_FRESH = 60_000;
const REMEMBERED = 10_000;
const PAGE = 100;

/** How the leases of others stand, asked of the ledger at most ten times an epoch for each, and no more than once a minute. */
export class LeaseStandings {
  readonly #options: LeaseStandingsOptions;
  readonly #known = new BoundedMap<string, Known>(REMEMBERED);

  constructor(options: LeaseStandingsOptions) {
    this.#options = options;
  }

  async of(key: string): Promise<LeaseStatus> {
    return (await this.ofMany([key])).get(key)!;
  }

  /** What the ledger says, or said last when it does not answer; `none` for those it never spoke of. */
  async ofMany(keys: readonly string[]): Promise<ReadonlyMap<string, LeaseStatus>> {
    const { settlement, clock, log } = this.#options;
    if (settlement) {
      await within(clock, PATIENCE, () => this.#refresh(settlement, keys)).catch((reason: unknown) =>
        log.warn({ reason: String(reason) }, 'leases could not be looked up'),
      );
    }
    const epoch = this.#epoch();
    return new Map(
      keys.map((key) => {
        const known = this.#known.get(key);
        return [key, settlement && known ? leaseStatus(known, settlement.numbers, epoch) : 'none'];
      }),
    );
  }

  /** A lease has just been paid: the next look is a fresh one. */
  forget(key: string): void {
    this.#known.delete(key);
  }

  async #refresh(settlement: Settlement, keys: readonly string[]): Promise<void> {
    const now = this.#options.clock.now();
    const fresh = Math.min(LONGEST_FRESH, settlement.numbers.epochSecs * 100);
    const stale = keys.filter((key) => now - (this.#known.get(key)?.at ?? Number.NEGATIVE_INFINITY) >= fresh);
    for (let start = 0; start < stale.length; start += PAGE) {
      const page = stale.slice(start, start + PAGE);
      const agents = await settlement.agents(page);
      for (const [index, key] of page.entries())
        this.#known.set(key, { paidThrough: agents[index]?.paidThrough ?? 0, at: now });
    }
  }

  /** By this machine's clock, which the node keeps within seconds of others. */
  #epoch(): number {
    const { settlement, clock } = this.#options;
    return settlement ? Math.floor(clock.now() / 1_000 / settlement.numbers.epochSecs) : 0;
  }
}
