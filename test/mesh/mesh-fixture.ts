import { createHash, randomBytes } from 'node:crypto';
import { createWsTransport, type WsTransport } from '../../adapters/mesh-ws/ws-transport.ts';
import type { Ack, AckReason } from '../../core/mesh/ack.ts';
import { createMesh } from '../../core/mesh/mesh.ts';
import type { EnvelopeKind, EnvelopeOrigin, HubAddress, Mesh, MeshOptions } from '../../core/mesh/mesh-contract.ts';
import type { Clock } from '../../core/platform/clock.ts';
import { silentLog } from '../../core/platform/log.ts';
import { systemClock, systemRandom } from '../../core/platform/system-clock.ts';
import { testIdentity } from './test-identity.ts';

export const NETWORK = new Uint8Array(32).fill(7);

export interface Received {
  readonly envelope: Uint8Array;
  readonly from: EnvelopeOrigin;
  readonly kind: EnvelopeKind;
}

export interface TestNode {
  readonly mesh: Mesh;
  readonly transport: WsTransport;
  readonly key: Uint8Array;
  readonly url: string;
  readonly received: Received[];
  readonly events: string[];
  /** What the handler answers; `accepted` until changed. */
  answer: (received: Received) => Promise<Ack | AckReason>;
}

export type NodeOptions = Partial<Omit<MeshOptions, 'certifier' | 'transports' | 'hubs'>> & {
  readonly seed: number;
  readonly port?: number;
  /** A function is given the node's own URL. */
  readonly hubs?: readonly HubAddress[] | ((url: string) => readonly HubAddress[]);
  /** Says its own URL to its peers. */
  readonly announced?: boolean;
  /** Has its hubs test whether it can be dialled where it listens. */
  readonly tested?: boolean;
  readonly clock?: Clock;
};

/** Nodes on real sockets; `close` ends all of them. */
export class TestMesh {
  readonly #nodes: TestNode[] = [];
  readonly #transports: WsTransport[] = [];

  async node({
    seed,
    port = 0,
    hubs = [],
    announced = false,
    tested = false,
    ...given
  }: NodeOptions): Promise<TestNode> {
    const transport = createWsTransport();
    this.#transports.push(transport);
    const url = await transport.listen({ port });
    const certifier = testIdentity(seed);
    const received: Received[] = [];
    const events: string[] = [];
    const mesh = createMesh({
      certifier,
      network: NETWORK,
      transports: [transport],
      clock: systemClock,
      random: systemRandom,
      log: silentLog,
      name: `node ${seed}`,
      hub: false,
      envelopes: { view: viewEnvelope },
      onEnvelope(envelope, from, kind) {
        const item = { envelope: Uint8Array.from(envelope), from, kind };
        received.push(item);
        return node.answer(item);
      },
      hubs: typeof hubs === 'function' ? hubs(url) : hubs,
      ...(announced ? { url } : {}),
      ...given,
      limits: { backoffMs: 20, maxBackoffMs: 100, retireMs: 50, redialMs: 50, ...given.limits },
    });
    mesh.watch({
      peerUp: (peer) => events.push(`up ${peer.name}`),
      peerDown: (peer, reason) => events.push(`down ${peer.name}: ${reason}`),
      identityInUse: (_, peer) => events.push(`identity in use${peer ? `, says ${peer.name}` : ''}`),
      newestSeen: (newest, peer) => events.push(`newest ${Buffer.from(newest)} of ${peer.name}`),
    });
    const node: TestNode = {
      mesh,
      transport,
      key: certifier.key,
      url,
      received,
      events,
      answer: async () => 'accepted',
    };
    mesh.start(tested ? url : undefined);
    this.#nodes.push(node);
    return node;
  }

  async close(): Promise<void> {
    await Promise.all(this.#nodes.map(({ mesh }) => mesh.close()));
    // Also those of nodes that never came to be.
    await Promise.all(this.#transports.map((transport) => transport.close()));
  }
}

/** Stands in for the envelope codec: sender, then anything; the id is a hash of all. */
export function makeEnvelope(sender: Uint8Array, size = 300): Uint8Array {
  return Buffer.concat([sender, randomBytes(size - 32)]);
}

export function viewEnvelope(envelope: Uint8Array) {
  if (envelope.length < 40) return undefined;
  return { id: idOf(envelope), sender: envelope.subarray(0, 32) };
}

export function idOf(envelope: Uint8Array): Uint8Array {
  return createHash('sha256').update(envelope).digest();
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
