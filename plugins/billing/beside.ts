import { isMeshError, type Log } from '../../core/plugin.ts';
import type { Clock, LedgerAccounts, Space } from '../../core/services.ts';
import { Round } from './round.ts';
import { tokenAccountOf } from './settlement/solana/addresses.ts';
import { tokenAmount } from './settlement/solana/tokens.ts';
import { addresses, type DepositAddress } from './stored.ts';

export interface BesideOptions {
  readonly space: Space;
  readonly ledger: LedgerAccounts;
  readonly clock: Clock;
  readonly log: Log;
}

/** USDC that a deposit address holds in other accounts than its own. */
export interface HeldBeside {
  readonly agent: string;
  readonly address: string;
  readonly amount: bigint;
}

const PAGE = 20;
const ROUND_MS = 3_600_000;
const REST_MS = 60_000;
/** Keys cost nothing, and each may ask; the round comes by at the others. */
const MOST_ASKED = 1_000;

/**
 * Looks for USDC in token accounts that belong to a deposit address and are not its own one: any program may open such, and pay into it. Nobody can tell
 * whose deposit that is, so none is made of it; it is kept, and shown to the agent and to the operator. One address a second: those whose
 * agents asked for them last, else the next of a round over all.
 */
export class Beside {
  readonly #options: BesideOptions;
  readonly #round: Round<DepositAddress>;
  readonly #asked = new Set<string>();
  #page: DepositAddress[] = [];
  #resting = 0;

  constructor(options: BesideOptions) {
    this.#options = options;
    this.#round = new Round(options.space, addresses, PAGE, { name: 'beside', ms: ROUND_MS });
  }

  /** Has the address of an agent looked at soon. */
  wake(agent: string): void {
    if (this.#asked.size < MOST_ASKED) this.#asked.add(agent);
  }

  /** Those that hold some, by their addresses, and how many more there are. */
  async found(most: number): Promise<{ readonly rows: readonly HeldBeside[]; readonly more: number }> {
    const { space } = this.#options;
    const [page, all] = await Promise.all([
      space.page(addresses, { index: 'beside', limit: most }),
      space.count(addresses, 'beside'),
    ]);
    const rows = page.map(({ value: { agent, address, beside = '0' } }) => ({
      agent,
      address,
      amount: BigInt(beside),
    }));
    return { rows, more: Math.max(0, all - rows.length) };
  }

  async run(): Promise<void> {
    const { ledger, clock, log } = this.#options;
    const now = clock.now();
    if (!ledger.cluster || now < this.#resting) return;
    const row = await this.#next(now);
    if (!row) return;
    try {
      await this.#look(row);
    } catch (error) {
      if (!isMeshError(error)) throw error;
      this.wake(row.agent);
      log.warn({ reason: String(error) }, 'the accounts beside a deposit address could not be read');
      this.#resting = now + REST_MS;
    }
  }

  async #next(now: number): Promise<DepositAddress | undefined> {
    const { space } = this.#options;
    for (const agent of this.#asked) {
      this.#asked.delete(agent);
      const row = await space.get(addresses.ref(agent));
      if (row) return row;
    }
    if (this.#page.length === 0) {
      const page = await this.#round.next(now);
      if (!page) return undefined;
      this.#page = [...page.rows];
      await this.#round.passed(page.last);
    }
    return this.#page.shift();
  }

  /** By the word of one RPC: it is shown, and decides about nothing. */
  async #look({ agent, address, account }: DepositAddress): Promise<void> {
    const { ledger, log } = this.#options;
    const own = account ?? tokenAccountOf(address, ledger.usdcMint!);
    const held = async () => {
      const [found] = await ledger.latest([own]);
      return found ? tokenAmount(found.data) : 0n;
    };
    const before = await held();
    const { tokens } = await ledger.holdings(address);
    // A deposit that came meanwhile would look as if it were beside.
    if ((await held()) !== before) return this.wake(agent);
    const all = tokens.find(({ mint }) => mint === ledger.usdcMint)?.amount ?? 0n;
    if (all < before) return;
    const beside = all - before;
    if (!(await this.#note(agent, beside)) || beside === 0n) return;
    log.warn({ agent, address, beside: beside.toString() }, 'a deposit address has USDC beside its own account');
  }

  /** Whether it is another amount than before. */
  async #note(agent: string, beside: bigint): Promise<boolean> {
    const { space } = this.#options;
    const ref = addresses.ref(agent);
    const known = (await space.get(ref))?.beside ?? '0';
    if (known === beside.toString()) return false;
    await space.tx([ref], (tx) => {
      const found = tx.get(ref);
      if (!found) return;
      const { beside: _, ...rest } = found;
      tx.put(ref, beside === 0n ? rest : { ...rest, beside: beside.toString() });
    });
    return true;
  }
}
