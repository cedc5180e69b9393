import type { Mesh } from '../mesh/mesh-contract.ts';
import type { EnvelopeSender } from '../messaging/delivery.ts';

/** Lets the outbox send over the mesh. */
export function envelopeSenderOf(mesh: Mesh): EnvelopeSender {
  return {
    deliver: (recipient, envelope, id) => mesh.deliver(recipient, envelope, id),
    async broadcast(envelope, id, topic) {
      return mesh.broadcast(envelope, id, topic) > 0 ? { outcome: 'sent' } : { outcome: 'unreachable' };
    },
  };
}
