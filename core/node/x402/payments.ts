import { createHash } from 'node:crypto';
import { MeshError } from '../../contracts/errors.ts';
import type { Ledger, PreparedTransaction, Signer } from '../../ledger/ledger.ts';
import { toHex } from '../../platform/bytes.ts';
import type { Clock, Random } from '../../platform/clock.ts';
import type { Space } from '../../storage/space.ts';
import type { Caps } from '../money/caps.ts';
import { recordedReservation, reservationOf, type Spending, spendings } from '../money/spendings.ts';
import { paymentHeader } from './headers.ts';
import type { Wanted } from './offer.ts';
import type { Outcomes } from './outcomes.ts';
import { type PaymentRecord, payments, spendingName } from './records.ts';

export interface PaymentsOptions {
  readonly space: Space;
  readonly ledger: Pick<Ledger, 'prepareSponsoredUsdc'>;
  readonly signer: Signer;
  readonly caps: Caps;
  readonly outcomes: Outcomes;
  readonly clock: Clock;
  readonly random: Random;
}

/** A payment, and whether it was made for an earlier call. */
export interface Made {
  readonly id: string;
  readonly record: PaymentRecord;
  readonly repeated: boolean;
}

const ID_BYTES = 16;
const MAX_OPEN = 1_000;
const FIRST_LOOK_MS = 10_000;
/** The same offer is the same payment for as long as its seller takes it, within these bounds. */
const SHORTEST_WINDOW_MS = 60_000;
const LONGEST_WINDOW_MS = 300_000;

/**
 * Signs payments by x402, each once for its call: an offer, a URL or a key of the caller's. What a payment costs is
 * reserved and written down before it is signed, the signed transaction before anybody gets it.
 */
export class Payments {
  readonly #options: PaymentsOptions;

  constructor(options: PaymentsOptions) {
    this.#options = options;
  }

  /**
   * The payment that stands for this call now, if any. With a key it stands for good: one that was not paid is refused, since a key pays
   * once whatever an RPC says; else until its seller has served, or no longer takes it. Rejects while nobody knows whether it was paid.
   */
  async standing(call: string, keyed: boolean): Promise<Made | undefined> {
    const { space, outcomes, clock } = this.#options;
    const [found] = await space.page(payments, { index: 'call', prefix: [call], reverse: true, limit: 1 });
    if (!found) return undefined;
    const { id, value } = found;
    const isFresh = clock.now() < value.at + value.window;
    const record = isFresh && !value.lapsed && value.state !== 'begun' ? value : await outcomes.look(id, value);
    if (keyed && record?.state === 'unpaid') throw notPaid(id);
    if (!record || record.state === 'unpaid' || record.state === 'begun' || (record.served && !keyed)) return undefined;
    if (record.state === 'made' && record.lapsed) throw notKnown(id);
    if (record.state === 'unknown') {
      if (keyed) throw notKnown(id);
      return undefined;
    }
    return keyed || isFresh || record.state === 'made' ? { id, record, repeated: true } : undefined;
  }

  /** Makes a payment. Rejects with `spending_cap` or `insufficient_funds`, too; then nothing is left behind. */
  async make(wanted: Wanted, call: string): Promise<Made> {
    const { space, outcomes, random } = this.#options;
    if ((await space.count(payments, 'open')) >= MAX_OPEN)
      throw new MeshError('ledger_unavailable', `${MAX_OPEN} payments by x402 wait for the ledger; try again later.`);
    const id = toHex(random.bytes(ID_BYTES));
    outcomes.making.add(id);
    try {
      const begun = await this.#begin(id, wanted, call);
      try {
        return { id, record: await this.#sign(id, wanted, begun), repeated: false };
      } catch (error) {
        await this.#undo(id).catch(() => undefined);
        throw error;
      }
    } finally {
      outcomes.making.delete(id);
    }
  }

  /** Writes down what the seller said: whether it served, and where the transaction is. */
  async heard(
    id: string,
    said: { readonly served: boolean; readonly told: string | undefined },
  ): Promise<PaymentRecord> {
    const ref = payments.ref(id);
    const { value } = await this.#options.space.tx([ref], (tx) => {
      const found = tx.get(ref)!;
      const { told = found.told, served } = said;
      const record = { ...found, served: (found.served ?? false) || served, ...(told !== undefined && { told }) };
      tx.put(ref, record);
      return record;
    });
    return value;
  }

  get(id: string): Promise<PaymentRecord | undefined> {
    return this.#options.space.get(payments.ref(id));
  }

  async #begin(id: string, wanted: Wanted, call: string): Promise<PaymentRecord> {
    const { space, caps, random } = this.#options;
    const { version, network, amount, payTo, feePayer, timeout } = wanted;
    const memo = wanted.memo ?? toHex(random.bytes(ID_BYTES));
    const spending: Spending = { name: spendingName(id), amount, for: { type: 'x402', partner: payTo } };
    // Settled: the outcomes of these payments release it themselves.
    const reservation = reservationOf(caps, spending, true);
    const { value } = await space.tx(reservation.reads, (tx) => {
      reservation.reserve(tx);
      const record: PaymentRecord = {
        ...{ call, version, network, memo, header: '', state: 'begun', at: tx.now },
        ...{ amount: amount.toString(), to: payTo, fee_payer: feePayer, look_at: tx.now },
        window: Math.min(Math.max(timeout, SHORTEST_WINDOW_MS), LONGEST_WINDOW_MS),
      };
      tx.put(payments.ref(id), record);
      return record;
    });
    return value;
  }

  async #sign(id: string, wanted: Wanted, begun: PaymentRecord): Promise<PaymentRecord> {
    const { ledger, signer, space } = this.#options;
    const { amount, payTo: to, feePayer } = wanted;
    const prepared = await ledger.prepareSponsoredUsdc({ to, amount, feePayer, memo: begun.memo }, signer);
    const { value } = await space.tx([], (tx) => {
      const record: PaymentRecord = {
        ...{ ...begun, state: 'made', header: paymentHeader(wanted, prepared.bytes) },
        ...lifetimeOf(prepared),
        look_at: tx.now + FIRST_LOOK_MS,
      };
      tx.put(payments.ref(id), record);
      return record;
    });
    return value;
  }

  async #undo(id: string): Promise<void> {
    const { space, caps } = this.#options;
    const name = spendingName(id);
    const spent = await space.get(spendings.ref(name));
    const reservation = spent && recordedReservation(caps, name, spent);
    await space.tx(reservation?.reads ?? [], (tx) => {
      reservation?.release(tx);
      tx.del(payments.ref(id));
    });
  }
}

/** Names a call without a key. */
export function callName(kind: 'key' | 'offer' | 'url', ...parts: readonly unknown[]): string {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  return `${kind}/${digest}`;
}

function lifetimeOf({ signature, lastValidBlockHeight, madeAfter = 0 }: PreparedTransaction) {
  return { signature, last_valid: lastValidBlockHeight, made_after: madeAfter };
}

function notPaid(id: string): MeshError {
  return new MeshError('conflict', {
    detail: `The payment ${id} was made under this Idempotency-Key; by the ledger it was not taken and can be no more. Use another key to pay again.`,
    extra: { payment_id: id },
  });
}

function notKnown(id: string): MeshError {
  return new MeshError('ledger_unavailable', {
    detail: `The payment ${id} was made for this and can land no more, but whether it landed is not known yet, so no other is made. Repeat the call later.`,
    extra: { payment_id: id },
  });
}
