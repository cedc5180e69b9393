import { MeshError } from '../../contracts/errors.ts';
import type { LandedTransaction } from '../../ledger/recorded-transactions.ts';
import { type LedgerStepsOptions, SettlementActions } from '../../ledger/settlement-actions.ts';
import type { CarryOutOptions } from '../../ledger/step-done.ts';
import type { SettlementStep } from '../../protocol/settlement/steps.ts';
import type { HistoryDraft } from '../history/entries.ts';
import type { CountedTransactions } from './counted-transactions.ts';
import { type LateSpending, lockSpending, type Spending } from './spendings.ts';

type AddStake = Extract<SettlementStep, { readonly type: 'add_stake' }>;

/** Steps of this node of which those that take USDC from its wallet are counted against its caps. */
export class CountedSteps extends SettlementActions {
  readonly #settlement: LedgerStepsOptions['settlement'];
  readonly #counted: CountedTransactions;

  constructor(options: LedgerStepsOptions, counted: CountedTransactions) {
    super(options);
    this.#settlement = options.settlement;
    this.#counted = counted;
  }

  /** As of a `SettlementActions`; rejects with `spending_cap`, too. */
  override async run(
    name: string,
    step: SettlementStep,
    signal: AbortSignal,
    options?: CarryOutOptions,
  ): Promise<LandedTransaction> {
    const spending = this.#spendingOf(name, step);
    if (!spending) return super.run(name, step, signal, options);
    return this.#counted.carryOut(spending, () => this.prepare(step), signal, options);
  }

  #spendingOf(name: string, step: SettlementStep): Spending | LateSpending | undefined {
    switch (step.type) {
      case 'lock':
        return lockSpending(name, step);
      case 'pay_lease':
        return {
          ...{ name, amount: step.maxAmount, for: { type: 'lease' } },
          entry: ownEntry('lease', 'pay', step.maxAmount),
        };
      case 'add_stake':
        return { name, of: () => this.#stakeSpending(name, step) };
      default:
        return undefined;
    }
  }

  /**
   * The step names the payments that its account has counted, so it cannot land upon a larger stake than that of an
   * account that shows them all.
   */
  async #stakeSpending(name: string, { key, amount, payments }: AddStake): Promise<Spending> {
    const account = await this.#settlement.agent(key);
    if ((account?.payments ?? 0) !== payments)
      throw new MeshError(
        'ledger_unavailable',
        'The ledger has not finalised what was paid before, so it does not show yet what is at stake; call again in a minute.',
      );
    const purpose = { type: 'stake', atStake: account?.stake ?? 0n } as const;
    return { name, amount, for: purpose, entry: ownEntry('stake', 'add', amount) };
  }
}

function ownEntry(type: HistoryDraft['type'], action: string, amount: bigint): HistoryDraft {
  return { type, action, direction: 'out', amount: amount.toString(), counterparty: null };
}
