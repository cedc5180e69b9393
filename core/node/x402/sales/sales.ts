import { isMeshError, MeshError } from '../../../contracts/errors.ts';
import { RateLimiter } from '../../../http/limits.ts';
import type { Charged } from '../../../http/served.ts';
import type { Ledger, PreparedTransaction, Signer } from '../../../ledger/ledger.ts';
import type { RecordedTransactions } from '../../../ledger/recorded-transactions.ts';
import { networkOf } from '../../../platform/addresses.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Log } from '../../../platform/log.ts';
import { OneByOne } from '../../../platform/one-by-one.ts';
import type { Space } from '../../../storage/space.ts';
import { countFee, feesOfDay } from './fees.ts';
import type { OfferedPayment } from './payment.ts';
import { type SaleRecord, saleName, sales } from './records.ts';
import type { Terms } from './terms.ts';

export interface SalesOptions {
  readonly space: Space;
  readonly ledger: Pick<Ledger, 'foreign'>;
  readonly transactions: Pick<RecordedTransactions, 'carryOut' | 'find'>;
  readonly signer: Signer;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Lamports of fees in 24 hours. */
  readonly maxFees: bigint;
}

/** Payments of one address that the ledger is asked about; what does not fit its offer costs none. */
const ASKED = { rate: 120, window: 60 };
/** Payments that the ledger took from us the fee of without paying, from anybody: then nothing is sold for a while. */
const LOST = { rate: 100, window: 3_600 };
const MAX_TAKEN = 1_000;
/** How often the handler is tried for one payment. */
const MAX_TRIES = 10;

/**
 * Takes payments, each for one answer. It is written down before it is sent, confirmed before the handler runs, and marked
 * before it runs: a crash in the middle of an answer leaves a sale that is `begun`, which no repetition serves again.
 */
export class Sales {
  readonly #options: SalesOptions;
  readonly #asked: RateLimiter;
  readonly #lost: RateLimiter;
  #closedUntil = 0;
  readonly #turns = new OneByOne();

  constructor(options: SalesOptions) {
    this.#options = options;
    this.#asked = new RateLimiter(ASKED, options.clock);
    this.#lost = new RateLimiter(LOST, options.clock);
  }

  take(payment: OfferedPayment, terms: Terms, ip: string): Promise<Charged> {
    return this.#turns.run(payment.id, () => this.#take(payment, terms, ip));
  }

  async #take(payment: OfferedPayment, terms: Terms, ip: string): Promise<Charged> {
    const { space } = this.#options;
    const { id, version, payer } = payment;
    const found = await space.get(sales.ref(id));
    if (found) checkUnused(found, terms);
    const signature = found?.signature ?? (await this.#settle(payment, terms, networkOf(ip), found));
    await this.#change(id, (record) => {
      checkUnused(record, terms);
      return { ...record, state: 'begun', tries: record.tries + 1, signature };
    });
    return {
      headers: terms.receipt(version, payer, signature),
      served: () => this.#change(id, (record) => ({ ...record, state: 'served' })),
      failed: () => this.#change(id, (record) => (record.state === 'begun' ? { ...record, state: 'paid' } : record)),
    };
  }

  /** Has the ledger take it; gives the signature. */
  async #settle(payment: OfferedPayment, terms: Terms, from: string, found: SaleRecord | undefined): Promise<string> {
    const { space, transactions, signal, clock, log, maxFees } = this.#options;
    const { id, payer } = payment;
    const name = saleName(id);
    if (clock.now() < this.#closedUntil)
      throw new MeshError('ledger_unavailable', {
        detail: 'Too many payments failed on the ledger; this node takes none for now.',
        retryAfter: (this.#closedUntil - clock.now()) / 1_000,
      });
    this.#asked.take(from);
    let prepared: PreparedTransaction | undefined;
    if (!found) {
      if ((await space.count(sales, 'taken')) >= MAX_TAKEN)
        throw new MeshError('rate_limited', { detail: `${MAX_TAKEN} payments wait for the ledger.`, retryAfter: 10 });
      prepared = await this.#inspect(payment, terms);
      const { line, price } = terms.sale;
      const ref = sales.ref(id);
      await space.tx([ref, feesOfDay], (tx) => {
        if (tx.get(ref)) return;
        countFee(tx, payment.fee, maxFees);
        tx.put(ref, { line, price: price.toString(), payer, state: 'taken', tries: 0, at: tx.now, untold: true });
      });
    }
    const prepare = async () => {
      const first = prepared;
      prepared = undefined;
      return first ?? this.#inspect(payment, terms);
    };
    try {
      const { signature } = await transactions.carryOut(name, prepare, signal);
      return signature;
    } catch (error) {
      const state = await transactions.find(name);
      if (state?.status === 'failed') {
        log.warn({ sale: id, payer, signature: state.signature }, 'a payment failed on the ledger; its fee is lost');
        if (!this.#lost.tryTake('all')) this.#closedUntil = clock.now() + LOST.window * 1_000;
        await space.del(sales.ref(id));
        throw terms.required(payment.resource, {
          pointer: '/payload/transaction',
          message: `failed on the ledger: ${state.refusal ?? 'it was refused'}`,
        });
      }
      throw error;
    }
  }

  /**
   * Signs the place of the fee's payer for what the rehearsal shows to go well. The amounts are those of its instructions, which were read
   * to the byte: balances move with every other sale, and tell nothing.
   */
  async #inspect({ bytes, resource }: OfferedPayment, terms: Terms): Promise<PreparedTransaction> {
    const { signer } = this.#options;
    const { foreign } = this.#options.ledger;
    const refuse = (message: string) => terms.required(resource, { pointer: '/payload/transaction', message });
    const failure = await foreign.failure(bytes);
    if (failure !== undefined) throw refuse(`would fail: ${failure}`);
    try {
      return await foreign.prepared(await foreign.sign(bytes, signer));
    } catch (error) {
      throw isMeshError(error) && error.code === 'conflict' ? refuse('is too old for the ledger') : error;
    }
  }

  async #change(id: string, next: (record: SaleRecord) => SaleRecord): Promise<void> {
    const ref = sales.ref(id);
    await this.#options.space.tx([ref], (tx) => {
      const record = tx.get(ref);
      if (!record) throw new MeshError('payment_used');
      tx.put(ref, next(record));
    });
  }
}

function checkUnused({ line, state, tries }: SaleRecord, { sale }: Terms): void {
  if (line !== sale.line) throw new MeshError('payment_used', `This payment is for ${line}.`);
  if (state === 'served') throw new MeshError('payment_used');
  if (state === 'begun')
    throw new MeshError(
      'payment_used',
      'An answer for this payment was begun; the operator sees when it did not leave whole.',
    );
  if (tries >= MAX_TRIES)
    throw new MeshError('payment_used', `This payment was tried ${tries} times; ask the operator.`);
}
