import { isMeshError } from '../../errors.ts';
import type { Settlement } from '../../ledger/settlement.ts';
import type { AgentAccount } from '../../ledger/settlement-accounts.ts';
import { formatUsdc } from '../../money.ts';
import type { Alarms } from '../alarms.ts';
import type { LedgerSteps } from '../ledger-steps.ts';
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

  constructor(options: LeaseJobOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { settlement, book, policy, key } = this.#options;
    const state = await book.read();
    if (state.pending) await this.#carryOut(state.pending, signal);
    const [account, time, after] = await Promise.all([settlement.agent(key), settlement.time(), book.read()]);
    const agent = withPaid(account, knownPaidThrough(after));
    const spent = spentRecently(after, time.epoch);
    const decision = decideLease(policy, { agent, numbers: settlement.numbers, epoch: time.epoch, spent });
    this.#warn(decision);
    if (decision.kind === 'pay') await this.#carryOut(await book.decide(decision.payment, time.epoch), signal);
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
      if (error.code !== 'insufficient_funds') throw error;
      const price = `${formatUsdc(BigInt(amount))} USDC`;
      alarms.raise('lease-funds', `The lease costs ${price} now and the wallet ${key} cannot pay: ${error.message}`);
      return;
    }
    alarms.clear('lease-funds');
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
