import { formatUsdc } from '../../platform/usdc.ts';
import { lastOffer } from '../../protocol/deals/deal.ts';
import type { DealDocument } from './deal-document.ts';

/** The `data` that `/ws/events` sends about a deal that changed. */
export function dealEvent({ deal }: DealDocument): Record<string, unknown> {
  const { conversation, state, requester, provider } = deal;
  return {
    conversation_id: conversation,
    state,
    requester,
    provider,
    amount_usdc: formatUsdc(BigInt(lastOffer(deal).amount)),
  };
}
