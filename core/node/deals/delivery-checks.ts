import { MeshError } from '../../contracts/errors.ts';
import { provider } from '../../provider.ts';
import { DeliveryChecks } from '../../services.ts';
import { NodeSpace } from '../services/messaging.ts';
import { deals, withFindings } from './deal-document.ts';

/** Stores the results of acceptance checks with their deals; the node decides its escrow duties by them. */
export const deliveryChecksProvider = provider(DeliveryChecks, {
  uses: { space: NodeSpace },
  open: ({ space }): DeliveryChecks => ({
    async found(conversationId, delivery, fits) {
      const ref = deals.ref(conversationId.toLowerCase());
      const { value } = await space.tx([ref], (tx) => {
        const document = tx.get(ref);
        if (document) tx.put(ref, withFindings(document, { delivery, fits }));
        return document !== undefined;
      });
      if (!value) throw new MeshError('not_found', `There is no deal ${conversationId} on this node.`);
    },
  }),
});
