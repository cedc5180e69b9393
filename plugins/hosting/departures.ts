import { MeshError } from '../../core/plugin.ts';
import type { LocalAgent, MoveNotice, NamedSuccessor } from '../../core/services.ts';
import type { Sessions } from './sessions.ts';

const OPEN = ['proposed', 'countered', 'accepted', 'delivered', 'disputed', 'contested', 'decided'] as const;

/**
 * Agents that are about to move. Deals belong to keys, so none is open when an agent leaves, unless its client gives them up: not when the successor is named,
 * and not when it takes over, since until then none begins.
 */
export class Departures {
  readonly #sessions: Sessions;
  /** Agents that are being asked whether they have deals. */
  readonly #asked = new Set<string>();
  /** Steps that are under way by which an agent may get a deal. */
  readonly #dealing = new Map<string, number>();

  constructor(sessions: Sessions) {
    this.#sessions = sessions;
  }

  /** Names the key at another host that an agent goes on under. While deals are open it is refused unless its client gives them up. */
  async name(agent: LocalAgent, named: NamedSuccessor, abandon: boolean): Promise<MoveNotice> {
    if (agent.successor !== undefined) return agent.nameSuccessor(named);
    if (abandon) {
      const notice = await agent.nameSuccessor(named);
      await this.#sessions.keepDeals(agent.id, false);
      return notice;
    }
    if (this.#dealing.has(agent.id) || this.#asked.has(agent.id))
      throw new MeshError('conflict', 'A deal of this agent is being made, or its move: try again when that is done.');
    this.#asked.add(agent.id);
    try {
      await requireNoDeals(agent);
      // Before the successor is named: after a crash in between it makes no difference to an agent that nobody can take over.
      await this.#sessions.keepDeals(agent.id, true);
      return await agent.nameSuccessor(named);
    } finally {
      this.#asked.delete(agent.id);
    }
  }

  /** A step by which the agent may get a deal; refused while a key may take it over that was named without giving deals up. */
  async deal<T>(agent: LocalAgent, step: () => Promise<T>): Promise<T> {
    this.#count(agent.id, 1);
    try {
      const isNamed = agent.successor === undefined && agent.pendingSuccessors.length > 0;
      if (this.#asked.has(agent.id) || (isNamed && (await this.#sessions.get(agent.id))?.keeps_deals)) throw leaving();
      return await step();
    } finally {
      this.#count(agent.id, -1);
    }
  }

  #count(id: string, more: number): void {
    const count = (this.#dealing.get(id) ?? 0) + more;
    if (count > 0) this.#dealing.set(id, count);
    else this.#dealing.delete(id);
  }
}

async function requireNoDeals(agent: LocalAgent): Promise<void> {
  const pages = await Promise.all(OPEN.map((state) => agent.deals.page({ state, limit: 1 })));
  const [open] = pages.flatMap(({ deals }) => deals);
  if (open)
    throw new MeshError(
      'conflict',
      `The deal ${open.conversation_id} is ${open.state}: end all deals first, or give them up with abandon_deals.`,
    );
}

function leaving(): MeshError {
  return new MeshError(
    'conflict',
    'This agent is about to move and makes no deals: take over with its successor, or name that again with abandon_deals.',
  );
}
