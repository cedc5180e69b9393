import { MeshError } from '../../errors.ts';
import type { Purpose } from '../../messaging/outgoing.ts';
import { deals } from './deal-document.ts';

/** Remembers, together with sending it, that this node has rated the deal: a rating counts once. */
export function feedbackPurpose(conversation: string): Purpose {
  const ref = deals.ref(conversation);
  return {
    reads: [ref],
    apply(tx) {
      const document = tx.get(ref);
      if (!document) throw new MeshError('not_found', `There is no deal ${conversation} on this node.`);
      if (document.rated) throw new MeshError('invalid_transition', 'You have rated this deal; a rating counts once.');
      tx.put(ref, { ...document, rated: true, updated_at: tx.now });
    },
  };
}
