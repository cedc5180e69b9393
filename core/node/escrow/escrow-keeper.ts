import { BoundedMap } from '../../bounded-map.ts';
import type { Clock } from '../../clock.ts';
import { escrowName } from '../../deals/agreed-lock.ts';
import type { Deal } from '../../deals/deal.ts';
import { isMeshError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { Space } from '../../storage/space.ts';
import { deals } from '../deals/deal-document.ts';
import { type EscrowDuty, escrowDuty } from './escrow-duties.ts';
import type { EscrowSteps } from './escrow-steps.ts';
import type { EscrowWatch } from './escrow-watch.ts';

export interface EscrowKeeperOptions {
  readonly space: Space;
  readonly steps: EscrowSteps;
  readonly watch: EscrowWatch;
  /** This node's agent. */
  readonly self: string;
  readonly clock: Clock;
  readonly log: Log;
}

const BATCH = 200;
const PARALLEL = 8;
const FIRST_PAUSE_MS = 4_000;
const LONGEST_PAUSE_MS = 3_600_000;
const MAX_WAITING = 10_000;
/** The other side was faster, or the ledger's clock is a little behind: nothing is wrong. */
const EXPECTED: ReadonlySet<string> = new Set([
  'deadline_not_reached',
  'deadline_passed',
  'escrow_not_found',
  'conflict',
  'not_ready',
]);

/**
 * Takes the steps on the ledger that a deal waits for, without being asked. What to do follows from the deal alone, and
 * every step is recorded before it is sent, so a crash or a second look changes nothing.
 */
export class EscrowKeeper {
  readonly #options: EscrowKeeperOptions;
  /** Steps that failed: when to try again. */
  readonly #waiting = new BoundedMap<string, { readonly until: number; readonly pause: number }>(MAX_WAITING);

  constructor(options: EscrowKeeperOptions) {
    this.#options = options;
  }

  /** One look at every deal that the ledger can move. */
  async run(signal: AbortSignal): Promise<void> {
    const { space } = this.#options;
    let after: { key: string; id: string } | undefined;
    while (!signal.aborted) {
      const found = await space.page(deals, { index: 'ledger', limit: BATCH, ...(after && { after }) });
      const due = found.flatMap(({ value }) => this.#due(value.deal));
      for (let first = 0; first < due.length && !signal.aborted; first += PARALLEL)
        await Promise.all(due.slice(first, first + PARALLEL).map(({ deal, duty }) => this.#do(deal, duty)));
      if (found.length < BATCH) return;
      after = found.at(-1);
    }
  }

  #due(deal: Deal): { deal: Deal; duty: EscrowDuty }[] {
    const { self, clock } = this.#options;
    const now = clock.now();
    const duty = escrowDuty(deal, self, now);
    if (!duty || (this.#waiting.get(keyOf(deal, duty))?.until ?? 0) > now) return [];
    return [{ deal, duty }];
  }

  async #do(deal: Deal, duty: EscrowDuty): Promise<void> {
    const { steps, watch, log } = this.#options;
    const { conversation } = deal;
    try {
      const { signature } = await (duty === 'deliver' ? steps.deliver(deal) : steps.take(duty, escrowName(deal)));
      log.info({ conversation, step: duty, signature }, 'took a step on the ledger');
      await watch.look(deal);
    } catch (error) {
      const reason = String(error);
      if (isMeshError(error) && EXPECTED.has(error.code)) log.debug({ conversation, step: duty, reason }, 'not now');
      else log.warn({ conversation, step: duty, reason }, 'a step on the ledger failed; it is tried again');
      await watch.look(deal).catch(() => undefined);
    } finally {
      this.#postpone(deal, duty);
    }
  }

  /** Even after a success: until it is final the deal does not show it. */
  #postpone(deal: Deal, duty: EscrowDuty): void {
    const key = keyOf(deal, duty);
    const pause = Math.min((this.#waiting.get(key)?.pause ?? FIRST_PAUSE_MS / 2) * 2, LONGEST_PAUSE_MS);
    this.#waiting.set(key, { until: this.#options.clock.now() + pause, pause });
  }
}

function keyOf({ conversation }: Deal, duty: EscrowDuty): string {
  return `${duty} ${conversation}`;
}
