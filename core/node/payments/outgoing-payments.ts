import { MeshError } from '../../contracts/errors.ts';
import type { Ledger, PreparedTransaction, Signer } from '../../ledger/ledger.ts';
import type { LandedTransaction } from '../../ledger/recorded-transactions.ts';
import { outcomeError } from '../../ledger/refusal.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import { allowedActions } from '../../protocol/deals/actions.ts';
import { advance } from '../../protocol/deals/advance.ts';
import { type Deal, lastOffer } from '../../protocol/deals/deal.ts';
import type { Space } from '../../storage/space.ts';
import { type DealDocument, type DealPayment, deals, withDeal } from '../deals/deal-document.ts';
import type { MoneySteps } from '../deals/money-step.ts';
import { escrowTransaction } from '../escrow/escrow-steps.ts';
import { addDealEntries } from '../history/deal-entries.ts';
import type { CountedTransactions } from '../money/counted-transactions.ts';
import type { Spending } from '../money/spendings.ts';
import { paymentMemo } from './memo.ts';
import { paidBefore } from './paid-before.ts';

export interface OutgoingPaymentsOptions {
  readonly space: Space;
  readonly ledger: Ledger;
  readonly counted: CountedTransactions;
  readonly money: MoneySteps;
  readonly signer: Signer;
  readonly clock: Clock;
  readonly log: Log;
  readonly changed: (document: DealDocument) => void;
}

type Prepare = (deal: Deal) => Promise<PreparedTransaction>;

/** Payments found unfinished at start; more are taken up when these are done. */
const RESUMED = 200;
const STEP = 'pay';

/**
 * Pays deals by USDC transfer, each once: the payment is the one money step of its deal, its signed transaction is
 * recorded before it is sent, and before a new one is made the ledger's history is searched for one that paid the deal.
 */
export class OutgoingPayments {
  readonly #options: OutgoingPaymentsOptions;
  /** Payments being carried out, by conversation. */
  readonly #running = new Map<string, Promise<DealDocument>>();

  constructor(options: OutgoingPaymentsOptions) {
    this.#options = options;
  }

  /**
   * Pays the rest of the amount. Resolves with the deal when the ledger has finalised the transfer; a repeated call
   * joins the first. `signal` is that of the node, not of a caller: a payment goes on when its caller has left.
   */
  pay(conversation: string, signal: AbortSignal): Promise<DealDocument> {
    return this.#join(conversation, signal, (deal) => this.#prepare(deal));
  }

  #join(conversation: string, signal: AbortSignal, prepare: Prepare): Promise<DealDocument> {
    const running = this.#running.get(conversation);
    if (running) return running;
    const step = { step: STEP, transaction: nameOf(conversation) };
    const payment = this.#options.money
      .take(conversation, step, (document) => this.#pay(conversation, document, signal, prepare))
      .finally(() => this.#running.delete(conversation));
    this.#running.set(conversation, payment);
    return payment;
  }

  /**
   * Takes up payments that a crash or an outage left unfinished, and joins those under way. A payment that has expired
   * meanwhile is not made anew without being asked for.
   */
  async resume(signal: AbortSignal): Promise<void> {
    const { space, money, log } = this.#options;
    const shown = await space.page(deals, { index: 'paying', limit: RESUMED });
    const unfinished = new Set([...(await money.reserved(STEP, RESUMED)), ...shown.map(({ id }) => id)]);
    for (const conversation of unfinished) {
      if (signal.aborted) return;
      await this.#join(conversation, signal, notAnew).catch((error: unknown) =>
        log.warn({ conversation, reason: String(error) }, 'a payment could not be finished'),
      );
    }
  }

