import type { Member } from './mesh.ts';

export interface DealWish {
  readonly amount_usdc?: string;
  readonly message?: string;
  readonly max_rounds?: number;
  readonly deadline_secs?: number;
  readonly escrow?: boolean;
}

/** A proposal of `requester` to `provider`, there already; gives its conversation. */
export async function proposed(requester: Member, provider: Member, wish: DealWish = {}): Promise<string> {
  const { amount_usdc = '1.5', message = 'Count the words.', ...terms } = wish;
  const { conversation_id } = await requester.client.propose({
    recipient: provider.id,
    amount_usdc,
    message,
    ...terms,
  });
  await provider.dealWhen(conversation_id, 'proposed');
  return conversation_id;
}

/** The same deal, accepted by the provider, on both sides. */
export async function accepted(requester: Member, provider: Member, wish: DealWish = {}): Promise<string> {
  const conversation_id = await proposed(requester, provider, wish);
  await provider.client.accept({ conversation_id });
  await requester.dealWhen(conversation_id, 'accepted');
  return conversation_id;
}

/** The same deal, delivered. */
export async function delivered(requester: Member, provider: Member, wish: DealWish = {}): Promise<string> {
  const conversation_id = await accepted(requester, provider, wish);
  await provider.client.deliver({ conversation_id, content: '{"words":3}', content_type: 'application/json' });
  await requester.dealWhen(conversation_id, (deal) => deal.state === 'delivered' || deal.state === 'settled');
  return conversation_id;
}
