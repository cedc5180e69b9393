import type { SchemaTypes } from '../../../schemas/types.ts';
import type { Logged } from '../../storage/pages.ts';
import type { Space } from '../../storage/space.ts';
import { agentIdFrom } from '../agent-param.ts';
import { activity, activityPosting, type StoredActivity } from '../store/logs.ts';

type Query = SchemaTypes['activity-query'];

const KINDS = ['JOIN', 'ACCEPT', 'DELIVER', 'REJECT', 'VERDICT', 'DISPUTE', 'FEEDBACK'] as const;
const PAGE = 200;
/** The most events of one conversation that one request reads to find those of an agent or kind. */
const MOST_READ = 2_000;

export function isFiltered({ agent_id, conversation_id, type }: Query): boolean {
  return agent_id !== undefined || conversation_id !== undefined || type !== undefined;
}

/** Events of an agent on either side, of a conversation, of a kind, or of all that are given; newest first. */
export async function filteredActivity(
  space: Space,
  { agent_id, conversation_id, type, limit = 50, before }: Query,
): Promise<Logged<StoredActivity>[]> {
  const agent = agent_id === undefined ? undefined : agentIdFrom(agent_id);
  if (conversation_id === undefined) {
    const of = agent === undefined ? {} : { agent };
    const kinds = type === undefined ? KINDS : [type];
    const pages = await Promise.all(
      kinds.map((kind) => space.page(activity, { posting: activityPosting({ ...of, type: kind }), limit, before })),
    );
    return pages
      .flat()
      .sort((one, other) => other.id - one.id)
      .slice(0, limit);
  }
  const posting = activityPosting({ conversation: conversation_id.toLowerCase() });
  const found: Logged<StoredActivity>[] = [];
  for (let read = 0, last = before; read < MOST_READ && found.length < limit; read += PAGE) {
    const rows = await space.page(activity, { posting, limit: PAGE, before: last });
    found.push(...rows.filter(({ record }) => isWanted(record, agent, type)));
    last = rows.at(-1)?.id;
    if (rows.length < PAGE) break;
  }
  return found.slice(0, limit);
}

function isWanted({ event_type, ...sides }: StoredActivity, agent: string | undefined, type: Query['type']): boolean {
  if (type !== undefined && event_type !== type) return false;
  return agent === undefined || sides.agent_id === agent || sides.target_agent_id === agent;
}