  async #pay(
    conversation: string,
    document: DealDocument | undefined,
    signal: AbortSignal,
    anew: Prepare,
  ): Promise<DealDocument> {
    const { counted } = this.#options;
    if (!document) throw new MeshError('not_found', `There is no deal ${conversation} on this node.`);
    const { deal, payment } = document;
    if (payment?.status === 'confirmed') return document;
    const name = nameOf(conversation);
    const begun = payment?.status === 'recorded' || (await counted.find(name))?.status === 'recorded';
    if (!begun) this.#owed(deal);
    let unfinished = unsent(payment);
    const prepare = async () => {
      const first = unfinished ?? (await anew(deal));
      unfinished = undefined;
      return first;
    };
    try {
      const landed = await counted.carryOut(spendingOf(deal), prepare, signal, {
        until: 'finalised',
        isDone: (atLeast) => paidBefore(this.#options, deal, atLeast),
        recorded: (transaction) => this.#show(conversation, { ...shownOf(transaction, deal), status: 'recorded' }),
      });
      return await this.#finish(conversation, landed);
    } catch (error) {
      await this.#giveUp(conversation);
      throw error;
    }
  }

  async #prepare({ conversation }: Deal): Promise<PreparedTransaction> {
    const { ledger, signer, space } = this.#options;
    const { deal } = (await space.get(deals.ref(conversation)))!;
    const amount = this.#owed(deal);
    await this.#requireUnlocked(deal);
    const transfer = { to: deal.provider, amount, memo: paymentMemo(conversation) };
    const prepared = await ledger.prepareUsdcTransfer(transfer, signer);
    if (this.#owed((await space.get(deals.ref(conversation)))!.deal) !== amount)
      throw new MeshError('conflict', 'The deal changed while the payment was prepared; nothing was paid.');
    return prepared;
  }

  /** A lock that is not shown in the deal yet pays for it already. */
  async #requireUnlocked({ requester, provider, conversation }: Deal): Promise<void> {
    const { ledger, counted } = this.#options;
    if (!ledger.settlement) return;
    const name = { requester, provider, conversation };
    const lock = await counted.find(escrowTransaction('lock', name));
    if (lock?.status === 'recorded' || lock?.revocable) {
      const detail = 'A lock of this deal is not final on the ledger yet; nothing was paid. Call again in a minute.';
      throw new MeshError('conflict', { detail, extra: { allowed_actions: ['lock'] } });
    }
    const { value } = await ledger.settlement.escrows([name], lock?.slot);
    if (!value[0]) return;
    const detail = 'The amount of this deal is locked on the ledger; nothing was paid. Approve the escrow instead.';
    throw new MeshError('conflict', { detail, extra: { allowed_actions: ['approve'] } });
  }

  /** The minor units that this node still has to pay for the deal; throws when `pay` is not allowed. */
  #owed(deal: Deal): bigint {
    const { signer, clock } = this.#options;
    const actions = allowedActions(deal, signer.address, clock.now());
    if (actions.includes('pay')) return BigInt(lastOffer(deal).amount) - BigInt(deal.paid);
    const detail = `This deal is ${deal.state}; there is nothing to pay for you.`;
    throw new MeshError('invalid_transition', { detail, extra: { allowed_actions: actions } });
  }

  async #show(conversation: string, payment: DealPayment): Promise<void> {
    const ref = deals.ref(conversation);
    await this.#options.space.tx([ref], (tx) => tx.put(ref, { ...tx.get(ref)!, payment, updated_at: tx.now }));
  }

  async #finish(conversation: string, { signature }: LandedTransaction): Promise<DealDocument> {
    const { space, signer, changed } = this.#options;
    const ref = deals.ref(conversation);
    const { value } = await space.tx([ref], (tx) => {
      const document = tx.get(ref)!;
      const { deal, payment } = document;
      const owed = (BigInt(lastOffer(deal).amount) - BigInt(deal.paid)).toString();
      const amount = payment?.signature === signature ? payment.amount : owed;
      const step = advance(deal, { type: 'paid', id: signature, by: signer.address, at: tx.now, amount });
      const paid: DealDocument = { ...document, payment: { signature, amount, status: 'confirmed' } };
      const after = withDeal(paid, step.ok ? step.deal : deal, tx.now);
      tx.put(ref, after);
      if (step.ok) addDealEntries(tx, { before: deal, after: step.deal, self: signer.address, fact: signature });
      return after;
    });
    changed(value);
    return value;
  }

  /** Shows that the transaction failed, unless it may yet land. */
  async #giveUp(conversation: string): Promise<void> {
    const { space, counted, changed } = this.#options;
    const state = await counted.find(nameOf(conversation));
    if (state?.status !== 'failed' && state?.status !== 'expired') return;
    const ref = deals.ref(conversation);
    const { value } = await space.tx([ref], (tx) => {
      const document = tx.get(ref)!;
      const { payment } = document;
      if (payment?.signature !== state.signature || payment.status !== 'recorded') return undefined;
      const { signature, amount } = payment;
      const after: DealDocument = { ...document, payment: { signature, amount, status: 'failed' }, updated_at: tx.now };
      tx.put(ref, after);
      return after;
    });
    if (value) changed(value);
  }
}

async function notAnew(): Promise<never> {
  throw outcomeError({ status: 'expired', slot: 0 });
}

function nameOf(conversation: string): string {
  return `pay/${conversation}`;
}

/** A payment that an earlier version wrote into the deal only. */
function unsent(payment: DealPayment | null): PreparedTransaction | undefined {
  if (payment?.status !== 'recorded' || payment.bytes === undefined || payment.lastValidBlockHeight === undefined)
    return undefined;
  const { signature, bytes, lastValidBlockHeight } = payment;
  return { signature, bytes, lastValidBlockHeight };
}

function spendingOf(deal: Deal): Spending {
  const amount = BigInt(lastOffer(deal).amount) - BigInt(deal.paid);
  return { name: nameOf(deal.conversation), amount, for: { type: 'deal', partner: deal.provider } };
}

function shownOf({ signature }: PreparedTransaction, deal: Deal): Omit<DealPayment, 'status'> {
  return { signature, amount: (BigInt(lastOffer(deal).amount) - BigInt(deal.paid)).toString() };
}
