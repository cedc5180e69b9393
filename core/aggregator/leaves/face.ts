import { MeshError } from '../../contracts/errors.ts';
import { Ledger, Store } from '../../internal-services.ts';
import { ledgerSigner } from '../../ledger/ledger.ts';
import { SettlementActions } from '../../ledger/settlement-actions.ts';
import { fromHex } from '../../platform/bytes.ts';
import { type Context, defineFace, optional, route, typed } from '../../plugin.ts';
import { MAX_SEQ } from '../../protocol/envelopes/epochs.ts';
import { Clock, Metrics } from '../../services.ts';
import type { Space } from '../../storage/space.ts';
import { agentIdFrom } from '../agent-param.ts';
import { READS } from '../limits.ts';
import { Blobs, Identity, Network, RecordedTransactions, SPACE } from '../providers.ts';
import { leafListRef, type StoredLeafList } from '../store/leaves.ts';
import { isoTime } from '../times.ts';
import { AccusationAnswers } from './accusation-answers.ts';
import { envelopesOf } from './epoch-envelopes.ts';
import { forgetLeaves, keepLeaves, MAX_LEAVES, readLeaves } from './keeping.ts';

interface LeavesConfig {
  readonly answerAccusations: boolean;
}

/** The `leaves` object under `core` of plugins.json. */
export const leavesConfig = typed<LeavesConfig>({
  type: 'object',
  additionalProperties: false,
  properties: {
    answerAccusations: {
      description:
        'Answer accusations against agents whose leaf list is kept here; costs a fee each, rewarded by the program.',
      type: 'boolean',
      default: true,
    },
  },
});

const params = { agent_id: 'agent-id', epoch: 'epoch-text' } as const;
const MINUTE = 60_000;
const PAGE = 100;

/** The parts of behavior batches: leaf lists as agents hand them in, and receipts of an epoch's envelopes. */
export const leavesFace = defineFace({
  uses: {
    store: Store,
    blobs: Blobs,
    network: Network,
    identity: Identity,
    clock: Clock,
    metrics: Metrics,
    ledger: optional(Ledger),
    transactions: optional(RecordedTransactions),
  },
  routes: {
    hand_in_leaves: route('PUT /epochs/:agent_id/:epoch/leaves', {
      auth: 'open',
      summary: 'Hands in the leaf list of a behavior batch: envelope ids of 32 bytes, in the order of their numbers',
      params,
      query: 'leaf-list-query',
      body: 'bytes',
      reply: 'leaf-list',
      maxBody: MAX_LEAVES * 32,
      // Anybody can name a staked key, and whether the signature is its own shows after a tree of 65,536 leaves: 0.1 s.
      limit: { per: 'ip', rate: 120, window: 60 },
      errors: ['forbidden', 'storage_unavailable'],
    }),
    leaf_list: route('GET /epochs/:agent_id/:epoch', {
      auth: 'open',
      summary: 'What an agent handed in for the behavior batch of an epoch',
      params,
      reply: 'leaf-list',
      limit: READS,
    }),
    leaves: route('GET /epochs/:agent_id/:epoch/leaves', {
      auth: 'open',
      summary: 'The leaves themselves: 32 bytes for each number, zeros where none was signed',
      params,
      reply: 'bytes',
      limit: READS,
    }),
    epoch_envelopes: route('GET /epochs/:agent_id/:epoch/envelopes', {
      auth: 'open',
      summary: 'Receipts of what an agent signed in an epoch, as far as this aggregator was shown them',
      params,
      query: 'epoch-envelopes-query',
      reply: 'epoch-envelopes',
      limit: READS,
    }),
  },
  setup(services, { config, log }: Context<LeavesConfig>) {
    const { store, blobs, network, identity, clock, metrics, ledger, transactions } = services;
    const space: Space = store.space(SPACE);
    const parts = { space, blobs, network };
    const settlement = config.answerAccusations ? ledger?.settlement : undefined;
    const answers =
      settlement && transactions
        ? new AccusationAnswers({
            ...{ ...parts, settlement, clock, log },
            steps: new SettlementActions({ settlement, transactions, signer: ledgerSigner(identity) }),
            answered: metrics.counter('mesh_accusations_answered_total', 'Accusations answered from kept leaf lists.', [
              'result',
            ]),
          })
        : undefined;
    const listOf = async (agentId: string, epoch: string): Promise<StoredLeafList> => {
      const list = await space.get(leafListRef(agentIdFrom(agentId), Number(epoch)));
      if (!list) throw new MeshError('not_found', 'That agent handed in no leaf list of that epoch here.');
      return list;
    };
    return {
      routes: {
        hand_in_leaves: async ({ params: { agent_id, epoch }, query, body }) => {
          const signature = fromHex(query.signature, 64)!;
          const list = { key: agentIdFrom(agent_id), epoch: Number(epoch), leaves: body, signature };
          return leafListView(await keepLeaves(parts, list, clock.now()));
        },
        leaf_list: async ({ params: { agent_id, epoch } }) => leafListView(await listOf(agent_id, epoch)),
        leaves: async ({ params: { agent_id, epoch } }) => {
          const leaves = await readLeaves(blobs, await listOf(agent_id, epoch));
          if (!leaves)
            throw new MeshError('not_found', 'The leaves of that list are lost; the agent can hand them in again.');
          return leaves;
        },
        epoch_envelopes: async ({ params: { agent_id, epoch }, query: { limit = PAGE, after = 0 } }) => {
          if (after >= MAX_SEQ) return [];
          return envelopesOf(space, agentIdFrom(agent_id), { epoch: Number(epoch), after, limit });
        },
      },
      jobs: [
        {
          name: 'forget-leaves',
          every: 10 * MINUTE,
          once: true,
          run: (signal) => forgetLeaves(parts, clock.now(), signal),
        },
        ...(answers
          ? [{ name: 'answer-accusations', every: 5_000, once: true, run: (stop: AbortSignal) => answers.run(stop) }]
          : []),
      ],
    };
  },
});

function leafListView({ key, received_at, epoch, count, root, signature }: StoredLeafList) {
  return { agent_id: key, epoch, count, root, signature, received_at: isoTime(received_at) };
}
