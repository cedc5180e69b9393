import { isMeshError, MeshError } from '../../contracts/errors.ts';
import type { Settlement } from '../../ledger/settlement.ts';
import type { SettlementActions } from '../../ledger/settlement-actions.ts';
import { formatUsdc } from '../../platform/usdc.ts';
import type { AgentAccount } from '../../protocol/settlement/accounts.ts';
import { leasePayment } from '../../protocol/settlement/lease-price.ts';
import { type LeaseStatus, leaseStatus } from '../../protocol/settlement/lease-status.ts';
import type { OwnAccount } from '../behavior/own-account.ts';
import type { DutyWarnings } from '../duty-warnings.ts';
import { decideLease, type LeaseDecision, type LeasePolicy } from './lease-policy.ts';
import { knownPaidThrough, type LeaseBook, type LeaseState, type PaidLease, spentRecently } from './lease-records.ts';
import { type CountedReading, isCounted, type PaymentCounter } from './payment-counter.ts';

export interface LeaseJobOptions {
  readonly settlement: Settlement;
  readonly own: OwnAccount;
  readonly counter: PaymentCounter;
  readonly steps: SettlementActions;
  readonly book: LeaseBook;
  readonly policy: LeasePolicy;
  /** The node's key in base58, whose wallet pays. */
  readonly key: string;
  readonly alarms: DutyWarnings;
  /** Told when the lease of this node is another than at the look before. */
  readonly changed: (status: LeaseStatus, before: LeaseStatus) => void;
  /** Told of every payment. */
  readonly paid: (payment: PaidLease) => void;
}

/** A caller's order to pay the lease. */
export interface LeaseWish {
  /** Epochs beyond the present one. */
  readonly ahead: number;
  /** The most it may cost, in minor units. */
  readonly most: bigint | undefined;
}

/**
 * Keeps the lease paid. A payment is decided in the store before its transaction is made, and names how many payments
 * the account has counted. So no crash, no stale answer and no false word of the ledger has an epoch paid twice.
 */
export class LeaseJob {
  readonly #options: LeaseJobOptions;
  #status: LeaseStatus | undefined;

  constructor(options: LeaseJobOptions) {
    this.#options = options;
  }

  /** One look: finishes the payment that was decided before, then decides on a payment that is due and makes it. */
  async run(signal: AbortSignal): Promise<void> {
    const { own, book } = this.#options;
    const [{ agent, time }, state] = await Promise.all([own.recent(), book.read()]);
    this.#tell(agent, time.epoch);
    // Most looks end here, with nothing but what another duty has read.
    if (!state.pending && this.#decide({ agent, time, complete: true }, state).kind === 'nothing') return;
    await this.#options.counter.alone(() => this.#look(signal));
  }

  /** Pays a caller's order, whatever the policy says; rejects when the payment could not be made. */
  pay({ ahead, most }: LeaseWish, signal: AbortSignal): Promise<void> {
    const { settlement, book, counter } = this.#options;
    return counter.alone(async () => {
      const { pending } = await book.read();
      if (pending) await this.#carryOut(pending, signal);
      const reading = await counter.read();
      const { time, payments } = reading;
      const payment = leasePayment(
        withPaid(reading, await book.read()),
        settlement.numbers,
        time.epoch,
        time.epoch + ahead,
      );
      if (!payment) return;
      if (most !== undefined && payment.amount > most)
        throw new MeshError('conflict', `This would cost ${formatUsdc(payment.amount)} USDC; nothing was paid.`);
      await this.#carryOut(await book.decide(payment, time.epoch, payments), signal);
    });
  }

  #tell(agent: AgentAccount | undefined, epoch: number): void {
    const { settlement, changed } = this.#options;
    const before = this.#status;
    this.#status = leaseStatus(agent, settlement.numbers, epoch);
    if (before !== undefined && before !== this.#status) changed(this.#status, before);
  }

  async #look(signal: AbortSignal): Promise<void> {
    const { book, counter } = this.#options;
    const { pending } = await book.read();
    if (pending) await this.#carryOut(pending, signal).catch(lackOfFunds);
    const reading = await counter.read();
    const decision = this.#decide(reading, await book.read());
    this.#warn(decision);
    if (decision.kind !== 'pay') return;
    const payment = await book.decide(decision.payment, reading.time.epoch, reading.payments);
    await this.#carryOut(payment, signal).catch(lackOfFunds);
  }

