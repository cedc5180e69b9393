import { isMeshError } from '../../contracts/errors.ts';
import type { LandedTransaction } from '../../ledger/recorded-transactions.ts';
import { outbox } from '../../messaging/records.ts';
import { BoundedMap } from '../../platform/bounded-map.ts';
import type { Clock } from '../../platform/clock.ts';
import { deadlinePause } from '../../platform/deadline-pause.ts';
import type { Log } from '../../platform/log.ts';
import { escrowName } from '../../protocol/deals/agreed-lock.ts';
import type { Deal } from '../../protocol/deals/deal.ts';
import type { Space } from '../../storage/space.ts';
import { type DealDocument, deals } from '../deals/deal-document.ts';
import { type DutyPolicy, type EscrowDuty, escrowDuty, type Findings, remindersDue } from './escrow-duties.ts';
import type { EscrowSteps } from './escrow-steps.ts';
import type { EscrowWatch } from './escrow-watch.ts';

export interface EscrowKeeperOptions {
  readonly space: Space;
  readonly steps: EscrowSteps;
  readonly watch: EscrowWatch;
  readonly policy: DutyPolicy;
  /** This node's agent. */
  readonly self: string;
  readonly clock: Clock;
  readonly log: Log;
  /** The agent has said nothing yet about a delivery; `which` half or three quarters of its review has passed. */
  readonly remind: (document: DealDocument, which: 'review_half' | 'review_three_quarters') => void;
}

const BATCH = 200;
const PARALLEL = 8;
const FIRST_PAUSE_MS = 4_000;
const LONGEST_PAUSE_MS = 3_600_000;
const MAX_WAITING = 10_000;
const REMINDERS = ['review_half', 'review_three_quarters'] as const;
/** The other side was faster, or the ledger's clock is a little behind: nothing is wrong. */
const EXPECTED: ReadonlySet<string> = new Set([
  'deadline_not_reached',
  'deadline_passed',
  'escrow_not_found',
  'conflict',
  'not_ready',
]);

/**
 * Takes the steps on the ledger that a deal waits for, without being asked, and reminds an agent that is silent. The
 * step follows from the deal alone and is recorded before it is sent, so a crash or a second look changes nothing.
 */
export class EscrowKeeper {
  readonly #options: EscrowKeeperOptions;
  /** Steps that were tried: when to try again. */
  readonly #waiting = new BoundedMap<string, { readonly until: number; readonly pause: number }>(MAX_WAITING);
  readonly #reminded = new BoundedMap<string, number>(MAX_WAITING);

  constructor(options: EscrowKeeperOptions) {
    this.#options = options;
  }

  /** One look at every deal that the ledger can move; gives when to look again, and Infinity while there is none. */
  async run(signal: AbortSignal): Promise<number> {
    const { space } = this.#options;
    let after: { key: string; id: string } | undefined;
    while (!signal.aborted) {
      const found = await space.page(deals, { index: 'ledger', limit: BATCH, ...(after && { after }) });
      const due: { deal: Deal; duty: EscrowDuty }[] = [];
      for (const { value } of found) {
        this.#remind(value);
        const duty = await this.#due(value);
        if (duty) due.push({ deal: value.deal, duty });
      }
      for (let first = 0; first < due.length && !signal.aborted; first += PARALLEL)
        await Promise.all(due.slice(first, first + PARALLEL).map(({ deal, duty }) => this.#do(deal, duty)));
      if (found.length < BATCH) return found.length === 0 && !after ? Number.POSITIVE_INFINITY : 0;
      after = found.at(-1);
    }
    return 0;
  }

  async #due(document: DealDocument): Promise<EscrowDuty | undefined> {
    const { self, clock, policy } = this.#options;
    const { deal } = document;
    if (!deal.escrow) return undefined;
    const now = clock.now();
    const duty = escrowDuty(deal, self, now, policy, await this.#findings(document));
    return duty && (this.#waiting.get(keyOf(deal, duty))?.until ?? 0) <= now ? duty : undefined;
  }

  /** The findings about the delivery. The outbox is read only after a dispute: no earlier duty depends on the ACK. */
  async #findings({ deal, findings }: DealDocument): Promise<Findings> {
    const id = deal.delivery?.id;
    if (id === undefined) return { received: false, accepted: undefined };
    const known = findings?.delivery === id ? findings : undefined;
    const asked = known?.received === undefined && deal.escrow!.disputed_at !== null;
    const entry = asked ? await this.#options.space.get(outbox.ref(id)) : undefined;
    return { received: known?.received ?? entry?.status === 'delivered', accepted: known?.fits };
  }

  #remind(document: DealDocument): void {
    const { self, clock, log, remind } = this.#options;
    const { conversation } = document.deal;
    const due = remindersDue(document.deal, self, clock.now());
    if (due <= (this.#reminded.get(conversation) ?? 0)) return;
    this.#reminded.set(conversation, due);
    const reminder = REMINDERS[due - 1]!;
    log.warn({ conversation, reminder }, 'a delivery waits for approval or dispute; silence pays for it');
    remind(document, reminder);
  }

  async #do(deal: Deal, duty: EscrowDuty): Promise<void> {
    const { watch, log } = this.#options;
    const { conversation } = deal;
    const { step } = duty;
    try {
      const { signature } = await this.#take(deal, duty);
      log.info({ conversation, step, signature }, 'took a step on the ledger');
      await watch.look(deal);
    } catch (error) {
      const reason = String(error);
      if (isMeshError(error) && EXPECTED.has(error.code)) log.debug({ conversation, step, reason }, 'not now');
      else log.warn({ conversation, step, reason }, 'a step on the ledger failed; it is tried again');
      await watch.look(deal).catch(() => undefined);
    } finally {
      this.#postpone(deal, duty);
    }
  }

  #take(deal: Deal, duty: EscrowDuty): Promise<LandedTransaction> {
    const { steps } = this.#options;
    switch (duty.step) {
      case 'deliver':
        return steps.deliver(deal);
      case 'dispute':
        return steps.dispute(escrowName(deal), duty.offerBps);
      case 'contest':
        return steps.contest(escrowName(deal), duty.maxBps);
      default:
        return steps.take(duty.step, escrowName(deal));
    }
  }

  /** Even after a success: until it is final the deal does not show it. */
  #postpone(deal: Deal, duty: EscrowDuty): void {
    const key = keyOf(deal, duty);
    const now = this.#options.clock.now();
    const wanted = Math.min((this.#waiting.get(key)?.pause ?? FIRST_PAUSE_MS / 2) * 2, LONGEST_PAUSE_MS);
    const pause = deadlinePause(wanted, now, duty.by);
    this.#waiting.set(key, { until: now + pause, pause });
  }
}

function keyOf({ conversation }: Deal, { step }: EscrowDuty): string {
  return `${step} ${conversation}`;
}
