import type { Mesh } from '../mesh/mesh-contract.ts';
import type { Attempt, EnvelopeSender } from '../messaging/delivery.ts';
import type { Carrier } from '../messaging/fallback.ts';
import { type LocalRecipients, THIS_NODE } from '../messaging/local-recipients.ts';
import { formatAgentId } from '../protocol/identity/ids.ts';

export interface EnvelopeSenderOptions {
  readonly mesh: Mesh;
  readonly recipients: LocalRecipients;
  /** The node that acts for a key; undefined for keys that dial and are dialled themselves. */
  hostOf(key: Uint8Array): Promise<Uint8Array | undefined>;
  /** Whether there is a session with a key, base58. */
  isConnected(key: string): boolean;
  readonly fallback: Carrier;
}

/**
 * Lets an outbox send: to an agent of this node without the network, to one that another node acts for over the session with that
 * node, to everybody else over a session of their own.
 */
export function envelopeSenderOf({
  mesh,
  recipients,
  hostOf,
  isConnected,
  fallback,
}: EnvelopeSenderOptions): EnvelopeSender {
  async function handOver(envelope: Uint8Array): Promise<Attempt> {
    return { outcome: 'acked', ...(await recipients.receive(envelope, false, THIS_NODE)) };
  }
  return {
    async deliver(recipient, envelope, id) {
      if (recipients.has(formatAgentId(recipient))) return handOver(envelope);
      return mesh.deliver((await hostOf(recipient)) ?? recipient, envelope, id);
    },
    async waits(recipient) {
      const id = formatAgentId(recipient);
      if (recipients.has(id) || isConnected(id)) return false;
      const host = await hostOf(recipient);
      return host && isConnected(formatAgentId(host)) ? false : fallback.waits(id);
    },
    leave: (letter) => fallback.leave(letter),
    async broadcast(envelope, id, topic) {
      const told = mesh.broadcast(envelope, id, topic);
      if (told === 0) return { outcome: 'unreachable' };
      // The mesh gives nothing back to where it came from. Whatever the own agent answers, the broadcast is sent.
      await recipients.overhear(envelope, topic).catch(() => {});
      return { outcome: 'sent' };
    },
  };
}
