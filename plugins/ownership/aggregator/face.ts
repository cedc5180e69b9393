import { answer, type Context, defineFace, MeshError, route } from '../../../core/plugin.ts';
import { Clock, OwnerLinks, Random, Self } from '../../../core/services.ts';
import type { OwnershipConfig } from '../config.ts';
import { OwnerClaims } from './claims.ts';
import { links, newLink } from './links.ts';
import { OWNED, propose, readProposal } from './proposal.ts';
import { ownerStatus } from './status.ts';

const LIMIT = 50;
const READS = { per: 'ip', rate: 6_000, window: 60 } as const;
const WRITES = { per: 'ip', rate: 600, window: 60 } as const;

/** The owner of an agent: proposed by the agent, claimed by the wallet, written to the ledger for ever. */
export const ownershipFace = defineFace({
  uses: { service: OwnerLinks, self: Self, clock: Clock, random: Random },
  /** A link that is on the ledger needs no more writing, whoever put it there. */
  ledgerEvents: { owner_claimed: true },
  routes: {
    propose_owner: route('POST /agents/:agent_id/propose-owner', {
      auth: 'agent',
      summary: 'An agent proposes the wallet that owns it; the answer has the text that wallet must sign',
      params: { agent_id: 'agent-id' },
      body: 'owner-proposal',
      reply: 'owner-status',
      errors: ['forbidden', 'conflict', 'ledger_unavailable', 'ledger_program_missing', 'storage_unavailable'],
      limit: WRITES,
    }),
    claim_owner: route('POST /agents/:agent_id/claim-owner', {
      auth: 'open',
      summary: 'The proposed owner claims the agent: the link is written to the ledger, for ever',
      params: { agent_id: 'agent-id' },
      body: 'owner-claim',
      reply: 'owner-status',
      statuses: [202],
      limit: { per: 'ip', rate: 60, window: 60 },
      errors: [
        'forbidden',
        'not_found',
        'conflict',
        'deadline_passed',
        'rate_limited',
        'upstream_failed',
        'ledger_unavailable',
        'ledger_program_missing',
        'storage_unavailable',
      ],
    }),
    agent_owner: route('GET /agents/:agent_id/owner', {
      auth: 'open',
      summary: 'Who owns an agent',
      params: { agent_id: 'agent-id' },
      reply: 'owner-status',
      limit: READS,
    }),
    agents_by_owner: route('GET /agents/by-owner/:wallet', {
      auth: 'open',
      summary: 'The agents of a wallet',
      params: { wallet: 'address' },
      query: 'escrows-query',
      reply: 'owner-summaries',
      limit: READS,
    }),
  },
  setup({ service, self, clock, random }, { config, space, signal, log }: Context<OwnershipConfig>) {
    const budget = config.dailyLamports;
    const claims = new OwnerClaims({ ...{ space, clock, service, signal, log, budget }, wallet: self.address });
    const statusOf = async (agentId: string) => {
      const [link, stored] = await Promise.all([service.of(agentId), space.get(links.ref(agentId))]);
      return ownerStatus(agentId, { link, stored, now: clock.now() }, service);
    };
    const canWrite = () => {
      try {
        service.require();
        return true;
      } catch {
        return false;
      }
    };
    return {
      health: () => claims.health(),
      ledgerEvents: {
        owner_claimed: {
          reads: ({ key }) => [links.ref(key)],
          apply(tx, { key, agentId }) {
            const known = tx.get(links.ref(key)) ?? newLink(key);
            tx.put(links.ref(key), { ...known, agent_id: agentId, status: 'claimed' });
          },
        },
      },
      routes: {
        propose_owner: async ({ params, body, principal, operationId }) => {
          const agentId = service.agentId(params.agent_id);
          if (principal.id !== agentId) throw new MeshError('forbidden', 'An agent proposes its own owner only.');
          service.require();
          const proposal = readProposal(agentId, body, { service, now: clock.now(), random });
          if (await service.of(agentId)) throw new MeshError('conflict', OWNED);
          await space.tx([links.ref(agentId)], (tx) => void propose(tx, agentId, proposal), { opId: operationId });
          return statusOf(agentId);
        },
        claim_owner: async ({ params, body }) => {
          service.require();
          const agentId = service.agentId(params.agent_id);
          await claims.claim(agentId, body.signature);
          const status = await statusOf(agentId);
          return status.status === 'claimed' ? status : answer(status, { status: 202 });
        },
        agent_owner: ({ params }) => statusOf(service.agentId(params.agent_id)),
        agents_by_owner: ({ params, query: { limit = LIMIT, offset = 0 } }) =>
          service.ownedBy(params.wallet, { limit, offset }),
      },
      jobs: canWrite()
        ? [{ name: 'unfinished-claims', every: 10_000, first: 1_000, once: true, run: (stop) => claims.resume(stop) }]
        : [],
    };
  },
});
