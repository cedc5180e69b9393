import type { Mesh } from '../mesh/mesh-contract.ts';
import type { Messages } from '../messaging/messages.ts';
import { codecOf } from '../protocol/envelopes/payloads/codecs.ts';
import type { BeaconPayload } from '../protocol/envelopes/payloads/payloads.ts';
import { formatAgentId, NO_CONVERSATION } from '../protocol/identity/ids.ts';
import type { Network } from '../protocol/identity/network.ts';
import type { Identity } from '../protocol/signer/identity.ts';

const MOST_HUBS = 8;

export interface BeaconOptions {
  readonly messages: Messages;
  readonly mesh: Mesh;
  readonly identity: Identity;
  readonly network: Network;
  readonly name: string;
  /** Where this node can be dialled; undefined when it cannot. */
  readonly url: () => string | undefined;
  /** The registry asset of this agent; undefined while none is known. */
  readonly asset: () => string | undefined;
  /** The claims of agents that this node acts for. */
  readonly hosted: () => NonNullable<BeaconPayload['hosted']>;
  /** Of those of them that go on for other keys. */
  readonly successions: () => NonNullable<BeaconPayload['successions']>;
}

/** Announces this node to the mesh; false where it has no hub yet. */
export async function sendBeacon({
  messages,
  mesh,
  identity,
  network,
  name,
  url,
  asset,
  hosted,
  successions,
}: BeaconOptions): Promise<boolean> {
  const hubs = mesh.peers().filter(({ hub, dialled, state }) => hub && dialled && state === 'open');
  if (hubs.length === 0) return false;
  const address = url();
  const claims = hosted();
  const moves = successions();
  const registered = asset();
  const value = {
    name: printable(name),
    hubs: hubs.slice(0, MOST_HUBS).map(({ key }) => formatAgentId(key)),
    ...(address !== undefined && { url: address }),
    ...(registered !== undefined && { asset: registered }),
    ...(claims.length > 0 && { hosted: claims }),
    ...(moves.length > 0 && { successions: moves }),
  };
  const body = codecOf('BEACON', network.version).encode(value, identity.key);
  await messages.send({ msgType: 'BEACON', conversationId: NO_CONVERSATION, body });
  return true;
}

function printable(name: string): string {
  return name.replace(/[^ -~]/g, '?').slice(0, 64);
}
