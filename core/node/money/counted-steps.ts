import { LedgerSteps, type LedgerStepsOptions } from '../../ledger/ledger-steps.ts';
import type { LandedTransaction } from '../../ledger/recorded-transactions.ts';
import type { SettlementStep } from '../../ledger/settlement-steps.ts';
import type { CarryOutOptions } from '../../ledger/step-done.ts';
import type { CountedTransactions } from './counted-transactions.ts';
import { lockSpending, type Spending } from './spendings.ts';

/** Steps of this node of which those that take USDC from its wallet are counted against its caps. */
export class CountedSteps extends LedgerSteps {
  readonly #settlement: LedgerStepsOptions['settlement'];
  readonly #counted: CountedTransactions;

  constructor(options: LedgerStepsOptions, counted: CountedTransactions) {
    super(options);
    this.#settlement = options.settlement;
    this.#counted = counted;
  }

  /** As of a `LedgerSteps`; rejects with `spending_cap`, too. */
  override async run(
    name: string,
    step: SettlementStep,
    signal: AbortSignal,
    options?: CarryOutOptions,
  ): Promise<LandedTransaction> {
    const spending = await this.#spendingOf(name, step);
    if (!spending) return super.run(name, step, signal, options);
    return this.#counted.carryOut(spending, () => this.prepare(step), signal, options);
  }

  async #spendingOf(name: string, step: SettlementStep): Promise<Spending | undefined> {
    switch (step.type) {
      case 'lock':
        return lockSpending(name, step);
      case 'pay_lease':
        return { name, amount: step.maxAmount, for: { type: 'lease' } };
      case 'add_stake': {
        // The step names the payments its account has counted, so it cannot land upon a larger stake than this one.
        const atStake = (await this.#settlement.agent(step.key))?.stake ?? 0n;
        return { name, amount: step.amount, for: { type: 'stake', atStake } };
      }
      default:
        return undefined;
    }
  }
}
