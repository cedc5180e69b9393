import { definePlugin, route } from '../../plugin.ts';
import { Exempt } from '../exempt/exempt-agents.ts';
import { READS, STEPS } from '../limits.ts';
import { agentIdOf } from '../requests/addresses.ts';

const DEFAULT_LIMIT = 50;

/** The agents that the operator lets past the gates. */
export const exemptFace = definePlugin({
  name: 'exempt',
  api: '2.0',
  summary: 'Agents that pass the gates of this node whatever their lease, stake or registration.',
  node: {
    uses: { exempt: Exempt },
    routes: {
      list: route('GET /admin/exempt', {
        auth: 'api-secret',
        limit: READS,
        summary: 'The exempt agents, in the order of their ids.',
        query: 'exempt-query',
        reply: 'exempt-agents',
      }),
      add: route('POST /admin/exempt', {
        auth: 'api-secret',
        limit: STEPS,
        summary: 'Exempts an agent from the gates from now on, over restarts too; at most 10 000 are.',
        body: 'exempt-request',
        agentIds: 'as-given',
        reply: 'exempt-added',
        errors: ['conflict'],
      }),
      remove: route('DELETE /admin/exempt/:agent_id', {
        auth: 'api-secret',
        limit: STEPS,
        summary: 'Has the gates judge an agent again; one that is not exempt stays so.',
        params: { agent_id: 'agent-id' },
        agentIds: 'as-given',
        reply: 'done',
      }),
    },
    setup({ exempt }) {
      return {
        routes: {
          async list({ query: { limit = DEFAULT_LIMIT, after } }) {
            const exempt_agents = await exempt.page(limit, after);
            const next = exempt_agents.length === limit ? exempt_agents.at(-1)! : null;
            return { exempt_agents, count: exempt.count, next };
          },
          async add({ body }) {
            const agent_id = agentIdOf(body.agent_id, '/agent_id');
            await exempt.add(agent_id);
            return { ok: true, agent_id };
          },
          async remove({ params }) {
            await exempt.remove(agentIdOf(params.agent_id, '/agent_id'));
            return { ok: true };
          },
        },
      };
    },
  },
});
