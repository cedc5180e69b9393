import { createHash, timingSafeEqual } from 'node:crypto';
import {
  type Context,
  defineFace,
  invalidField,
  MeshError,
  normaliseAgentId,
  route,
  typed,
} from '../../core/plugin.ts';
import { Agents, Clock, Http, Metrics, Signatures } from '../../core/services.ts';
import { urlOf } from './api-url.ts';
import type { HostingConfig } from './config.ts';
import { LISTED_FOR, nodes, shown, withBeat } from './directory.ts';

/** Seconds that the clock of a node may differ from ours. */
const SKEW = 120;
/** Nodes kept in all: whoever has the secret can make keys. */
const MOST_NODES = 10_000;

const SIGNATURE = typed<string>({
  description: 'The signature of node_id over body and time in the domain heartbeat/1, in hex.',
  type: 'string',
  pattern: '^[0-9a-fA-F]{128}$',
  examples: ['0a'.repeat(64)],
});

/** Which nodes host agents, by their heartbeats. */
export const hostingAggregatorFace = defineFace({
  uses: { clock: Clock, http: Http, signatures: Signatures, agents: Agents, metrics: Metrics },
  guards: {
    'hosting-secret': {
      summary: 'The hosting secret of the aggregator',
      scheme: {
        type: 'http',
        scheme: 'bearer',
        description:
          'The secret that hosts share with this aggregator. A heartbeat without it has it in its body as `hosting_secret`.',
      },
    },
  },
  routes: {
    hosting_nodes: route('GET /hosting/nodes', {
      auth: 'open',
      summary: 'The nodes that host agents and were heard of in the last two minutes, last heard of first',
      query: 'hosting-nodes-query',
      reply: 'hosting-nodes',
      limit: { per: 'ip', rate: 6_000, window: 60 },
    }),
    hosting_heartbeat: route('POST /hosting/register', {
      auth: 'hosting-secret',
      summary: 'A hosting node says every minute that it is there; two missed heartbeats take it out of the directory',
      headers: { 'x-signature': SIGNATURE },
      body: 'hosting-heartbeat',
      reply: 'hosting-listed',
      errors: ['unauthorized', 'forbidden', 'conflict', 'rate_limited'],
      limit: { per: 'ip', rate: 600, window: 60 },
    }),
  },
  setup({ clock, http, signatures, agents, metrics }, { config, space }: Context<HostingConfig>) {
    const secret = config.hostingSecret;
    const isSecret = (text: string | undefined) =>
      text !== undefined && secret !== undefined && timingSafeEqual(digest(text), digest(secret));
    const beats = metrics.counter('mesh_hosting_heartbeats_total', 'Heartbeats of hosting nodes.', ['result']);

    return {
      guards: {
        // Without the header the secret may stand in the body, which has not been read yet.
        'hosting-secret': ({ headers, token }) => {
          if (headers['authorization'] === undefined) return { kind: 'anyone', id: '' };
          return isSecret(token) ? { kind: 'hosting', id: 'secret' } : null;
        },
      },
      routes: {
        async hosting_nodes({ query: { limit, offset } }) {
          const now = clock.now();
          const range = { index: 'seen', to: [-(now - LISTED_FOR) + 1] } as const;
          const found = await space.page(nodes, { ...range, limit: limit!, ...(offset && { offset }) });
          return found.map(({ value }) => shown(value, now));
        },
        async hosting_heartbeat({ body, headers, principal, rawBody }) {
          if (principal.kind !== 'hosting' && !isSecret(body.hosting_secret)) {
            beats({ result: 'refused' });
            throw new MeshError(
              'unauthorized',
              'This aggregator lists nodes that show its hosting secret, as Bearer or as hosting_secret.',
            );
          }
          const id = normaliseAgentId(body.node_id);
          if (id === undefined) throw invalidField('/node_id', 'must be 32 bytes in base58 or hex');
          const now = clock.now();
          const { time } = body;
          if (Math.abs(now / 1000 - time) > SKEW) throw invalidField('/time', `must be within ${SKEW} seconds of now`);
          const signature = Buffer.from(headers['x-signature'] ?? '', 'hex');
          if (!(await signatures.heartbeat({ agentId: id, body: rawBody, time, signature }))) {
            beats({ result: 'refused' });
            throw new MeshError('unauthorized', 'The header X-Signature is not of node_id over this body and time.');
          }
          const api_url = urlOf(body.api_url);
          await http.check(api_url).catch((error: unknown) => {
            throw invalidField('/api_url', error instanceof Error ? error.message : 'cannot be reached by others');
          });
          const { name = '', fee_bps, hosted_agent_count: hosted = 0 } = body;
          const beat = { node_id: id, name, api_url, fee_bps, hosted, signed: await agents.hostedBy(id), time };
          const node = nodes.ref(id);
          const isFull = !(await space.get(node)) && (await space.count(nodes)) >= MOST_NODES;
          await space.tx([node], (tx) => {
            const known = tx.get(node);
            if (known && known.time >= time)
              throw new MeshError('conflict', 'A heartbeat of this time or a later one was taken already.');
            if (!known && isFull) throw new MeshError('rate_limited', 'The directory is full.');
            tx.put(node, withBeat(known, beat, now));
          });
          beats({ result: 'taken' });
          return { node_id: id, listed_until: new Date(now + LISTED_FOR).toISOString() };
        },
      },
    };
  },
});

/** Secrets of any length are compared in the same time. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
