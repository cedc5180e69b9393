import {
  Identity,
  Mesh,
  MeshInbound,
  MeshListener,
  Network,
  Resolver,
  type Settings,
} from '../../internal-services.ts';
import type { MeshLimits } from '../../mesh/limits.ts';
import { createMesh } from '../../mesh/mesh.ts';
import { meshUrl } from '../../mesh/transport.ts';
import { publicAddressesOnly, systemResolver } from '../../platform/address-filter.ts';
import { isPrivateHost } from '../../platform/addresses.ts';
import { parseListen } from '../../platform/listen.ts';
import { shownUrl } from '../../platform/shown-url.ts';
import type { Health } from '../../plugin.ts';
import { lookAtEnvelope } from '../../protocol/envelopes/codec.ts';
import { envelopeId } from '../../protocol/envelopes/header.ts';
import { provider } from '../../provider.ts';
import { Clock, Metrics, Random } from '../../services.ts';
import { type Adapters, accepts } from './adapters.ts';
import { certifierOf } from './certifier.ts';

export const resolverProvider = provider(Resolver, { open: () => systemResolver });

export const meshInboundProvider = provider(MeshInbound, {
  open: (): MeshInbound => ({
    receive: async () => 'rate-limited',
    lookup: async () => [],
    hubs: async () => [],
    newest: async () => undefined,
    blob: async () => undefined,
  }),
});

export function meshListenerProvider(adapters: Adapters) {
  return provider(MeshListener, {
    async open() {
      const found = (await adapters.transports()).find(accepts);
      if (!found) throw new Error('no transport takes over sockets of the HTTP server');
      return found;
    },
  });
}

export const meshProvider = provider(Mesh, {
  uses: {
    identity: Identity,
    network: Network,
    listener: MeshListener,
    inbound: MeshInbound,
    clock: Clock,
    random: Random,
    metrics: Metrics,
    resolver: Resolver,
  },
  open(
    { identity, network, listener, inbound, clock, random, metrics, resolver },
    { settings, profile, log, defer, health },
  ) {
    const isPrivate = settings.mesh.allowPrivatePeers ?? isPrivateMesh(settings);
    const mesh = createMesh({
      certifier: certifierOf(identity, network),
      network: network.id,
      transports: [listener],
      clock,
      random,
      log,
      name: settings.agent.name ?? identity.address.slice(0, 8),
      ...(settings.api.publicUrl && { url: meshUrl(settings.api.publicUrl) }),
      limits: limitsOf(settings),
      hub: profile === 'aggregator' || settings.mesh.relayServer === true,
      hubs: hubsOf(settings, profile === 'aggregator' ? [] : (settings.mesh.aggregators ?? [])),
      ...(!isPrivate && { addresses: publicAddressesOnly(resolver) }),
      directory: { lookup: (key) => inbound.lookup(key), hubs: (key) => inbound.hubs(key) },
      envelopes: { view: viewOf },
      newestOf: (key) => inbound.newest(key),
      blobFor: (cid, peer) => inbound.blob(cid, peer),
      onEnvelope: (envelope, from, kind) => inbound.receive(envelope, from, kind),
    });
    countMesh(metrics, mesh);
    health(() => meshHealth(mesh, network.name));
    defer(() => mesh.close());
    return mesh;
  },
});

/** The mesh addresses of the aggregators and hubs that were configured; for a hub these are its peer hubs. */
function hubsOf(settings: Settings, aggregators: readonly string[]): { url: string }[] {
  const bases = [...aggregators, ...(settings.mesh.hubs ?? [])];
  return [...new Set(bases)].map((base) => ({ url: meshUrl(base) }));
}

/** Whether everything the operator has named is in a private network, so that the mesh is one. */
export function isPrivateMesh({ mesh, api, listen }: Settings): boolean {
  const urls = [...(mesh.aggregators ?? []), ...(mesh.hubs ?? []), ...(api.publicUrl ? [api.publicUrl] : [])];
  const hosts = urls.map((url) => new URL(url).hostname);
  return (hosts.length > 0 ? hosts : [parseListen(listen)?.host ?? '']).every(isPrivateHost);
}

