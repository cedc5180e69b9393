import { Store } from '../../internal-services.ts';
import { type Context, defineFace, route } from '../../plugin.ts';
import { normaliseAgentId } from '../../protocol/identity/ids.ts';
import { Clock } from '../../services.ts';
import { Network, SPACE, Verifier } from '../providers.ts';
import { takeReport } from './reports.ts';
import { type LatencyConfig, SIGNATURE } from './shapes.ts';

/** Round trips that reference nodes in other regions measure, and sign. */
export const latencyFace = defineFace({
  uses: { store: Store, clock: Clock, network: Network, verifier: Verifier },
  routes: {
    report_latency: route('POST /latency/reports', {
      auth: 'open',
      summary: 'A reference node reports the round trips that it measured, signed; nobody else is heard',
      headers: { 'x-signature': SIGNATURE },
      body: 'latency-report',
      reply: 'latency-taken',
      errors: ['unauthorized', 'forbidden', 'conflict'],
      limit: { per: 'ip', rate: 60, window: 60 },
    }),
  },
  setup({ store, clock, network, verifier }, { config }: Context<LatencyConfig>) {
    const references = new Map(config.references.map(({ agent_id, region }) => [normaliseAgentId(agent_id)!, region]));
    const parts = { space: store.space(SPACE), verifier, network, now: () => clock.now(), references };
    return {
      routes: {
        report_latency: ({ body, headers, rawBody }) =>
          takeReport(parts, { body, bytes: rawBody, signature: headers['x-signature'] ?? '' }),
      },
    };
  },
});
