import { isMeshError } from '../../errors.ts';
import type { LeasePayment } from '../../ledger/lease-price.ts';
import type { LedgerSteps } from '../../ledger/ledger-steps.ts';
import type { Settlement } from '../../ledger/settlement.ts';
import type { AgentAccount } from '../../ledger/settlement-accounts.ts';
import { formatUsdc } from '../../money.ts';
import type { Alarms } from '../alarms.ts';
import { decideLease, type LeaseDecision, type LeasePolicy } from './lease-policy.ts';
import { knownPaidThrough, type LeaseBook, type PaidLease, spentRecently } from './lease-records.ts';

export interface LeaseJobOptions {
  readonly settlement: Settlement;
  readonly steps: LedgerSteps;
  readonly book: LeaseBook;
  readonly policy: LeasePolicy;
  /** The node's key in base58, whose wallet pays. */
  readonly key: string;
  readonly alarms: Alarms;
  /** Told of every payment. */
  readonly paid: (payment: PaidLease) => void;
}

/**
 * Keeps the lease paid. A payment is decided in the store before its transaction is made, and the transaction has the
 * name of the epoch it reaches, so no crash and no stale answer of the ledger can have an epoch paid twice.
 */
export class LeaseJob {
  readonly #options: LeaseJobOptions;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: LeaseJobOptions) {
    this.#options = options;
  }

  /** One look: finishes what was decided before, and decides and pays what is due. */
  run(signal: AbortSignal): Promise<void> {
    return this.#alone(() => this.#look(signal));
  }

  /** Pays what a caller has asked for, whatever the policy says; rejects when that could not be paid. */
  pay(payment: LeasePayment, epoch: number, signal: AbortSignal): Promise<void> {
    return this.#alone(async () => {
      const { book } = this.#options;
      const { pending } = await book.read();
      if (pending) await this.#carryOut(pending, signal);
      if (pending && pending.paid_through >= payment.paidThrough) return;
      await this.#carryOut(await book.decide(payment, epoch), signal);
    });
  }

  /** One payment at a time. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => {});
    return turn;
  }

  async #look(signal: AbortSignal): Promise<void> {
    const { settlement, book, policy, key } = this.#options;
    const state = await book.read();
    if (state.pending) await this.#carryOut(state.pending, signal).catch(lackOfFunds);
    const [account, time, after] = await Promise.all([settlement.agent(key), settlement.time(), book.read()]);
    const agent = withPaid(account, knownPaidThrough(after));
    const spent = spentRecently(after, time.epoch);
    const decision = decideLease(policy, { agent, numbers: settlement.numbers, epoch: time.epoch, spent });
    this.#warn(decision);
    if (decision.kind !== 'pay') return;
    await this.#carryOut(await book.decide(decision.payment, time.epoch), signal).catch(lackOfFunds);
  }

  async #carryOut(payment: PaidLease, signal: AbortSignal): Promise<void> {
    const { steps, book, key, paid, alarms } = this.#options;
    const { epochs, amount, paid_through } = payment;
    const step = { type: 'pay_lease', key, epochs, maxAmount: BigInt(amount) } as const;
    try {
      const { signature } = await steps.run(`lease:${paid_through}`, step, signal);
      await book.finish(signature);
    } catch (error) {
      if (!isMeshError(error) || signal.aborted || error.code === 'ledger_unavailable') throw error;
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

/** The account with what this node knows to have paid: the ledger's finalised word may be older. */
function withPaid(agent: AgentAccount | undefined, paidThrough: number): AgentAccount | undefined {
  return agent && { ...agent, paidThrough: Math.max(agent.paidThrough, paidThrough) };
}

/** The alarm has said it; the next run tries again. */
function lackOfFunds(error: unknown): void {
  if (!isMeshError(error) || (error.code !== 'insufficient_funds' && error.code !== 'spending_cap')) throw error;
}
