import { createHash } from 'node:crypto';
import { RateLimiter } from '../../http/limits.ts';
import { Identity, Network } from '../../internal-services.ts';
import { agentSigner } from '../../protocol/signer/agent-signer.ts';
import { PerPlugin, provider } from '../../provider.ts';
import { type LocalAgent, LocalAgents } from '../../services.ts';
import { localAgentHandle } from '../agents/local-agent-handle.ts';
import { Residents } from '../agents/providers.ts';
import type { Resident } from '../agents/resident-memory.ts';
import { STEPS } from '../limits.ts';
import { CallBudget } from '../requests/call-budget.ts';

/** Lets plugins add agents to this node, and act for those that they added. */
export const localAgentsProvider = provider(LocalAgents, {
  uses: { residents: Residents, identity: Identity, network: Network },
  open({ residents, identity, network }, { signal }) {
    const { ground } = residents;
    const shared = { limiter: new RateLimiter(STEPS, ground.clock), budget: new CallBudget(ground.clock) };
    // A handle is larger than all the rest of an agent that sleeps.
    const handles = new WeakMap<Resident, WeakRef<LocalAgent>>();

    function handleOf(resident: Resident): LocalAgent {
      const known = handles.get(resident)?.deref();
      if (known) return known;
      const handle = localAgentHandle(resident, { ...shared, residents, ground, signal });
      handles.set(resident, new WeakRef(handle));
      return handle;
    }

    return new PerPlugin<LocalAgents>(({ name: plugin }) => {
      function found(id: string): Resident | undefined {
        const resident = residents.get(id);
        return resident?.plugin === plugin ? resident : undefined;
      }
      function* own(): Generator<LocalAgent> {
        for (const resident of residents.all()) if (resident.plugin === plugin) yield handleOf(resident);
      }
      return {
        signerOf: agentSigner,
        add: async (agent) => handleOf(await residents.add(agent, plugin)),
        async remove(id) {
          const resident = found(id);
          if (resident) await residents.remove(resident);
          return resident !== undefined;
        },
        get(id) {
          const resident = found(id);
          return resident && handleOf(resident);
        },
        signHeartbeat(body, time) {
          const body_hash = createHash('sha256').update(body).digest();
          return identity.signDomain('heartbeat/1', network, { body_hash, time });
        },
        [Symbol.iterator]: own,
      };
    });
  },
});
