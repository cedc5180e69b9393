import { MeshError } from '../../core/plugin.ts';
import type { Space, Tx } from '../../core/services.ts';
import { type Account, accounts, journal, type StoredEntry, sums } from './stored.ts';

/** Accounts that are nobody's. Assets have debit balances, what is owed has credit balances. */
export const DEPOSITS = 'deposits';
export const TREASURY = 'treasury';
/** At the gateway, where other chains' deposits lie. */
export const GATEWAY = 'gateway';
export const PLATFORM_FEES = 'platform-fees';
export const PROVIDER_FEES = 'provider-fees';
const NAMED = [DEPOSITS, GATEWAY, TREASURY, PLATFORM_FEES, PROVIDER_FEES] as const;

/** A debit is positive. */
export interface Line {
  readonly account: string;
  readonly amount: bigint;
}

export interface Entry {
  readonly kind: 'deposit' | 'sweep' | 'reserve' | 'release' | 'paid' | 'burnt';
  readonly ref: string;
  readonly lines: readonly Line[];
}

export interface Balance {
  readonly available: bigint;
  readonly reserved: bigint;
}

/** The accounts of agents against the holdings of the aggregator. */
export interface Standing {
  /** The balances of agents, available and reserved. */
  readonly agents: bigint;
  readonly named: Readonly<Record<(typeof NAMED)[number], bigint>>;
  /** Of all accounts; 0 when the books are right. */
  readonly sum: bigint;
}

interface Found {
  readonly id: string;
  readonly key: string;
}

const AVAILABLE = /^available\/(.+)$/;
const RESERVED = /^reserved\/(.+)$/;
const PAGE = 500;
const EMPTY: Account = { available: '0', reserved: '0' };

export function available(agent: string): string {
  return `available/${agent}`;
}

export function reserved(agent: string): string {
  return `reserved/${agent}`;
}

/** Both sides of one amount. */
export function sides({ debit, credit }: { readonly debit: string; readonly credit: string }, amount: bigint): Line[] {
  return [
    { account: debit, amount },
    { account: credit, amount: -amount },
  ];
}

/** Double entry: every entry names both sides, and all accounts together are zero. */
export class Books {
  readonly #space: Space;

  constructor(space: Space) {
    this.#space = space;
  }

  /** Writes an entry in the caller's transaction. Throws `insufficient_funds` where an agent would have less than nothing. */
  post(tx: Tx, { kind, ref, lines }: Entry): void {
    const counted = lines.filter(({ amount }) => amount !== 0n);
    if (counted.reduce((sum, { amount }) => sum + amount, 0n) !== 0n)
      throw new RangeError(`${kind} ${ref} does not balance`);
    for (const line of counted) apply(tx, line);
    const entry: StoredEntry = {
      ...{ at: tx.now, kind, ref },
      lines: counted.map(({ account, amount }) => ({ account, amount: amount.toString() })),
    };
    tx.append(journal, entry);
  }

  async balance(agent: string): Promise<Balance> {
    return balanceOf(await this.#space.get(accounts.ref(agent)));
  }

  /** Every account, added up. Entries that come meanwhile can show as a difference; then it is done again. */
  async standing(): Promise<Standing> {
    for (let attempt = 1; ; attempt++) {
      const before = await this.#newest();
      const found = await this.#addUp();
      if (attempt === 5 || (await this.#newest()) === before) return found;
    }
  }

  async #newest(): Promise<number> {
    return (await this.#space.page(journal, { limit: 1 }))[0]?.id ?? 0;
  }

  async #addUp(): Promise<Standing> {
    let agents = 0n;
    for (let after: Found | undefined; ; ) {
      const page = await this.#space.page(accounts, { limit: PAGE, ...(after && { after }) });
      for (const { value } of page) agents += BigInt(value.available) + BigInt(value.reserved);
      if (page.length < PAGE) break;
      after = page.at(-1);
    }
    const totals = await this.#space.totals(NAMED.map((name) => sums.ref(name)));
    const named = Object.fromEntries(NAMED.map((name, index) => [name, totals[index]!])) as Standing['named'];
    return { agents, named, sum: totals.reduce((sum, total) => sum + total, 0n) - agents };
  }
}

function apply(tx: Tx, { account, amount }: Line): void {
  const [agent, part] = agentOf(account);
  if (agent === undefined) {
    tx.add(sums.ref(account), amount);
    return;
  }
  const ref = accounts.ref(agent);
  const [before = EMPTY] = tx.pull([ref]);
  // The balance of an agent is owed to it: a credit adds.
  const value = BigInt(before[part]) - amount;
  if (value < 0n)
    throw new MeshError('insufficient_funds', `The billing balance is too low: ${-value} minor units are missing.`);
  tx.put(ref, { ...before, [part]: value.toString() });
}

function agentOf(account: string): [agent: string | undefined, part: keyof Account] {
  const agent = AVAILABLE.exec(account)?.[1];
  return agent === undefined ? [RESERVED.exec(account)?.[1], 'reserved'] : [agent, 'available'];
}

/** An agent that never had anything has no account. */
export function balanceOf(account: Account = EMPTY): Balance {
  return { available: BigInt(account.available), reserved: BigInt(account.reserved) };
}
