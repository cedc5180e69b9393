import { Identity, Ledger, Network } from '../../internal-services.ts';
import { definePlugin, optional, route } from '../../plugin.ts';
import { formatAgentId } from '../../protocol/identity/ids.ts';
import { BatchJob } from '../behavior/batch-job.ts';
import { BatchViews } from '../behavior/batch-views.ts';
import { Preparation } from '../behavior/preparation.ts';
import { jobPause } from '../job-pause.ts';
import { READS } from '../limits.ts';
import { agentOf } from '../requests/addresses.ts';
import { Archives, Batches, DutyWarnings, Own, SettlementActions } from '../services/behavior.ts';
import { Journal } from '../services/messaging.ts';
import { Events } from '../services/node-events.ts';

/** Behavior batches: shown, proved, and submitted each epoch while the agent has duties. */
export const batchesFace = definePlugin({
  name: 'batches',
  api: '2.0',
  summary: 'Behavior batches: what the agent signed, epoch by epoch, on the ledger.',
  node: {
    uses: {
      book: Batches,
      journal: Journal,
      archives: Archives,
      steps: SettlementActions,
      own: Own,
      identity: Identity,
      network: Network,
      events: Events,
      alarms: DutyWarnings,
      ledger: optional(Ledger),
    },
    routes: {
      summary: route('GET /batch/:agent_id/:epoch', {
        auth: 'api-read',
        limit: READS,
        summary: 'The behavior batch of an agent and epoch: its own from the journal, others’ from the ledger.',
        params: { agent_id: 'agent-id', epoch: 'epoch-text' },
        reply: 'batch-summary',
        errors: ['not_found', 'ledger_unavailable'],
      }),
      proof: route('GET /batch/:agent_id/:epoch/proof/:nonce', {
        auth: 'api-read',
        limit: READS,
        summary: 'Proves that an envelope stands in a batch.',
        params: { agent_id: 'agent-id', epoch: 'epoch-text', nonce: 'nonce-text' },
        reply: 'batch-proof',
        errors: ['not_found', 'ledger_unavailable'],
      }),
    },
    setup({ steps, own, ledger, events, identity, alarms, ...parts }, { log }) {
      const settlement = ledger?.settlement;
      const key = identity.address;
      const views = new BatchViews({ ...parts, settlement, key });
      const job =
        settlement && steps && own
          ? new BatchJob({
              ...{ settlement, own, steps, key, alarms, log, journal: parts.journal, book: parts.book },
              preparation: new Preparation({ ...parts, key, log }),
              submitted: ({ epoch, count, root }) =>
                events.emit('batch', key, { epoch, message_count: count, log_merkle_root: root }),
            })
          : undefined;
      return {
        routes: {
          summary: ({ params }) => views.summary(keyOf(params.agent_id), Number(params.epoch)),
          proof: ({ params }) => views.proof(keyOf(params.agent_id), Number(params.epoch), Number(params.nonce)),
        },
        jobs: job
          ? [{ name: 'batches', every: jobPause(settlement!), first: 1_000, run: (signal) => job.run(signal) }]
          : [],
        health: () => alarms.health(),
      };
    },
  },
});

function keyOf(agentId: string): string {
  return formatAgentId(agentOf(agentId, '/agent_id'));
}
