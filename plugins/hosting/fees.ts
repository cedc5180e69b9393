import { randomUUID } from 'node:crypto';
import { type Log, OneByOne } from '../../core/plugin.ts';
import type { Clock, LocalAgent, LocalAgents, MessageStatus, Space } from '../../core/services.ts';
import type { Accounts } from './accounts.ts';
import { type Hold, holds } from './records.ts';

/** Of a message that belongs to none. */
export const NO_CONVERSATION = '0'.repeat(32);
const BASIS = 10_000n;
/** Longest pause between two looks at a message that is not delivered yet. */
const LONGEST = 60_000;
const FIRST = 2_000;
const PAGE = 100;
/** Milliseconds that a signed message, which is valid for four epochs of a day, is remembered at least. */
const REMEMBERED = 10 * 86_400_000;

export interface FeeMeans {
  readonly space: Space;
  readonly clock: Clock;
  readonly log: Log;
  readonly agents: Pick<LocalAgents, 'get'>;
  readonly accounts: Accounts;
  readonly feeBps: number;
}

/** A message that an agent is about to send. */
export interface Priced {
  readonly agent: LocalAgent;
  readonly msg_type: string;
  readonly conversation_id: string;
  /** The minor units of USDC that it offers or accepts. */
  readonly amount: bigint;
  /** Of the call, where it may be repeated. */
  readonly operationId: string | undefined;
}

export interface Sent {
  readonly envelope_id: string;
  readonly status: MessageStatus;
}

/** Sets the fee of an amount aside, in minor units; rejects where the account does not hold it. */
type Price = (amount: bigint) => Promise<void>;

/**
 * The fees of hosted messages: set aside before a message is signed, earned when it is delivered, and given back when it never will be. Which of
 * these happened is asked of the agent's own records, so a crash at any moment leaves nothing charged twice, and nothing set aside for ever.
 */
export class Fees {
  readonly #means: FeeMeans;
  /** Holds whose messages are being sent now: they are not looked after. */
  readonly #sending = new Set<string>();
  /** Messages of one agent in one conversation: which of two holds a message was made for shows in their order alone. */
  readonly #turns = new OneByOne();

  constructor(means: FeeMeans) {
    this.#means = means;
  }

