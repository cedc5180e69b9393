import { MeshError } from '../../contracts/errors.ts';
import { Store } from '../../internal-services.ts';
import { defineFace, route } from '../../plugin.ts';
import type { Space } from '../../storage/space.ts';
import { agentIdFrom } from '../agent-param.ts';
import { READS } from '../limits.ts';
import { SPACE } from '../providers.ts';
import { agents } from '../store/agents.ts';
import { sleepers } from '../store/sleepers.ts';

const DONE_FOR_SLEEPERS = { holds_messages: false, pushes: false };
const ASLEEP =
  'This aggregator shows that the agent sleeps, and does no more: it holds no messages and wakes no device. The nodes of senders try again for four epochs.';
const AWAKE = 'This aggregator shows that the agent is awake. It held no messages while the agent slept.';

/** Which agents sleep, as they say themselves. */
export const sleepFace = defineFace({
  uses: { store: Store },
  routes: {
    set_sleeping: route('POST /push/sleep', {
      auth: 'agent',
      summary: 'An agent says that it goes to sleep, or that it is awake again; it is shown, and no more is done',
      body: 'sleep-request',
      reply: 'sleep-answer',
      errors: ['forbidden', 'not_found'],
      idempotency: true,
      limit: { per: 'ip', rate: 600, window: 60 },
    }),
    agent_sleeping: route('GET /agents/:agent_id/sleeping', {
      auth: 'open',
      summary: 'Whether an agent sleeps; one that nobody has heard of is awake',
      params: { agent_id: 'agent-id' },
      reply: 'sleep-state',
      limit: READS,
    }),
  },
  setup({ store }) {
    const space: Space = store.space(SPACE);
    return {
      routes: {
        async set_sleeping({ body: { agent_id, sleeping }, principal, operationId }) {
          const id = agentIdFrom(agent_id);
          if (id !== principal.id) throw new MeshError('forbidden', 'Only the agent itself says whether it sleeps.');
          const [known, sleeper] = [agents.ref(id), sleepers.ref(id)];
          await space.tx(
            [known, sleeper],
            (tx) => {
              if (!tx.get(known)) throw new MeshError('not_found', 'This aggregator has not heard of that agent.');
              if (!sleeping) tx.del(sleeper);
              else if (!tx.get(sleeper)) tx.put(sleeper, { since: tx.now });
            },
            { opId: operationId },
          );
          return { sleeping, ...DONE_FOR_SLEEPERS, detail: sleeping ? ASLEEP : AWAKE };
        },
        agent_sleeping: async ({ params }) => ({
          sleeping: (await space.get(sleepers.ref(agentIdFrom(params.agent_id)))) !== undefined,
        }),
      },
    };
  },
});
