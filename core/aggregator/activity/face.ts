import { Store } from '../../internal-services.ts';
import { defineFace, preparedJson, route, stream } from '../../plugin.ts';
import { Clock } from '../../services.ts';
import type { Logged } from '../../storage/pages.ts';
import type { Space } from '../../storage/space.ts';
import { View } from '../../storage/view.ts';
import { agentIdFrom } from '../agent-param.ts';
import { OPENINGS, READS } from '../limits.ts';
import { LiveFeed } from '../live/feed.ts';
import { Pages } from '../pages.ts';
import { SPACE } from '../providers.ts';
import { activity, type StoredActivity } from '../store/logs.ts';
import { chosen, wantedBefore, wantedIn } from './filtered.ts';
import { type Interaction, listInteractions, listInvolving } from './interactions.ts';
import { activityEvent } from './view.ts';

/** The activity feed, as pages and live, and the ratings behind the scores. */
export const activityFace = defineFace({
  uses: { store: Store, clock: Clock },
  routes: {
    list_activity: route('GET /activity', {
      auth: 'open',
      summary: 'Activity events, newest first: all, or those of an agent, a conversation or a kind',
      query: 'activity-query',
      reply: 'activity-page',
      limit: READS,
    }),
    watch_activity: stream('/ws/activity', {
      auth: 'open',
      summary:
        'Activity events as they are indexed, all or those of an agent, a conversation or a kind; with since, everything behind that event first',
      query: 'activity-stream-query',
      frame: 'activity-event',
      limit: OPENINGS,
    }),
    list_interactions: route('GET /interactions', {
      auth: 'open',
      summary: 'Ratings that count, newest first',
      query: 'interactions-query',
      reply: 'interactions',
      limit: READS,
    }),
    list_agent_interactions: route('GET /interactions/by/:agent_id', {
      auth: 'open',
      summary: 'Ratings an agent gave or got, newest first',
      params: { agent_id: 'agent-id' },
      query: 'agent-interactions-query',
      reply: 'interactions',
      limit: READS,
    }),
  },
  async setup({ store, clock }, { log, signal, defer }) {
    const space: Space = store.space(SPACE);
    // Events never change, and most clients ask for the newest.
    const texts = new View((record: StoredActivity, id: number) => JSON.stringify(activityEvent({ id, record })));
    const textOf = ({ id, record }: Logged<StoredActivity>) => texts.of(record, id);
    const pages = new Pages<string>(space);
    const feed = new LiveFeed(space, { log: activity, eventOf: activityEvent });
    defer(await feed.start(clock, log, signal));
    return {
      routes: {
        list_activity: async ({ query }) => {
          const { limit = 50, before } = query;
          const wanted = wantedIn(query);
          if (wanted) return (await wantedBefore(space, wanted, { limit, before })).map(activityEvent);
          const text = await pages.of(`${limit} ${before ?? ''}`, 0, async () => {
            const events = await space.page(activity, { limit, before });
            return `[${events.map(textOf).join()}]`;
          });
          return preparedJson(text);
        },
        watch_activity({ query, signal: gone }) {
          const wanted = wantedIn(query);
          return wanted ? feed.matching(chosen(space, wanted), query.since, gone) : feed.frames(query.since, gone);
        },
        list_interactions: async ({ query: { from, to, limit = 100, before } }) => {
          const sides = {
            from: from === undefined ? undefined : agentIdFrom(from, 'from'),
            to: to === undefined ? undefined : agentIdFrom(to, 'to'),
          };
          const text = await pages.of(`ratings ${sides.from} ${sides.to} ${limit} ${before}`, 0, async () =>
            JSON.stringify(await listInteractions(space, { ...sides, limit, before })),
          );
          return preparedJson<Interaction[]>(text);
        },
        list_agent_interactions: ({ params, query: { limit = 100, before } }) =>
          listInvolving(space, agentIdFrom(params.agent_id), { limit, before }),
      },
    };
  },
});
