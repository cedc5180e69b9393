import type { Settlement } from '../../ledger/settlement.ts';
import type { Space } from '../../storage/space.ts';
import { type AccusationRecord, accusations } from './watch-records.ts';

export interface DepositBudgetOptions {
  readonly space: Space;
  readonly settlement: Settlement;
  readonly key: string;
  /** Lamports. */
  readonly deposits: bigint;
}

const AT_RISK: readonly AccusationRecord['state'][] = ['announced', 'open', 'answered'];
const MONTH_SECS = 30 * 86_400;
const MOST = 500;

/**
 * Limits the deposits that this node puts down with accusations in 30 days. A deposit counts from its announcement
 * until the accounts show that the ledger has given it back.
 */
export class DepositBudget {
  readonly #options: DepositBudgetOptions;

  constructor(options: DepositBudgetOptions) {
    this.#options = options;
  }

  /** Whether one more deposit may be made at that moment, in Unix seconds. */
  async allows(unixSeconds: number): Promise<boolean> {
    const { space, settlement, key, deposits } = this.#options;
    const recent = await space.page(accusations, { index: 'recent', from: [unixSeconds - MONTH_SECS], limit: MOST });
    if (recent.length === MOST) return false;
    const atRisk = recent.filter(({ value }) => value.accuser === key && AT_RISK.includes(value.state));
    return BigInt(atRisk.length + 1) * settlement.numbers.accuseDeposit <= deposits;
  }
}
