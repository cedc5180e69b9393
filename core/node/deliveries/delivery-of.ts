import { MeshError } from '../../contracts/errors.ts';
import type { DealBook } from '../deals/deal-book.ts';
import type { ExpectedBlobs } from './expected-blobs.ts';

export interface DeliveryMeans {
  readonly deals: Pick<DealBook, 'get'>;
  readonly expected: Pick<ExpectedBlobs, 'read'>;
}

/** The bytes of the large delivery in a deal. Throws `not_found` where there is none. */
export async function deliveryOf(conversation: string, { deals, expected }: DeliveryMeans): Promise<Uint8Array> {
  const { deal } = await deals.get(conversation);
  const bytes = await expected.read(deal.conversation);
  if (bytes) return bytes;
  throw new MeshError(
    'not_found',
    'No delivery above 48 KiB came in this deal: smaller ones are in the DELIVER itself.',
  );
}
