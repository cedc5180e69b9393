import type { SchemaTypes } from '../../../schemas/types.ts';
import { ClientError } from '../../client/client-error.ts';
import type { NodeClient } from '../../client/node-client.ts';

export type Deal = SchemaTypes['deal-view'];
type State = SchemaTypes['deal-state'];

/** In the order in which a deal goes through them: one that moves while the pages are read is met twice, never missed. */
const OPEN: readonly State[] = ['proposed', 'countered', 'accepted', 'delivered'];

/** Finds the deals that wait for an agent, however many others its node has. */
export class DealWatch {
  readonly #node: NodeClient;
  readonly #isMine: (deal: Deal) => boolean;
  #looked = false;

  constructor(node: NodeClient, isMine: (deal: Deal) => boolean) {
    this.#node = node;
    this.#isMine = isMine;
  }

  /** The agent's deals that are open, or settled and not rated by it. */
  async look(): Promise<Deal[]> {
    const found = new Map<string, Deal>();
    for (const state of OPEN) {
      for await (const deal of this.#in(state)) found.set(deal.conversation_id, deal);
    }
    for await (const deal of this.#in('settled', !this.#looked)) {
      if (isUnrated(deal)) found.set(deal.conversation_id, deal);
    }
    this.#looked = true;
    return [...found.values()].filter(this.#isMine);
  }

  /** Whether nothing is left to do in a conversation: it is no deal, or one of the agent's that has ended. */
  async isOver(conversation: string): Promise<boolean> {
    try {
      const deal = await this.#node.deal(conversation);
      return this.#isMine(deal) && !OPEN.includes(deal.state) && !isUnrated(deal);
    } catch (error) {
      if (error instanceof ClientError && error.status === 404) return true;
      throw error;
    }
  }

  /** The deals in a state. Settled ones are read whole only at the first look; later looks read the newest page. */
  async *#in(state: State, all = true): AsyncGenerator<Deal> {
    let before: string | null | undefined;
    do {
      const page = await this.#node.deals({ state, limit: 50, ...(before && { before }) });
      yield* page.deals;
      before = page.next;
    } while (all && before);
  }
}

function isUnrated(deal: Deal): boolean {
  return deal.state === 'settled' && deal.allowed_actions.includes('feedback');
}
