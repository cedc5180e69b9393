import { createHash } from 'node:crypto';
import { createWsTransport } from '../../adapters/mesh-ws/ws-transport.ts';
import { certifierOf } from '../../core/host/wiring/certifier.ts';
import type { SendOutcome } from '../../core/mesh/ack.ts';
import { createMesh } from '../../core/mesh/mesh.ts';
import type { Mesh, MeshOptions } from '../../core/mesh/mesh-contract.ts';
import type { Clock } from '../../core/platform/clock.ts';
import { silentLog } from '../../core/platform/log.ts';
import { systemClock, systemRandom } from '../../core/platform/system-clock.ts';
import { parseAgentId } from '../../core/protocol/identity/ids.ts';
import { defineNetwork } from '../../core/protocol/identity/network.ts';
import { TestAgent, type Wire } from '../aggregator/support/agent.ts';
import { happens } from './happens.ts';

export const network = defineNetwork({ name: 'mesh-tests' });

export interface StrangerOptions {
  readonly hub?: string;
  /** The time it lives by, and the time it writes where that is another. */
  readonly clock?: Clock;
  readonly now?: () => number;
  /** It reaches everybody over the hub, and stays there. */
  readonly relayed?: boolean;
  /** What it keeps for others. */
  readonly blobFor?: MeshOptions['blobFor'];
}

type UrlOf = (id: string) => string;

/** An agent without a node: it signs what it likes and sends any bytes over real mesh sessions. */
export class Stranger extends TestAgent {
  readonly #mesh: Mesh;

  private constructor(
    name: string,
    { hub, clock = systemClock, now = clock.now.bind(clock), relayed = false, blobFor }: StrangerOptions,
    urlOf: UrlOf,
  ) {
    super(name, now, network);
    this.#mesh = createMesh({
      certifier: certifierOf(this.identity, network),
      network: network.id,
      transports: [createWsTransport()],
      clock,
      random: systemRandom,
      log: silentLog,
      name,
      hub: false,
      hubs: hub === undefined ? [] : [{ url: meshUrl(hub) }],
      limits: { redialMs: 50, ...(relayed && { upgradeTries: 0 }) },
      directory: { lookup: async (key) => (relayed ? [] : [meshUrl(urlOf(Buffer.from(key).toString('hex')))]) },
      envelopes: { view: () => undefined },
      onEnvelope: async () => 'accepted',
      ...(blobFor && { blobFor }),
    });
    this.#mesh.start();
  }

  /** `targets` are the nodes it can dial; `hub` takes its broadcasts. */
  static async start(
    name: string,
    targets: readonly { readonly id: string; readonly url: string }[],
    options: StrangerOptions = {},
  ): Promise<Stranger> {
    const hex = (id: string) => Buffer.from(parseAgentId(id)!).toString('hex');
    const stranger = new Stranger(name, options, (key) => targets.find(({ id }) => hex(id) === key)!.url);
    if (options.hub !== undefined) {
      await happens(`${name} is connected`, async () => stranger.#mesh.peers().some((peer) => peer.hub) || undefined);
    }
    return stranger;
  }

  /** What the recipient answers to these bytes. */
  send(to: { readonly id: string }, what: Wire | Uint8Array): Promise<SendOutcome> {
    const bytes = what instanceof Uint8Array ? what : bytesOf(what);
    return this.#mesh.deliver(parseAgentId(to.id)!, bytes, createHash('sha256').update(bytes).digest());
  }

  broadcast(what: Wire, topic: string): void {
    const bytes = bytesOf(what);
    this.#mesh.broadcast(bytes, Buffer.from(what.id, 'hex'), topic);
  }

  /** Asks the hub about a key; resolves with its answer, or with nothing when there was none in time. */
  locate(key: Uint8Array): Promise<unknown> {
    return this.#mesh.locate(key);
  }

  stop(): Promise<void> {
    return this.#mesh.close();
  }
}

export function bytesOf({ whole }: Wire): Uint8Array {
  return new Uint8Array(Buffer.from(whole.envelope_b64, 'base64'));
}

function meshUrl(url: string): string {
  return `${url.replace(/^http/, 'ws')}/mesh`;
}