function viewOf(bytes: Uint8Array) {
  const decoded = lookAtEnvelope(bytes);
  return decoded.ok ? { id: envelopeId(decoded.value), sender: decoded.value.sender } : undefined;
}

function limitsOf({ mesh: { pingSecs, peerRate } }: Settings): Partial<MeshLimits> {
  return { ...(pingSecs && { pingMs: pingSecs * 1_000 }), ...(peerRate && { envelopeRate: peerRate }) };
}

/** Whether there is a session with every hub that was configured; one that is being dialled for the first time is not missed. */
function meshHealth(mesh: Pick<Mesh, 'hubs'>, network: string): Health {
  const hubs = mesh.hubs();
  const away = hubs.filter(({ connected, why }) => !connected && why !== undefined);
  if (away.length === 0) return { state: 'ok' };
  const reasons = away.map(({ url, why }) => `The hub ${shownUrl(url)} is not reached: ${why}`);
  const left = hubs.some(({ connected }) => connected) ? '' : ' None is left: nobody hears what this node broadcasts.';
  const remedy = `See that they run, that this machine can reach them, and that they are of the network ${network}; they are dialled again and again.`;
  return { state: 'degraded', detail: reasons.join(' ') + left, remedy };
}

/** Shows the mesh's counters at /metrics. */
function countMesh(metrics: Metrics, mesh: Mesh): void {
  metrics.gauge('mesh_peers', 'Peers with an open session.', () => mesh.stats().peers);
  metrics.gauge('mesh_sessions_opened', 'Sessions opened since the start.', () => mesh.stats().sessionsOpened);
  metrics.gauge('mesh_dials_failed', 'Dials that reached nobody.', () => mesh.stats().dialsFailed);
  metrics.gauge('mesh_dials_refused', 'URLs not dialled because of where they lead.', () => mesh.stats().dialsRefused);
  metrics.gauge('mesh_upgrades', 'Relayed sessions that a direct one replaced.', () => mesh.stats().upgrades);
  metrics.gauge('mesh_connect_tests', 'Peers dialled back for them.', () => mesh.stats().tests);
  metrics.gauge(
    'mesh_reachable',
    '1 when a hub reached this node, -1 when none did, 0 while unknown.',
    () => ['unreachable', 'unknown', 'reachable'].indexOf(mesh.reachability()) - 1,
  );
  metrics.gauge('mesh_envelopes_in', 'Envelopes taken from peers.', () => mesh.stats().envelopesIn);
  metrics.gauge('mesh_envelopes_out', 'Envelopes handed to peers.', () => mesh.stats().envelopesOut);
  metrics.gauge('mesh_rate_limited', 'Envelopes refused because a peer was too fast.', () => mesh.stats().rateLimited);
  metrics.gauges('mesh_faults', 'Sessions ended by what the other side did.', 'fault', () => mesh.stats().faults);
  metrics.gauges('mesh_links_refused', 'Connections of peers turned away.', 'reason', () => refusedOf(mesh));
  metrics.gauge('mesh_relay_slots', 'Slots that leaves hold here.', () => mesh.stats().slots);
  metrics.gauge('mesh_relay_circuits', 'Relayed sessions through this hub now.', () => mesh.stats().circuits);
  metrics.gauge('mesh_relay_circuits_refused', 'Relayed sessions refused.', () => mesh.stats().circuitsRefused);
  metrics.gauge('mesh_relay_bytes', 'Bytes relayed.', () => mesh.stats().relayedBytes);
  metrics.gauge('mesh_broadcasts_refused', 'Broadcasts that were not accepted.', () => mesh.stats().broadcastsRefused);
  metrics.gauge('mesh_broadcasts_out', 'Copies of broadcasts sent.', () => mesh.stats().broadcastsOut);
  metrics.gauge('mesh_broadcasts_dropped', 'Copies of broadcasts not sent.', () => mesh.stats().broadcastsDropped);
}

/**
 * `busy`: too many handshakes at once. `displaced`: one of them made room for another address. `full`: too many peers.
 * `unfinished`: the connection ended before the peer had proven its key, also when it was displaced.
 */
function refusedOf(mesh: Mesh): Record<string, number> {
  const { refusedBusy, displaced, refusedFull, unfinished } = mesh.stats();
  return { busy: refusedBusy, displaced, full: refusedFull, unfinished };
}
