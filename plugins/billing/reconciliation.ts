import { formatUsdc, type Health, type Log } from '../../core/plugin.ts';
import type { LedgerAccounts, Self, Space } from '../../core/services.ts';
import { type Books, DEPOSITS, GATEWAY, type Standing, TREASURY } from './books.ts';
import { addresses, depositors, withdrawals } from './stored.ts';

export interface ReconciliationOptions {
  readonly space: Space;
  readonly ledger: LedgerAccounts;
  readonly self: Self;
  readonly log: Log;
  readonly books: Books;
}

const PAGE = 500;
const OK: Health = { state: 'ok' };
const SENT = new Set(['sending', 'burning']);

/** Holds the books against themselves and against the ledger; a difference is told, and nothing is changed by it. */
export class Reconciliation {
  readonly #options: ReconciliationOptions;
  #standing: Standing | undefined;
  #faults: readonly string[] = [];

  constructor(options: ReconciliationOptions) {
    this.#options = options;
  }

  /** Of the last run. */
  get standing(): Standing | undefined {
    return this.#standing;
  }

  health(): Health {
    if (this.#faults.length === 0) return OK;
    return {
      state: 'degraded',
      detail: `the billing books do not fit: ${this.#faults.join('; ')}`,
      remedy: 'Compare GET /billing/history and the journal with the wallet before more is paid.',
    };
  }

  async run(): Promise<void> {
    const { books, log } = this.#options;
    const standing = await books.standing();
    const faults = [...bookFaults(standing), ...(await this.#ledgerFaults(standing))];
    if (faults.length > 0) log.error({ faults }, 'the billing books do not fit');
    this.#standing = standing;
    this.#faults = faults;
  }

  async #ledgerFaults({ named }: Standing): Promise<string[]> {
    const { ledger, self } = this.#options;
    const faults: string[] = [];
    const atAddresses = await this.#unswept();
    if (atAddresses !== named[DEPOSITS])
      faults.push(
        `deposit addresses hold ${formatUsdc(atAddresses)} USDC and the books say ${formatUsdc(named[DEPOSITS])}`,
      );
    const atGateway = await this.#credited();
    if (atGateway !== named[GATEWAY])
      faults.push(
        `${formatUsdc(atGateway)} USDC are credited for the gateway and the books say ${formatUsdc(named[GATEWAY])}`,
      );
    if (!ledger.cluster) return faults;
    const held = (await ledger.usdc(self.address)) ?? 0n;
    const least = named[TREASURY] - (await this.#underWay());
    if (held < least)
      faults.push(`the wallet holds ${formatUsdc(held)} USDC and the books need at least ${formatUsdc(least)}`);
    return faults;
  }

  async #unswept(): Promise<bigint> {
    const { space } = this.#options;
    let sum = 0n;
    for (let after: { id: string; key: string } | undefined; ; ) {
      const page = await space.page(addresses, { limit: PAGE, ...(after && { after }) });
      for (const { value } of page) sum += BigInt(value.unswept);
      if (page.length < PAGE) return sum;
      after = page.at(-1);
    }
  }

  async #credited(): Promise<bigint> {
    const { space } = this.#options;
    let sum = 0n;
    for (let after: { id: string; key: string } | undefined; ; ) {
      const page = await space.page(depositors, { limit: PAGE, ...(after && { after }) });
      for (const { value } of page) sum += BigInt(value.credited);
      if (page.length < PAGE) return sum;
      after = page.at(-1);
    }
  }

  /** Amounts that may have left the wallet already, and are not written in the books before they are final. */
  async #underWay(): Promise<bigint> {
    const { space } = this.#options;
    let sum = 0n;
    for (let after: { id: string; key: string } | undefined; ; ) {
      const page = await space.page(withdrawals, { index: 'due', limit: PAGE, ...(after && { after }) });
      for (const { value } of page) if (SENT.has(value.state)) sum += BigInt(value.amount);
      if (page.length < PAGE) return sum;
      after = page.at(-1);
    }
  }
}

function bookFaults({ sum, named, agents }: Standing): string[] {
  const faults: string[] = [];
  if (sum !== 0n) faults.push(`all accounts together are ${sum} minor units and not 0`);
  if (agents > named[DEPOSITS] + named[GATEWAY] + named[TREASURY])
    faults.push('agents own more than deposit addresses, the gateway and the wallet hold');
  return faults;
}
