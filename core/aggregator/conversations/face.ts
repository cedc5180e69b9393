import { MeshError } from '../../contracts/errors.ts';
import { Store } from '../../internal-services.ts';
import { defineFace, route } from '../../plugin.ts';
import type { Space } from '../../storage/space.ts';
import { activityEvent } from '../activity/view.ts';
import { escrowView, ledgerEvent } from '../ledger/view.ts';
import { READS } from '../limits.ts';
import { SPACE } from '../providers.ts';
import { escrows, ledgerEvents } from '../store/ledger.ts';
import { activity, activityPosting } from '../store/logs.ts';
import { isoTime } from '../times.ts';

const MOST_ESCROWS = 50;

/** The public facts of one conversation in one answer. */
export const conversationsFace = defineFace({
  uses: { store: Store },
  routes: {
    conversation: route('GET /conversations/:conversation_id', {
      auth: 'open',
      summary: 'What is known of one conversation, newest first: signed events, the ledger and its escrows',
      params: { conversation_id: 'conversation-id' },
      query: 'conversation-query',
      reply: 'public-conversation',
      errors: ['not_found'],
      limit: READS,
    }),
  },
  setup({ store }) {
    const space: Space = store.space(SPACE);
    return {
      routes: {
        conversation: async ({ params, query: { limit = 50 } }) => {
          const id = params.conversation_id.replaceAll('-', '').toLowerCase();
          const [signed, settled, locked] = await Promise.all([
            space.page(activity, { posting: activityPosting({ conversation: id }), limit }),
            space.page(ledgerEvents, { posting: id, limit }),
            space.page(escrows, { index: 'conversation', prefix: [id], limit: MOST_ESCROWS }),
          ]);
          if (signed.length + settled.length + locked.length === 0)
            throw new MeshError('not_found', 'This aggregator has not heard of that conversation.');
          const timeline = [
            ...signed.map((row) => ({
              ...{ time: row.record.at, kind: 'activity' as const, event: row.record.event_type },
              activity: activityEvent(row),
            })),
            ...settled.map((row) => ({
              ...{ time: row.record.at, kind: 'ledger' as const, event: row.record.name },
              ledger: ledgerEvent(row),
            })),
          ]
            .sort((one, other) => other.time - one.time)
            .slice(0, limit)
            .map(({ time, ...entry }) => ({ at: isoTime(time), ...entry }));
          const sides = [
            ...signed.flatMap(({ record: { agent_id, target_agent_id } }) => [agent_id, target_agent_id ?? agent_id]),
            ...locked.flatMap(({ value: { requester, provider } }) => [requester, provider]),
          ];
          const agents = [...new Set(sides)].sort();
          return {
            conversation_id: id,
            agents,
            timeline,
            escrows: locked.map(({ value }) => escrowView(value)),
            links: {
              activity: `/activity?conversation_id=${id}`,
              ledger_events: `/ledger/events?conversation_id=${id}`,
              escrows: `/escrows/${id}`,
              agents: agents.map((agent) => `/agents/${agent}/profile`),
            },
          };
        },
      },
    };
  },
});
