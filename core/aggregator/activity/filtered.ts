import type { SchemaTypes } from '../../../schemas/types.ts';
import type { Logged } from '../../storage/pages.ts';
import type { Space } from '../../storage/space.ts';
import { agentIdFrom } from '../agent-param.ts';
import type { Choice } from '../live/feed.ts';
import { activity, activityPosting, type StoredActivity } from '../store/logs.ts';
import { newestOf, type Part } from './newest.ts';

type Kind = StoredActivity['event_type'];
type Query = Pick<SchemaTypes['activity-query'], 'agent_id' | 'conversation_id' | 'type' | 'event_type'>;

/** The events that somebody wants: those of an agent on either side, of a conversation, of a kind, or of all that are named. */
export interface Wanted {
  readonly agent?: string | undefined;
  readonly conversation?: string | undefined;
  readonly kind?: Kind | undefined;
}

const KINDS = ['JOIN', 'ACCEPT', 'DELIVER', 'REJECT', 'VERDICT', 'DISPUTE', 'FEEDBACK', 'KEY_CHANGE'] as const;
const PAGE = 200;
/** The most events of one conversation that one request reads to find those of an agent or kind. */
const MOST_READ = 2_000;

/** Undefined when all events are wanted. */
export function wantedIn({ agent_id, conversation_id, type, event_type = type }: Query): Wanted | undefined {
  if (agent_id === undefined && conversation_id === undefined && event_type === undefined) return undefined;
  return {
    agent: agent_id === undefined ? undefined : agentIdFrom(agent_id),
    conversation: conversation_id?.toLowerCase(),
    kind: event_type,
  };
}

/** The events that somebody wants, for a live feed. */
export function chosen(space: Space, wanted: Wanted): Choice<StoredActivity> {
  return { has: (event) => isWanted(wanted, event), after: (cursor) => wantedAfter(space, wanted, cursor) };
}

function isWanted({ agent, conversation, kind }: Wanted, event: StoredActivity): boolean {
  if (kind !== undefined && event.event_type !== kind) return false;
  if (conversation !== undefined && event.conversation_id !== conversation) return false;
  return agent === undefined || event.agent_id === agent || event.target_agent_id === agent;
}

/** Newest first. */
export async function wantedBefore(
  space: Space,
  wanted: Wanted,
  { limit, before }: Part,
): Promise<Logged<StoredActivity>[]> {
  if (wanted.conversation === undefined) return newestOf(space, activity, postingsOf(wanted), { limit, before });
  const posting = activityPosting({ conversation: wanted.conversation });
  const found: Logged<StoredActivity>[] = [];
  for (let read = 0, last = before; read < MOST_READ && found.length < limit; read += PAGE) {
    const rows = await space.page(activity, { posting, limit: PAGE, before: last });
    found.push(...rows.filter(({ record }) => isWanted(wanted, record)));
    last = rows.at(-1)?.id;
    if (rows.length < PAGE) break;
  }
  return found.slice(0, limit);
}

async function wantedAfter(space: Space, wanted: Wanted, after: number): ReturnType<Choice<StoredActivity>['after']> {
  const limit = PAGE;
  const found =
    wanted.conversation === undefined
      ? (await firstOfKinds(space, wanted, { limit, after })).sort((one, other) => one.id - other.id).slice(0, limit)
      : await space.page(activity, { posting: activityPosting({ conversation: wanted.conversation }), limit, after });
  const rows = found.filter(({ record }) => isWanted(wanted, record));
  return { rows, upTo: found.at(-1)?.id ?? after, more: found.length === limit };
}

/** The pages of all kinds side by side: together they hold the first `limit` events. */
async function firstOfKinds(
  space: Space,
  wanted: Wanted,
  part: { readonly limit: number; readonly after: number },
): Promise<Logged<StoredActivity>[]> {
  const pages = await Promise.all(postingsOf(wanted).map((posting) => space.page(activity, { posting, ...part })));
  return pages.flat();
}

/** Each event of an agent, or of all, has the posting of its kind. */
function postingsOf({ agent, kind }: Wanted): readonly string[] {
  const of = agent === undefined ? {} : { agent };
  return (kind === undefined ? KINDS : [kind]).map((type) => activityPosting({ ...of, type }));
}
