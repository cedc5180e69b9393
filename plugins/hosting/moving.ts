import { MeshError } from '../../core/plugin.ts';
import type { LocalAgent, MoveNotice, NamedSuccessor } from '../../core/services.ts';
import { idOf } from './agent-id.ts';

const OPEN = ['proposed', 'countered', 'accepted', 'delivered', 'disputed', 'contested', 'decided'] as const;

/** Names the key at another host that an agent goes on under. Deals belong to keys: while some are open it is refused unless its client gives them up. */
export async function moveAway(agent: LocalAgent, named: NamedSuccessor, abandon: boolean): Promise<MoveNotice> {
  if (agent.successor === undefined && !abandon) {
    const pages = await Promise.all(OPEN.map((state) => agent.deals.page({ state, limit: 1 })));
    const [open] = pages.flatMap(({ deals }) => deals);
    if (open)
      throw new MeshError(
        'conflict',
        `The deal ${open.conversation_id} is ${open.state}: end all deals first, or give them up with abandon_deals.`,
      );
  }
  return agent.nameSuccessor(named);
}

/** The notice with all keys in base58, as a client may have written them in hex. */
export function noticeOf({ claim, ...notice }: MoveNotice): MoveNotice {
  return {
    ...notice,
    agent_id: idOf(notice.agent_id, '/agent_id'),
    successor: idOf(notice.successor, '/successor'),
    claim: {
      ...claim,
      host: idOf(claim.host, '/claim/host'),
      recovery_key: idOf(claim.recovery_key, '/claim/recovery_key'),
    },
  };
}
