import { createHash } from 'node:crypto';
import { HttpCaller } from '../../client/http-caller.ts';
import { HttpNetwork, Identity, Mesh, Network, Settings } from '../../internal-services.ts';
import type { PeerInfo } from '../../mesh/mesh-contract.ts';
import { toHex } from '../../platform/bytes.ts';
import { shownUrl } from '../../platform/shown-url.ts';
import { type Context, definePlugin, typed } from '../../plugin.ts';
import { formatAgentId } from '../../protocol/identity/ids.ts';
import { Clock } from '../../services.ts';

interface LatencyConfig {
  readonly region?: string;
  readonly reportSecs: number;
}

/** The most that one report takes. */
const MOST = 200;
const SLOWEST_MS = 10_000;
const TIMEOUT = 10_000;

/** A reference node: reports, signed, how far the peers of its own direct sessions are. */
export const latencyFace = definePlugin({
  name: 'latency',
  api: '2.0',
  summary: 'Round trips that this node measures for its aggregators, where it is a reference node.',
  config: typed<LatencyConfig>({
    type: 'object',
    additionalProperties: false,
    properties: {
      region: {
        description:
          'The region of this reference node, as its aggregators list it in their core.latency.references; without one it reports nothing.',
        type: 'string',
        pattern: '^[a-z0-9-]{1,32}$',
      },
      reportSecs: {
        description: 'Seconds from one report to the next.',
        type: 'integer',
        minimum: 1,
        maximum: 86_400,
        default: 300,
      },
    },
  }),
  node: {
    uses: { mesh: Mesh, identity: Identity, network: Network, settings: Settings, http: HttpNetwork, clock: Clock },
    setup(services, { config: { region, reportSecs }, log }: Context<LatencyConfig>) {
      const { mesh, identity, network, settings, http, clock } = services;
      const callers = (settings.mesh.aggregators ?? []).map(
        (url) => new HttpCaller({ url, timeout: TIMEOUT, fetch: http.fetch, clock }),
      );
      let last = 0;

      async function report(of: string): Promise<void> {
        const round_trips = roundTrips(mesh.peers());
        if (round_trips.length === 0) return;
        // Each report is later than the one before.
        last = Math.max(last + 1, Math.floor(clock.now() / 1_000));
        const body = JSON.stringify({ reporter: identity.address, region: of, time: last, round_trips });
        const body_hash = createHash('sha256').update(body).digest();
        const signature = toHex(identity.signDomain('latency/1', network, { body_hash, time: last }));
        const headers = { 'x-signature': signature };
        for (const caller of callers)
          await caller
            .send({ method: 'POST', path: '/latency/reports', body, headers, answer: 'object' })
            .catch((error: unknown) => {
              const aggregator = shownUrl(caller.options.url);
              log.warn({ aggregator, error }, 'an aggregator did not take the round trips that this node measured');
            });
      }

      return {
        jobs:
          region === undefined
            ? []
            : [{ name: 'latency-reports', every: reportSecs * 1_000, run: () => report(region) }],
      };
    },
  },
});

function roundTrips(peers: readonly PeerInfo[]): { agent_id: string; rtt_ms: number }[] {
  return peers
    .flatMap(({ key, roundTrip, relayed }) => {
      if (roundTrip === undefined || relayed) return [];
      return [{ agent_id: formatAgentId(key), rtt_ms: Math.min(SLOWEST_MS, Math.max(0, Math.round(roundTrip))) }];
    })
    .slice(0, MOST);
}
