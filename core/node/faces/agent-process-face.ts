import { type Context, definePlugin, type Limit, route } from '../../plugin.ts';
import { Clock } from '../../services.ts';
import { AgentProcess } from '../agent-process/agent-process.ts';
import { type AgentProcessConfig, agentProcessConfig } from '../agent-process/config.ts';
import { STEPS } from '../limits.ts';
import { NodeSpace } from '../services/messaging.ts';

const RELOADS: Limit = { per: 'principal', rate: 3, window: 60 };

/** The background process of this node's agent, for whoever updates its program. */
export const agentProcessFace = definePlugin({
  name: 'agent-process',
  api: '2.0',
  summary: 'The background process of the agent, started again when its program was updated.',
  config: agentProcessConfig,
  node: {
    uses: { space: NodeSpace, clock: Clock },
    routes: {
      register_pid: route('POST /agent/register-pid', {
        auth: 'api-secret',
        limit: STEPS,
        summary:
          'Registers the running process of the agent, which has to be of the same user, with the time it began.',
        body: 'agent-pid',
        reply: 'agent-registered',
        errors: ['forbidden', 'conflict'],
      }),
      reload: route('POST /agent/reload', {
        auth: 'api-secret',
        limit: RELOADS,
        summary:
          'Ends the registered process, by force after the grace, and starts the program at its path again with the same arguments, folder and variables.',
        reply: 'agent-reloaded',
        errors: ['forbidden', 'conflict'],
      }),
    },
    setup({ space, clock }, { config, log }: Context<AgentProcessConfig>) {
      const agent = new AgentProcess({ space, clock, log, config });
      return {
        routes: {
          register_pid: async ({ body: { pid } }) => ({ ok: true, ...(await agent.register(pid)) }),
          reload: () => agent.reload(),
        },
      };
    },
  },
});
