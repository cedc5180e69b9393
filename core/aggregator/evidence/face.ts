import { MeshError } from '../../contracts/errors.ts';
import { Ledger, Settings, Store } from '../../internal-services.ts';
import { networkParts, networkView } from '../../ledger/network-parts.ts';
import { answer, type Context, defineFace, normaliseAgentId, optional, route, typed } from '../../plugin.ts';
import type { Space } from '../../storage/space.ts';
import { agentIdFrom } from '../agent-param.ts';
import { Network, SPACE } from '../providers.ts';
import { agents } from '../store/agents.ts';
import { evidence, evidenceStateRef } from '../store/evidence.ts';
import { lastRunRef } from '../store/scores.ts';
import { lineOf } from './document.ts';
import { Evidence, EvidenceJournal } from './journal.ts';

export interface EvidenceConfig {
  readonly keep: boolean;
}

/** The `evidence` object under `core` of plugins.json. */
export const evidenceConfig = typed<EvidenceConfig>({
  type: 'object',
  additionalProperties: false,
  properties: {
    keep: {
      description:
        'Keeps what scores are made of, from an empty store on, so that strangers can count them again; some 700 bytes for each message of a deal.',
      type: 'boolean',
      default: false,
    },
  },
});

const QUERY = typed<{ readonly after?: number; readonly limit?: number }>({
  type: 'object',
  properties: {
    after: { description: 'Goes on behind this entry.', type: 'integer', minimum: 0, examples: [0] },
    limit: {
      description: 'Entries in one answer; 1,000 unless given.',
      ...{ type: 'integer', minimum: 1, maximum: 5_000, 'x-most': 5_000, examples: [1_000] },
    },
  },
});
/** Bytes of one answer, from which on it ends with the entry that it is at. */
const MOST_BYTES = 4 * 1024 * 1024;
const STEP = 200;
const NDJSON = 'application/x-ndjson';
const BOUND_MS = 60_000;

/** Serves the evidence behind scores, for strangers to count again. Offers the journal to whatever counts. */
export const evidenceFace = defineFace({
  uses: { store: Store, network: Network, settings: Settings, ledger: optional(Ledger) },
  provides: { evidence: Evidence },
  routes: {
    reputation_evidence: route('GET /reputation/:agent_id/evidence', {
      auth: 'open',
      summary: 'What the score of an agent is made of, to be counted again by `mesh verify-score`',
      params: { agent_id: 'agent-id' },
      query: QUERY,
      reply: 'bytes',
      media: { type: NDJSON, example: '{"type":"head","format":1,"digest":"00"}\n' },
      limit: { per: 'ip', rate: 60, window: 60 },
    }),
  },
  async setup({ store, network, settings, ledger }, { config }: Context<EvidenceConfig>) {
    const space: Space = store.space(SPACE);
    const journal = await EvidenceJournal.open(space, config.keep);
    const shown = networkView(network, networkParts(ledger, settings.network));
    const { anchors = [] } = (settings.core?.['reputation'] ?? {}) as { anchors?: readonly string[] };
    return {
      provides: { evidence: journal },
      jobs: [{ name: 'evidence', every: BOUND_MS, run: () => journal.bound() }],
      routes: {
        async reputation_evidence({ params, query: { after = 0, limit = 1_000 } }) {
          const id = agentIdFrom(params.agent_id);
          const [agent, run, state] = await Promise.all([
            space.get(agents.ref(id)),
            space.get(lastRunRef),
            space.get(evidenceStateRef),
          ]);
          if (!agent) throw new MeshError('not_found', 'This aggregator has not heard of that agent.');
          if (!state || !run)
            throw new MeshError(
              'not_found',
              'This aggregator keeps no evidence: core.evidence.keep is off, or nothing was scored yet.',
            );
          const lines: string[] = [];
          let [last, bytes, isOver] = [after, 0, false];
          while (!isOver && lines.length < limit && bytes < MOST_BYTES) {
            const most = Math.min(STEP, limit - lines.length);
            const page = await space.page(evidence, { after: last, limit: most });
            for (const { id: place, record } of page) {
              const line = lineOf({ type: 'fact', id: place, ...record });
              lines.push(line);
              bytes += line.length;
              last = place;
              if (bytes >= MOST_BYTES) break;
            }
            isOver = page.length < most;
          }
          const { score, rank } = agent.standing;
          const head = lineOf({
            ...{ type: 'head', format: 1, agent_id: id, network: shown, version: run.version },
            ...{ as_of: run.as_of, epoch: run.epoch, anchors: anchors.map((one) => normaliseAgentId(one)!) },
            ...{ score, rank, ...state, after, next: isOver ? null : last },
          });
          const whole = Buffer.from(head + lines.join(''));
          return answer<Uint8Array>(whole, { headers: { 'content-type': NDJSON } });
        },
      },
    };
  },
});
