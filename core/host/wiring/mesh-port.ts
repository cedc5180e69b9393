import { Identity, Mesh, Network } from '../../internal-services.ts';
import type { MeshLimits } from '../../mesh/limits.ts';
import { createMesh } from '../../mesh/mesh.ts';
import type { EnvelopeKind, EnvelopeOrigin } from '../../mesh/mesh-contract.ts';
import { publicAddressesOnly } from '../../platform/address-filter.ts';
import { isPrivateHost } from '../../platform/addresses.ts';
import { systemResolver } from '../../platform/resolver.ts';
import { token } from '../../plugin.ts';
import type { Ack, AckReason } from '../../protocol/envelopes/ack.ts';
import { lookAtEnvelope } from '../../protocol/envelopes/codec.ts';
import { envelopeId } from '../../protocol/envelopes/header.ts';
import { port } from '../../provider.ts';
import { Clock, Metrics, Random, Resolver, type Settings } from '../../services.ts';
import { parseListen } from '../config/listen.ts';
import { type AcceptingTransport, type Adapters, accepts } from './adapters.ts';
import { certifierOf } from './certifier.ts';
import { meshHealth } from './mesh-health.ts';
import { countMesh } from './mesh-metrics.ts';

/**
 * Where envelopes from the mesh go, and where a key can be dialled. Set by the profile's own services before the mesh
 * starts: the mesh is opened before them because they send through it.
 */
export interface MeshInbound {
  receive: (envelope: Uint8Array, from: EnvelopeOrigin, kind: EnvelopeKind) => Promise<Ack | AckReason>;
  lookup: (key: Uint8Array) => Promise<readonly string[]>;
  /** The hubs that a key keeps a session with, by their keys: whom to ask for a relay to it. */
  hubs: (key: Uint8Array) => Promise<readonly Uint8Array[]>;
  /** What is kept for a peer under a name. */
  blob: (cid: Uint8Array, peer: Uint8Array) => Promise<Uint8Array | undefined>;
  /** The newest header and signature that were verified of a key. */
  newest: (key: Uint8Array) => Promise<Uint8Array | undefined>;
}
export const MeshInbound = token<MeshInbound>('mesh-inbound');

/** The transport that takes over sockets of the node's own HTTP server. */
export const MeshListener = token<AcceptingTransport>('mesh-listener');

export const resolverPort = port(Resolver, { open: () => systemResolver });

export const meshInboundPort = port(MeshInbound, {
  open: (): MeshInbound => ({
    receive: async () => 'rate-limited',
    lookup: async () => [],
    hubs: async () => [],
    newest: async () => undefined,
    blob: async () => undefined,
  }),
});

export function meshListenerPort(adapters: Adapters) {
  return port(MeshListener, {
    async open() {
      const found = (await adapters.transports()).find(accepts);
      if (!found) throw new Error('no transport takes over sockets of the HTTP server');
      return found;
    },
  });
}

export const meshPort = port(Mesh, {
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

/** The mesh addresses of the aggregators and hubs that were configured; for a hub these are its fellows. */
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

/** The WebSocket address of the mesh behind an HTTP address. */
export function meshUrl(base: string): string {
  return `${base.replace(/^http/, 'ws').replace(/\/$/, '')}/mesh`;
}

function viewOf(bytes: Uint8Array) {
  const decoded = lookAtEnvelope(bytes);
  return decoded.ok ? { id: envelopeId(decoded.value), sender: decoded.value.sender } : undefined;
}

function limitsOf({ mesh: { pingSecs, peerRate } }: Settings): Partial<MeshLimits> {
  return { ...(pingSecs && { pingMs: pingSecs * 1_000 }), ...(peerRate && { envelopeRate: peerRate }) };
}
