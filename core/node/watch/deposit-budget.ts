import type { Settlement } from '../../ledger/settlement.ts';
import type { Space } from '../../storage/space.ts';
import { accusations } from './watch-records.ts';

export interface DepositBudgetOptions {
  readonly space: Space;
  readonly settlement: Settlement;
  readonly key: string;
  /** Lamports. */
  readonly deposits: bigint;
}

const MONTH_SECS = 30 * 86_400;
const MOST = 500;

/** What may be put down with accusations in 30 days. A deposit counts while it is not given back. */
export class DepositBudget {
  readonly #options: DepositBudgetOptions;

  constructor(options: DepositBudgetOptions) {
    this.#options = options;
  }

  /** Whether one more deposit may be made. */
  async allows(): Promise<boolean> {
    const { space, settlement, key, deposits } = this.#options;
    const { unixSeconds } = await settlement.time();
    const recent = await space.page(accusations, { index: 'recent', from: [unixSeconds - MONTH_SECS], limit: MOST });
    if (recent.length === MOST) return false;
    const atRisk = recent.filter(({ value }) => value.accuser === key && ['open', 'answered'].includes(value.state));
    return BigInt(atRisk.length + 1) * settlement.numbers.accuseDeposit <= deposits;
  }
}
