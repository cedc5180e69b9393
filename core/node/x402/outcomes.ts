import type { Ledger, SponsoredOutcome } from '../../ledger/ledger.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { Space } from '../../storage/space.ts';
import { addEntry } from '../history/entries.ts';
import type { Caps } from '../money/caps.ts';
import { recordedReservation, spendings } from '../money/spendings.ts';
import { isOpen, mayLand, type PaymentRecord, payments, spendingName } from './records.ts';

export interface OutcomesOptions {
  readonly space: Space;
  readonly ledger: Pick<Ledger, 'sponsoredOutcome'>;
  readonly caps: Caps;
  readonly self: string;
  readonly clock: Clock;
  readonly log: Log;
}

const BATCH = 100;
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 5 * 60_000;
/** From then on a payment that the ledger's history cannot tell of stays unknown, and counts as spent. */
const GIVEN_UP_MS = 24 * 3_600_000;

/** Finds out from the ledger how payments by x402 ended: the seller sends them, and its word is only a hint. */
export class Outcomes {
  readonly #options: OutcomesOptions;
  /** Payments that this process is making now. */
  readonly making = new Set<string>();

  constructor(options: OutcomesOptions) {
    this.#options = options;
  }

  /** One look at the payments that are due. */
  async run(signal: AbortSignal): Promise<number> {
    const { space, clock, log } = this.#options;
    const now = clock.now();
    const due = await space.page(payments, { index: 'open', to: [now], limit: BATCH });
    for (const { id, value } of due) {
      if (signal.aborted) break;
      await this.look(id, value).catch((error: unknown) =>
        log.warn({ payment: id, reason: String(error) }, 'the outcome of a payment by x402 is not known yet'),
      );
    }
    const [next] = await space.page(payments, { index: 'open', limit: 1 });
    return next?.value.look_at ?? Number.POSITIVE_INFINITY;
  }

  /** Asks the ledger, and gives the payment as it is then; undefined when it was never made. */
  async look(id: string, record: PaymentRecord): Promise<PaymentRecord | undefined> {
    const { ledger, self } = this.#options;
    if (!isOpen(record) || this.making.has(id)) return record;
    if (record.state === 'begun') return this.#forget(id);
    const { signature, memo, last_valid, made_after, told } = record;
    const outcome = await ledger.sponsoredOutcome(self, {
      ...{ signature: signature!, memo, lastValidBlockHeight: last_valid!, madeAfter: made_after! },
      ...(told !== undefined && { told }),
    });
    return this.#write(id, outcome);
  }

  /** Minor units that payments may yet take from the wallet. */
  async reserved(): Promise<bigint> {
    let sum = 0n;
    for (let after: { key: string; id: string } | undefined; ; ) {
      const found = await this.#options.space.page(payments, { index: 'open', limit: BATCH, ...(after && { after }) });
      for (const { value } of found) if (mayLand(value)) sum += BigInt(value.amount);
      if (found.length < BATCH) return sum;
      after = found.at(-1)!;
    }
  }

  /** A payment of which nothing was signed, or nothing was given away: it never happened. */
  async #forget(id: string): Promise<undefined> {
    await this.#change(id, (record) => (record.state === 'begun' ? { release: true } : undefined));
  }

  async #write(id: string, outcome: SponsoredOutcome): Promise<PaymentRecord | undefined> {
    const { clock } = this.#options;
    const now = clock.now();
    return this.#change(id, (record) => {
      const age = now - record.at;
      const look_at = now + Math.min(Math.max(age, FIRST_PAUSE_MS), LONGEST_PAUSE_MS);
      switch (outcome.status) {
        case 'paid': {
          const { signature: transaction, finalised } = outcome;
          return { next: { ...record, state: 'paid', transaction, final: finalised, look_at } };
        }
        case 'unpaid':
          return { next: { ...withoutTransaction(record), state: 'unpaid', header: '', look_at }, release: true };
        case 'pending': {
          const { lapsed } = outcome;
          const state = lapsed && age > GIVEN_UP_MS ? 'unknown' : 'made';
          return { next: { ...withoutTransaction(record), state, lapsed, look_at } };
        }
      }
    });
  }

  async #change(
    id: string,
    decide: (record: PaymentRecord) => { readonly next?: PaymentRecord; readonly release?: boolean } | undefined,
  ): Promise<PaymentRecord | undefined> {
    const { space, caps } = this.#options;
    const ref = payments.ref(id);
    const name = spendingName(id);
    const spent = await space.get(spendings.ref(name));
    const reservation = spent && recordedReservation(caps, name, spent);
    const { value } = await space.tx([ref, ...(reservation?.reads ?? [])], (tx) => {
      const record = tx.get(ref);
      const change = record && isOpen(record) ? decide(record) : undefined;
      if (!record || !change) return record;
      if (change.release) reservation?.release(tx);
      if (!change.next) {
        tx.del(ref);
        return undefined;
      }
      tx.put(ref, change.next);
      if (change.next.state === 'paid' && change.next.final) addPaid(tx, id, change.next);
      return change.next;
    });
    return value;
  }
}

function addPaid(tx: Parameters<typeof addEntry>[0], id: string, { to, amount, transaction }: PaymentRecord): void {
  const draft = { type: 'transfer', action: 'x402', direction: 'out', amount, counterparty: to } as const;
  addEntry(tx, spendingName(id), { ...draft, details: { payment_id: id } }, transaction ?? null);
}

/** A transaction that was shown once and is gone may yet come again. */
function withoutTransaction({ transaction: _, final: __, ...record }: PaymentRecord): PaymentRecord {
  return record;
}
