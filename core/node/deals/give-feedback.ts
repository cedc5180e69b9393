import type { SchemaTypes } from '../../../schemas/types.ts';
import type { Messages } from '../../messaging/messages.ts';
import { codecOf } from '../../protocol/envelopes/payloads/codecs.ts';
import { parseConversationId } from '../../protocol/identity/ids.ts';
import type { Network } from '../../protocol/identity/network.ts';
import type { Identity } from '../../protocol/signer/identity.ts';
import { feedbackOf, feedbackView } from '../requests/feedback.ts';
import type { DealBook } from './deal-book.ts';
import { feedbackPurpose } from './feedback-purpose.ts';
import type { Means } from './means.ts';
import { publicPartFor } from './public-part.ts';

export interface GiveFeedbackOptions {
  readonly deals: DealBook;
  readonly messages: Messages;
  readonly identity: Identity;
  readonly network: Network;
  readonly means: Means;
}

/** Rates the other side of a deal that has ended, for everybody to see. */
export async function giveFeedback(
  { deals, messages, identity, network, means }: GiveFeedbackOptions,
  request: SchemaTypes['feedback-request'],
  operationId: string | undefined,
): Promise<SchemaTypes['sent']> {
  const { deal } = await deals.get(request.conversation_id);
  const value = feedbackOf(request, deal, identity.address);
  const draft = {
    msgType: 'FEEDBACK',
    conversationId: parseConversationId(deal.conversation)!,
    body: codecOf('FEEDBACK', network.version).encode(value, identity.key),
    publicPart: publicPartFor({ msgType: 'FEEDBACK', value }, deal.conversation, identity.key),
  } as const;
  const sent = await means.within(messages.send(draft, feedbackPurpose(value), operationId));
  return { ...sent, feedback: feedbackView(value) };
}
