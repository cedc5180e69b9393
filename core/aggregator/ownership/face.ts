import { MeshError } from '../../contracts/errors.ts';
import { Ledger, Store } from '../../internal-services.ts';
import { ledgerSigner } from '../../ledger/ledger.ts';
import { requireSettlement } from '../../ledger/require-settlement.ts';
import { SettlementActions } from '../../ledger/settlement-actions.ts';
import { answer, type Context, defineFace, optional, route, typed } from '../../plugin.ts';
import { Clock, Random } from '../../services.ts';
import type { Space } from '../../storage/space.ts';
import { agentIdFrom } from '../agent-param.ts';
import { READS, WRITES } from '../limits.ts';
import { Identity, Network, RecordedTransactions, SPACE } from '../providers.ts';
import { scoredAs } from '../reputation/view.ts';
import { agents } from '../store/agents.ts';
import { ownership, speaksFor } from '../store/ownership.ts';
import { lastRunRef } from '../store/scores.ts';
import { OwnerClaims } from './claims.ts';
import { propose, readProposal } from './proposal.ts';
import { ownerStatus } from './view.ts';

interface OwnershipConfig {
  readonly dailyLamports: number;
}

/** The `ownership` object under `core` of plugins.json. */
export const ownershipConfig = typed<OwnershipConfig>({
  type: 'object',
  additionalProperties: false,
  properties: {
    dailyLamports: {
      description: 'What this aggregator pays in a day (UTC) for writing owner links; one costs about two million.',
      type: 'integer',
      minimum: 0,
      maximum: 1_000_000_000_000,
      default: 100_000_000,
    },
  },
});

const LIMIT = 50;

/** The owner of an agent: proposed by the agent, claimed by the wallet, written to the ledger for ever. */
export const ownershipFace = defineFace({
  uses: {
    store: Store,
    network: Network,
    identity: Identity,
    clock: Clock,
    random: Random,
    ledger: optional(Ledger),
    transactions: optional(RecordedTransactions),
  },
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
  setup(services, { config, signal, log }: Context<OwnershipConfig>) {
    const { store, network, identity, clock, random, ledger, transactions } = services;
    const space: Space = store.space(SPACE);
    const { settlement } = ledger ?? {};
    const claims =
      settlement && transactions
        ? new OwnerClaims({
            ...{ space, network, clock, settlement, signal, log },
            wallet: identity.address,
            steps: new SettlementActions({ settlement, transactions, signer: ledgerSigner(identity) }),
            budget: config.dailyLamports,
          })
        : undefined;
    const statusOf = async (agentId: string) =>
      ownerStatus(agentId, await space.get(ownership.ref(agentId)), network, clock.now());
    return {
      ...(claims && { health: () => claims.health() }),
      routes: {
        propose_owner: async ({ params, body, principal, operationId }) => {
          const agentId = agentIdFrom(params.agent_id);
          if (principal.id !== agentId) throw new MeshError('forbidden', 'An agent proposes its own owner only.');
          requireSettlement(ledger);
          const proposal = readProposal(agentId, body, network, { now: clock.now(), random });
          await space.tx([ownership.ref(agentId)], (tx) => void propose(tx, agentId, proposal), { opId: operationId });
          return statusOf(agentId);
        },
        claim_owner: async ({ params, body }) => {
          requireSettlement(ledger);
          const agentId = agentIdFrom(params.agent_id);
          const stored = await claims!.claim(agentId, body.signature);
          const status = ownerStatus(agentId, stored, network, clock.now());
          return status.status === 'claimed' ? status : answer(status, { status: 202 });
        },
        agent_owner: ({ params }) => statusOf(agentIdFrom(params.agent_id)),
        agents_by_owner: async ({ params, query: { limit = LIMIT, offset = 0 } }) => {
          const part = { limit, ...(offset > 0 && { offset }) };
          const found = await space.page(ownership, { index: 'owner', prefix: [params.wallet], ...part });
          // Links that were stored before they were told apart are in the index all the same.
          const rows = found.filter(({ value }) => speaksFor(value));
          const listed = await space.getMany(rows.map(({ value }) => agents.ref(value.agent_id)));
          const as = scoredAs(await space.get(lastRunRef));
          return rows.map(({ value: { agent_id } }, index) => {
            const agent = listed[index];
            return { agent_id, name: agent?.name ?? '', score: agent?.standing.score ?? 0, ...as };
          });
        },
      },
      jobs: claims
        ? [{ name: 'unfinished-claims', every: 10_000, first: 1_000, run: (stop) => claims.resume(stop) }]
        : [],
    };
  },
});
