import type { SettlementStep } from '../protocol/settlement/steps.ts';
import type { PreparedTransaction, Signer } from './ledger.ts';
import type { LandedTransaction, RecordedTransactions, TransactionState } from './recorded-transactions.ts';
import type { Settlement } from './settlement.ts';
import type { CarryOutOptions } from './step-done.ts';

export interface LedgerStepsOptions {
  readonly settlement: Settlement;
  readonly transactions: RecordedTransactions;
  readonly signer: Signer;
}

/** Steps of the settlement program in the name of this node, which signs and pays for them. */
export class SettlementActions {
  readonly #options: LedgerStepsOptions;

  constructor(options: LedgerStepsOptions) {
    this.#options = options;
  }

  /** Has the ledger take the step once under this name, as `RecordedTransactions.carryOut` says. */
  run(name: string, step: SettlementStep, signal: AbortSignal, options?: CarryOutOptions): Promise<LandedTransaction> {
    return this.#options.transactions.carryOut(name, () => this.prepare(step), signal, options);
  }

  /** For a caller that carries the step out itself, because it counts what it costs. */
  prepare(step: SettlementStep): Promise<PreparedTransaction> {
    const { settlement, signer } = this.#options;
    return settlement.prepare(step, [signer]);
  }

  /** The state of the newest transaction of a name. */
  find(name: string): Promise<TransactionState | undefined> {
    return this.#options.transactions.find(name);
  }
}
