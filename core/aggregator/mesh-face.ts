import { Mesh, MeshInbound, MeshListener, SigningLock, Store } from '../internal-services.ts';
import { type Context, defineFace, socket, typed } from '../plugin.ts';
import type { AckReason } from '../protocol/envelopes/ack.ts';
import { decodeEnvelope } from '../protocol/envelopes/codec.ts';
import { decodeReceipt } from '../protocol/envelopes/receipt.ts';
import { topicOf } from '../protocol/envelopes/topics.ts';
import { formatAgentId } from '../protocol/identity/ids.ts';
import { Clock } from '../services.ts';
import { epochsOf } from './epochs.ts';
import { newestFormer } from './ingest/former-nonces.ts';
import { keepLatencies } from './latency/measured.ts';
import { OPENINGS } from './limits.ts';
import { Ingest, Network, SPACE } from './providers.ts';
import { newestOf } from './store/newest.ts';

interface MeshConfig {
  readonly region?: string;
  readonly measureSecs: number;
}

/** The `mesh` object under `core` of plugins.json. */
export const meshConfig = typed<MeshConfig>({
  type: 'object',
  additionalProperties: false,
  properties: {
    region: {
      description:
        'Where this aggregator stands, such as us-east or eu-west: the round trips to agents are shown under this name, and tell whether the country that they claim can be true.',
      type: 'string',
      pattern: '^[a-z0-9-]{1,32}$',
    },
    measureSecs: {
      description: 'Seconds from one look at the round trips to the next.',
      type: 'integer',
      minimum: 1,
      maximum: 86_400,
      default: 60,
    },
  },
});

/** The aggregator is a hub: peers connect here, and what they broadcast is indexed before it is forwarded. */
export const meshFace = defineFace({
  uses: {
    mesh: Mesh,
    listener: MeshListener,
    inbound: MeshInbound,
    ingest: Ingest,
    store: Store,
    halt: SigningLock,
    network: Network,
    clock: Clock,
  },
  routes: {
    peer: socket('/mesh', {
      auth: 'open',
      summary: 'Where peers connect: Noise sessions of binary frames.',
      limit: OPENINGS,
    }),
  },
  setup({ mesh, listener, inbound, ingest, store, halt, network, clock }, { config, log, defer }: Context<MeshConfig>) {
    const space = store.space(SPACE);
    const { region, measureSecs } = config;
    const epochs = epochsOf(network);
    inbound.newest = async (key) => {
      const id = formatAgentId(key);
      const [held, former] = await Promise.all([newestOf(space, id, epochs.at(clock.now())), newestFormer(space, id)]);
      return newerOf(held, former);
    };
    defer(
      mesh.watch({
        identityInUse(remote, peer) {
          if (peer && !peer.kept) return;
          halt.halt(`Another process was seen living under the key of this aggregator, at or by way of ${remote}.`);
          log.error({ remote }, 'identity_in_use: this aggregator signs nothing any more');
        },
      }),
    );
    inbound.receive = async (envelope, from, kind): Promise<AckReason> => {
      if (kind !== 'broadcast') return 'invalid';
      const broadcast = decodeEnvelope(envelope);
      // A broadcast under another topic than its own reaches nodes that did not ask for it.
      if (!broadcast.ok || topicOf(broadcast.value) !== from.topic) return 'invalid';
      const [result] = await ingest([{ kind: 'envelope', bytes: envelope }], { ip: from.remote, live: true });
      // Its sender's report may have come first; the mesh itself remembers the envelopes that it has forwarded.
      return result?.status === 'duplicate' ? 'accepted' : (result?.status ?? 'invalid');
    };
    return {
      routes: { peer: (raw, { ip }) => listener.adopt(raw, ip) },
      health: () =>
        halt.why === undefined ? { state: 'ok' } : { state: 'degraded', detail: `identity_in_use: ${halt.why}` },
      ready: () => mesh.start(),
      jobs:
        region === undefined
          ? []
          : [{ name: 'latencies', every: measureSecs * 1_000, run: () => keepLatencies(space, region, mesh.peers()) }],
    };
  },
});

/** The receipt with the larger nonce. */
function newerOf(one: Uint8Array | undefined, other: Uint8Array | undefined): Uint8Array | undefined {
  if (!one || !other) return one ?? other;
  const [first, second] = [one, other].map((bytes) => decodeReceipt(bytes));
  return first?.ok && second?.ok && second.value.nonce > first.value.nonce ? other : one;
}