  /** In minor units, rounded down. */
  feeOf(amount: bigint): bigint {
    return (amount * BigInt(this.#means.feeBps)) / BASIS;
  }

  /** Sends a message whose amount is known. */
  send<T extends Sent>(message: Priced, send: () => Promise<T>): Promise<T> {
    return this.sendPriced(message, async (price) => {
      await price(message.amount);
      return send();
    });
  }

  /** Sends a message whose amount turns out on the way: `send` calls `price` before anything is signed. */
  sendPriced<T extends Sent>(message: Omit<Priced, 'amount'>, send: (price: Price) => Promise<T>): Promise<T> {
    const work = () => this.#sendPriced(message, send);
    // Messages outside of conversations have no price, and need not wait for each other.
    if (message.conversation_id === NO_CONVERSATION) return work();
    return this.#turns.run(turnOf(message.agent.id, message), work);
  }

  async #sendPriced<T extends Sent>(
    { agent, msg_type, conversation_id, operationId }: Omit<Priced, 'amount'>,
    send: (price: Price) => Promise<T>,
  ): Promise<T> {
    const { accounts } = this.#means;
    const id = operationId === undefined ? randomUUID() : await accounts.holdOf(operationId);
    let isHeld = false;
    this.#sending.add(id);
    try {
      const sent = await send(async (amount) => {
        const fee = this.feeOf(amount);
        if (fee === 0n) return;
        await accounts.reserve({ id, agent_id: agent.id, msg_type, conversation_id, fee });
        isHeld = true;
      });
      if (isHeld) await this.#settle(id, sent);
      return sent;
    } catch (error) {
      if (isHeld) await this.#look(id).catch((thrown: unknown) => this.#failed(thrown));
      throw error;
    } finally {
      this.#sending.delete(id);
    }
  }

  /** Looks after the holds that are due; gives when the next one is. */
  async run(signal: AbortSignal): Promise<number> {
    const { space, clock } = this.#means;
    const found = await space.page(holds, { index: 'due', to: [clock.now() + 1], limit: PAGE });
    for (const { id, value } of found) {
      if (signal.aborted) break;
      if (this.#sending.has(id)) continue;
      await this.#turns
        .run(turnOf(value.agent_id, value), () => this.#look(id))
        .catch((error: unknown) => this.#failed(error));
    }
    const [next] = await space.page(holds, { index: 'due', limit: 1 });
    return next?.value.due ?? Number.POSITIVE_INFINITY;
  }

  /** Ends the holds of an agent that goes away: its messages are not sent any more. */
  async close(agent: string): Promise<void> {
    const { space, accounts } = this.#means;
    for (;;) {
      const found = await space.page(holds, { index: 'agent', prefix: [agent], limit: PAGE });
      for (const { id } of found) {
        await this.#look(id);
        await accounts.release(id);
      }
      if (found.length < PAGE) return;
    }
  }

  async #look(id: string): Promise<void> {
    const { space, clock, agents, accounts } = this.#means;
    const hold = await space.get(holds.ref(id));
    if (hold?.state !== 'open') return;
    const agent = agents.get(hold.agent_id);
    if (!agent) return accounts.release(id);
    const envelope_id = hold.envelope_id ?? (await this.#sentFor(hold, agent));
    if (envelope_id === undefined) return accounts.release(id);
    const status = await agent.status(envelope_id);
    if (status !== undefined) return this.#settle(id, { envelope_id, status });
    if (clock.now() - hold.created_at > REMEMBERED) return accounts.release(id);
    await this.#note(id, envelope_id);
  }

  /** The message that a hold was made for, where it was signed before a crash: a step of its deal that no other hold paid for. */
  async #sentFor({ msg_type, agent_id, conversation_id, created_at }: Hold, agent: LocalAgent) {
    const { space } = this.#means;
    const deal = await agent.deals.get(conversation_id).catch(() => undefined);
    for (const { event, by, at, envelope_id } of deal?.history ?? []) {
      if (event.toUpperCase() !== msg_type || by !== agent_id || envelope_id === undefined) continue;
      if (Date.parse(at) < created_at) continue;
      const paid = await space.page(holds, { index: 'envelope', prefix: [envelope_id], limit: 1 });
      if (paid.length === 0) return envelope_id;
    }
    return undefined;
  }

  async #settle(id: string, { envelope_id, status }: Sent): Promise<void> {
    const { accounts, space } = this.#means;
    const paid = await space.page(holds, { index: 'envelope', prefix: [envelope_id], limit: 2 });
    // A repeated call was answered with the message of the first one.
    if (paid.some((other) => other.id !== id)) return accounts.release(id);
    if (status === 'delivered' || status === 'broadcast') return accounts.charge(id, envelope_id);
    if (status === 'refused' || status === 'expired') return accounts.release(id);
    await this.#note(id, envelope_id);
  }

  /** Remembers the message of a hold, and when to look again. */
  async #note(id: string, envelope_id: string): Promise<void> {
    const ref = holds.ref(id);
    await this.#means.space.tx([ref], (tx) => {
      const hold = tx.get(ref);
      if (hold?.state !== 'open') return;
      const pause = Math.min(LONGEST, FIRST * 2 ** Math.min(hold.looks, 10));
      tx.put(ref, { ...hold, envelope_id, looks: hold.looks + 1, due: tx.now + pause });
    });
  }

  #failed(error: unknown): void {
    this.#means.log.warn({ error }, 'a fee is looked after again later');
  }
}

function turnOf(agent: string, { conversation_id }: Pick<Hold, 'conversation_id'>): string {
  return `${agent}/${conversation_id}`;
}
