import { amountJson, formatUsdc, invalidField, MAX_USDC, MeshError } from '../../core/plugin.ts';
import type { Clock, Space, Tx } from '../../core/services.ts';
import {
  type Account,
  accounts,
  HOLD_KNOWN_FOR,
  type Hold,
  holds,
  house,
  type Line,
  lineRef,
  lines,
} from './records.ts';

/** Milliseconds until a fee is looked after that nobody settled at once. */
const FIRST_LOOK = 2_000;
/** Milliseconds for which the store knows a call by its key. */
const CALL_KNOWN_FOR = 24 * 3_600_000;

export interface Movement {
  readonly amount: bigint;
  readonly reference: string;
  /** Makes a repeated call harmless. */
  readonly operationId: string | undefined;
}

export interface Balance {
  readonly available: bigint;
  readonly held: bigint;
}

export type NewHold = Pick<Hold, 'id' | 'agent_id' | 'msg_type' | 'conversation_id'> & { readonly fee: bigint };

/**
 * The prepaid accounts of hosted agents. Every movement is posted twice, in one transaction: to the account, and to `house`. At any moment
 * available and held amounts of all accounts together are what was credited, less what was debited and earned as fees.
 */
export class Accounts {
  readonly #space: Space;
  readonly #clock: Pick<Clock, 'now'>;

  constructor(space: Space, clock: Pick<Clock, 'now'>) {
    this.#space = space;
    this.#clock = clock;
  }

  async balance(agent: string): Promise<Balance> {
    const { available, held } = (await this.#space.get(accounts.ref(agent))) ?? fresh(agent);
    return { available: BigInt(available), held: BigInt(held) };
  }

  /** The newest line first. */
  async statement(agent: string, limit: number, before?: number): Promise<Line[]> {
    const from = before === undefined ? {} : { from: [-before + 1] };
    const found = await this.#space.page(lines, { index: 'newest', prefix: [agent], ...from, limit });
    return found.map(({ value }) => value);
  }

  /** Puts money into an account that its client has paid to the operator. */
  credit(agent: string, movement: Movement): Promise<Line> {
    return this.#move(agent, 'credit', movement);
  }

  /** Takes money out that the operator has paid back. Rejects with `insufficient_funds`. */
  debit(agent: string, movement: Movement): Promise<Line> {
    return this.#move(agent, 'debit', movement);
  }

  /**
   * The hold of a call that may be repeated. Another one once the store has forgotten the call, for then the same key
   * sends another message.
   */
  async holdOf(operation: string): Promise<string> {
    for (let count = 1, id = operation; ; count += 1, id = `${operation}/${count}`) {
      const known = await this.#space.get(holds.ref(id));
      if (!known || known.state === 'released' || this.#clock.now() - known.created_at < CALL_KNOWN_FOR) return id;
    }
  }

  /**
   * Sets the fee of a message aside. The same id again is the same hold; one that was released is taken up anew. Rejects with
   * `insufficient_funds`, which names the missing amount.
   */
  async reserve({ fee, ...hold }: NewHold): Promise<void> {
    const [account, ref] = [accounts.ref(hold.agent_id), holds.ref(hold.id)];
    await this.#space.tx([account, ref], (tx) => {
      const known = tx.get(ref);
      if (known && known.state !== 'released') return;
      const before = tx.get(account) ?? fresh(hold.agent_id);
      const left = BigInt(before.available) - fee;
      if (left < 0n) throw missing(fee, BigInt(before.available));
      tx.put(account, { ...before, available: `${left}`, held: `${BigInt(before.held) + fee}` });
      const times = { created_at: tx.now, due: tx.now + FIRST_LOOK, looks: 0 };
      tx.put(ref, { ...hold, fee: `${fee}`, state: 'open', ...times });
    });
  }

  /** The message of a hold was delivered: the fee is earned. Changes nothing once the hold has ended. */
  async charge(id: string, envelope_id: string): Promise<void> {
    await this.#end(id, (tx, hold, account) => {
      const { fee, agent_id, conversation_id, msg_type } = hold;
      const held = BigInt(account.held) - BigInt(fee);
      const balance = `${BigInt(account.available) + held}`;
      const number = account.lines + 1;
      const line = { agent_id, number, at: tx.now, kind: 'fee', amount: fee, balance, reference: msg_type } as const;
      tx.put(lineRef(agent_id, number), { ...line, conversation_id, envelope_id });
      tx.put(accounts.ref(agent_id), { ...account, held: `${held}`, lines: number });
      tx.add(house.ref('fees'), BigInt(fee));
      tx.put(holds.ref(id), { ...hold, envelope_id, state: 'charged' }, { ttl: HOLD_KNOWN_FOR });
    });
  }

  /** The message of a hold will never be delivered: the fee is available again. */
  async release(id: string): Promise<void> {
    await this.#end(id, (tx, hold, account) => {
      const fee = BigInt(hold.fee);
      const [available, held] = [BigInt(account.available) + fee, BigInt(account.held) - fee];
      tx.put(accounts.ref(hold.agent_id), { ...account, available: `${available}`, held: `${held}` });
      tx.put(holds.ref(id), { ...hold, state: 'released' }, { ttl: HOLD_KNOWN_FOR });
    });
  }

  async #move(agent: string, kind: 'credit' | 'debit', { amount, reference, operationId }: Movement): Promise<Line> {
    const ref = accounts.ref(agent);
    const { value } = await this.#space.tx(
      [ref],
      (tx) => {
        const before = tx.get(ref) ?? fresh(agent);
        const available = BigInt(before.available) + (kind === 'credit' ? amount : -amount);
        if (available < 0n) throw missing(amount, BigInt(before.available));
        if (available + BigInt(before.held) > MAX_USDC)
          throw invalidField('/amount_usdc', 'makes the balance larger than any amount the protocol carries');
        const [number, balance] = [before.lines + 1, `${available + BigInt(before.held)}`];
        const line = { agent_id: agent, number, at: tx.now, kind, amount: `${amount}`, balance, reference };
        tx.put(ref, { ...before, available: `${available}`, lines: number });
        tx.put(lineRef(agent, number), line);
        tx.add(house.ref(kind === 'credit' ? 'credited' : 'debited'), amount);
        return line;
      },
      { opId: operationId },
    );
    return value;
  }

  async #end(id: string, ended: (tx: Tx, hold: Hold, account: Account) => void): Promise<void> {
    const ref = holds.ref(id);
    const known = await this.#space.get(ref);
    if (!known) return;
    const account = accounts.ref(known.agent_id);
    await this.#space.tx([ref, account], (tx) => {
      const hold = tx.get(ref);
      if (hold?.state === 'open') ended(tx, hold, tx.get(account) ?? fresh(hold.agent_id));
    });
  }
}

function fresh(agent_id: string): Account {
  return { agent_id, available: '0', held: '0', lines: 0 };
}

function missing(needed: bigint, available: bigint): MeshError {
  const lacking = needed - available;
  return new MeshError('insufficient_funds', {
    detail: `${formatUsdc(needed)} USDC are needed and ${formatUsdc(available)} are available in the prepaid account at this host: ${formatUsdc(lacking)} are missing.`,
    extra: {
      needed_usdc: formatUsdc(needed),
      available_usdc: formatUsdc(available),
      missing_usdc: formatUsdc(lacking),
      missing_usdc_micro: amountJson(lacking),
    },
  });
}
