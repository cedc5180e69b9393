import type { Clock } from '../../clock.ts';
import { allowedActions } from '../../deals/actions.ts';
import { advance } from '../../deals/advance.ts';
import { type Deal, lastOffer } from '../../deals/deal.ts';
import { MeshError } from '../../errors.ts';
import type { Ledger, PreparedTransaction, Signer, TransactionOutcome } from '../../ledger/ledger.ts';
import type { Log } from '../../log.ts';
import type { Space } from '../../storage/space.ts';
import { type DealDocument, type DealPayment, deals, withDeal } from '../deals/deal-document.ts';
import type { Caps } from '../money/caps.ts';
import { type Reservation, reservationOf } from '../money/spendings.ts';
import { paymentMemo } from './memo.ts';

export interface OutgoingPaymentsOptions {
  readonly space: Space;
  readonly ledger: Ledger;
  readonly signer: Signer;
  readonly clock: Clock;
  readonly caps: Caps;
  readonly log: Log;
  readonly changed: (document: DealDocument) => void;
}

/** Payments found unfinished at start; more are taken up when these are done. */
const RESUMED = 200;

/**
 * Pays deals by USDC transfer. The signed transaction is stored before it is sent, so after a crash it is the same
 * transaction that goes on, and the ledger takes it once.
 */
export class OutgoingPayments {
  readonly #options: OutgoingPaymentsOptions;
  /** Payments being carried out, by conversation. */
  readonly #running = new Map<string, Promise<DealDocument>>();

  constructor(options: OutgoingPaymentsOptions) {
    this.#options = options;
  }

  /**
   * Pays what is owed. Resolves with the deal when the ledger has confirmed; a repeated call joins the first. `signal`
   * is that of the node, not of a caller: a payment goes on when its caller has left.
   */
  pay(conversation: string, signal: AbortSignal): Promise<DealDocument> {
    const running = this.#running.get(conversation);
    if (running) return running;
    const payment = this.#pay(conversation, signal).finally(() => this.#running.delete(conversation));
    this.#running.set(conversation, payment);
    return payment;
  }

  /** Takes up what a crash or an outage left unfinished; those being carried out already are joined. */
  async resume(signal: AbortSignal): Promise<void> {
    const { space, log } = this.#options;
    for (const { id } of await space.page(deals, { index: 'paying', limit: RESUMED })) {
      if (signal.aborted) return;
      await this.pay(id, signal).catch((error: unknown) =>
        log.warn({ conversation: id, reason: String(error) }, 'a payment could not be finished'),
      );
    }
  }

  async #pay(conversation: string, signal: AbortSignal): Promise<DealDocument> {
    const document = await this.#document(conversation);
    if (document.payment?.status === 'recorded') return this.#submit(conversation, document.payment, signal);
    if (document.payment?.status === 'confirmed') return document;
    const recorded = await this.#record(conversation, await this.#prepare(document));
    return this.#submit(conversation, recorded, signal);
  }

  async #prepare({ deal }: DealDocument): Promise<DealPayment> {
    const { ledger, signer, clock } = this.#options;
    const amount = this.#owed(deal, clock.now());
    const transfer = { to: deal.provider, amount, memo: paymentMemo(deal.conversation) };
    return { ...(await ledger.prepareUsdcTransfer(transfer, signer)), amount: amount.toString(), status: 'recorded' };
  }

  /** Writes the payment down, unless another one got there first; gives the one that counts. */
  async #record(conversation: string, payment: DealPayment): Promise<DealPayment> {
    const ref = deals.ref(conversation);
    const spending = this.#spending(conversation, await this.#document(conversation), payment);
    const { value } = await this.#options.space.tx([ref, ...spending.reads], (tx) => {
      const document = tx.get(ref)!;
      if (document.payment && document.payment.status !== 'failed') return document.payment;
      if (this.#owed(document.deal, tx.now) !== BigInt(payment.amount))
        throw new MeshError('conflict', 'The deal changed while the payment was prepared; nothing was paid.');
      spending.reserve(tx);
      tx.put(ref, { ...document, payment, updated_at: tx.now });
      return payment;
    });
    return value;
  }

  async #submit(conversation: string, payment: DealPayment, signal: AbortSignal): Promise<DealDocument> {
    const transaction: PreparedTransaction = payment;
    const outcome = await this.#options.ledger.submit(transaction, signal).catch((error: unknown) => {
      throw signal.aborted
        ? new MeshError('not_ready', 'The payment was sent; the node stops and goes on later.')
        : error;
    });
    if (outcome.status === 'pending')
      throw new MeshError(
        'ledger_unavailable',
        'The payment was sent and is not confirmed yet; repeat the call to wait for it.',
      );
    const document = await this.#finish(conversation, payment, outcome);
    this.#options.changed(document);
    if (outcome.status === 'failed')
      throw new MeshError('upstream_failed', `The ledger refused the payment (${outcome.code}); nothing was paid.`);
    if (outcome.status === 'expired')
      throw new MeshError(
        'ledger_unavailable',
        'The ledger did not take the payment in time; nothing was paid. Call again.',
      );
    return document;
  }

  async #finish(conversation: string, payment: DealPayment, outcome: TransactionOutcome): Promise<DealDocument> {
    const { space, signer } = this.#options;
    const ref = deals.ref(conversation);
    const spending = this.#spending(conversation, await this.#document(conversation), payment);
    const { value } = await space.tx([ref, ...spending.reads], (tx) => {
      const document = tx.get(ref)!;
      const confirmed = outcome.status === 'confirmed';
      if (!confirmed) spending.release(tx);
      const paid = {
        ...document,
        payment: { ...payment, status: confirmed ? ('confirmed' as const) : ('failed' as const) },
      };
      const event = {
        type: 'paid',
        id: payment.signature,
        by: signer.address,
        at: tx.now,
        amount: payment.amount,
      } as const;
      const step = confirmed ? advance(document.deal, event) : undefined;
      const after = withDeal(paid, step?.ok ? step.deal : document.deal, tx.now);
      tx.put(ref, after);
      return after;
    });
    return value;
  }

  #spending(conversation: string, { deal }: DealDocument, { amount }: DealPayment): Reservation {
    const purpose = { type: 'deal', partner: deal.provider } as const;
    const spending = { name: `pay/${conversation}`, amount: BigInt(amount), for: purpose };
    return reservationOf(this.#options.caps, spending, true);
  }

  /** What this node has to pay for the deal; throws when that is nothing. */
  #owed(deal: Deal, now: number): bigint {
    const actions = allowedActions(deal, this.#options.signer.address, now);
    if (actions.includes('pay')) return BigInt(lastOffer(deal).amount) - BigInt(deal.paid);
    const detail = `This deal is ${deal.state}; there is nothing to pay for you.`;
    throw new MeshError('invalid_transition', { detail, extra: { allowed_actions: actions } });
  }

  async #document(conversation: string): Promise<DealDocument> {
    const document = await this.#options.space.get(deals.ref(conversation));
    if (!document) throw new MeshError('not_found', `There is no deal ${conversation} on this node.`);
    return document;
  }
}