  #decide(reading: Sight, state: LeaseState): LeaseDecision {
    const { policy, settlement } = this.#options;
    const { epoch } = reading.time;
    const situation = { numbers: settlement.numbers, epoch, spent: spentRecently(state, epoch) };
    return decideLease(policy, { ...situation, agent: withPaid(reading, state) });
  }

  async #carryOut(payment: PaidLease, signal: AbortSignal): Promise<void> {
    const { steps, book, key, paid, alarms, counter } = this.#options;
    const { epochs, amount, payments } = payment;
    const name = `lease:${key}:${payments}`;
    const step = { type: 'pay_lease', key, epochs, maxAmount: BigInt(amount), payments } as const;
    if (await this.#isOver(payment, name)) return;
    try {
      const { signature, slot } = await steps.run(name, step, signal);
      await counter.landed(payments, slot);
      await book.finish(signature);
    } catch (error) {
      if (!isMeshError(error) || signal.aborted || error.code === 'ledger_unavailable') throw error;
      // The account will tell whether it was this payment that was counted before.
      if (isCounted(error)) throw error;
      // Nothing was paid: the next payment is decided anew, at the price of then.
      await book.finish(undefined);
      const price = `${formatUsdc(BigInt(amount))} USDC`;
      if (error.code === 'insufficient_funds')
        alarms.raise('lease-funds', `The lease costs ${price} now and the wallet ${key} cannot pay: ${error.message}`);
      if (error.code === 'spending_cap')
        alarms.raise('lease-cap', `The lease costs ${price} now and is not paid: ${error.message}`);
      throw error;
    }
    alarms.clear('lease-funds');
    alarms.clear('lease-cap');
    paid(payment);
  }

  /**
   * Whether the account counts a payment of this number, so that this one has landed or never will. It counts as paid by
   * this node where it may have been: a budget is rather used up too early.
   */
  async #isOver(payment: PaidLease, name: string): Promise<boolean> {
    const { book, counter, steps, paid } = this.#options;
    const { agent } = await counter.read();
    if (!agent || agent.payments <= payment.payments) return false;
    const sent = await steps.find(name);
    const landed = sent && sent.status !== 'failed' && agent.paidThrough >= payment.paid_through;
    await book.finish(landed ? sent.signature : undefined);
    if (landed) paid(payment);
    return true;
  }

  #warn(decision: LeaseDecision): void {
    const { alarms, policy } = this.#options;
    if (decision.kind !== 'refused') {
      alarms.clear('lease-bounds');
      return;
    }
    const { reason, payment } = decision;
    const bound =
      reason === 'max_amount'
        ? `more than core.lease.maxAmount (${formatUsdc(policy.maxAmount)})`
        : `and core.lease.budget (${formatUsdc(policy.budget)} for 30 epochs) is used up`;
    alarms.raise('lease-bounds', `The lease costs ${formatUsdc(payment.amount)} USDC, ${bound}; it is not paid.`);
  }
}

type Sight = Pick<CountedReading, 'agent' | 'time' | 'complete'>;

/** The account with payments that the ledger has confirmed and not finalised yet. */
function withPaid({ agent, complete }: Sight, state: LeaseState): AgentAccount | undefined {
  if (!agent || complete) return agent;
  return { ...agent, paidThrough: Math.max(agent.paidThrough, knownPaidThrough(state)) };
}

/** The alarm has said it; the next run tries again. */
function lackOfFunds(error: unknown): void {
  if (!isMeshError(error) || (error.code !== 'insufficient_funds' && error.code !== 'spending_cap')) throw error;
}
