import type { Settlement } from '../../ledger/settlement.ts';
import { BoundedMap } from '../../platform/bounded-map.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import { within } from '../../platform/scope.ts';
import { TokenBucket } from '../../platform/token-bucket.ts';
import { type LeaseStatus, leaseStatus } from '../../protocol/settlement/lease-status.ts';

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
/** Questions a second, and at once, about keys never asked about before: anybody can write under any number of them. */
const STRANGERS = 20;
const STRANGERS_AT_ONCE = 200;

/** How the leases of others stand, asked of the ledger at most ten times an epoch for each, and no more than once a minute. */
export class LeaseStandings {
  readonly #options: LeaseStandingsOptions;
  readonly #known = new BoundedMap<string, Known>(REMEMBERED);
  readonly #strangers: TokenBucket;
  /** Keys that are looked up for the next time. */
  readonly #underWay = new Set<string>();
  #failing = false;

  constructor(options: LeaseStandingsOptions) {
    this.#options = options;
    this.#strangers = new TokenBucket(options.clock, STRANGERS, STRANGERS_AT_ONCE);
  }

  async of(key: string): Promise<LeaseStatus> {
    return (await this.ofMany([key])).get(key)!;
  }

  /**
   * The lease status of each key by the ledger, or as last read when the ledger does not answer in time. `none` for a
   * key that was never read, as when keys never asked about have used up the questions for such keys.
   */
  async ofMany(keys: readonly string[]): Promise<ReadonlyMap<string, LeaseStatus>> {
    const { settlement, clock } = this.#options;
    if (settlement) {
      await within(clock, PATIENCE, () => this.#refresh(settlement, keys)).catch((reason: unknown) =>
        this.#failed(reason),
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

  /** The lease status as last read, without waiting; a key that is unknown or stale is looked up for the next call. */
  lately(key: string): LeaseStatus {
    const { settlement } = this.#options;
    if (!settlement) return 'none';
    if (!this.#underWay.has(key)) {
      this.#underWay.add(key);
      this.#refresh(settlement, [key])
        .catch((reason: unknown) => this.#failed(reason))
        .finally(() => this.#underWay.delete(key));
    }
    const known = this.#known.get(key);
    return known ? leaseStatus(known, settlement.numbers, this.#epoch()) : 'none';
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
      if (!page.some((key) => this.#known.get(key)) && !this.#strangers.take()) continue;
      const { value: agents } = await settlement.agents(page);
      this.#failing = false;
      for (const [index, key] of page.entries())
        this.#known.set(key, { paidThrough: agents[index]?.paidThrough ?? 0, at: now });
    }
  }

  /** Said once: a line for every message of a stranger would fill the disk. */
  #failed(reason: unknown): void {
    if (!this.#failing) this.#options.log.warn({ reason: String(reason) }, 'leases cannot be looked up');
    this.#failing = true;
  }

  /** By this machine's clock, which the node keeps within seconds of others. */
  #epoch(): number {
    const { settlement, clock } = this.#options;
    return settlement ? Math.floor(clock.now() / 1_000 / settlement.numbers.epochSecs) : 0;
  }
}
