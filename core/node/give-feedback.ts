import type { SchemaTypes } from '../../schemas/types.ts';
import { MeshError } from '../contracts/errors.ts';
import type { Messages } from '../messaging/messages.ts';
import { codecOf } from '../protocol/envelopes/payloads/codecs.ts';
import { parseConversationId } from '../protocol/identity/ids.ts';
import type { Network } from '../protocol/identity/network.ts';
import type { AgentIdentity } from '../protocol/signer/identity.ts';
import type { Means } from './deals/means.ts';
import type { Ratings } from './ratings.ts';

export interface GiveFeedbackOptions {
  readonly ratings: Ratings;
  readonly messages: Messages;
  readonly identity: AgentIdentity;
  readonly network: Network;
  readonly means: Means;
}

/** Rates the other side of a deal that has ended, or as its notary either side, for everybody to see. */
export async function giveFeedback(
  { ratings, messages, identity, network, means }: GiveFeedbackOptions,
  request: SchemaTypes['feedback-request'],
  operationId: string | undefined,
): Promise<SchemaTypes['sent']> {
  const conversation_id = request.conversation_id.toLowerCase();
  if (!(await ratings.find(conversation_id)))
    throw new MeshError('not_found', `This node is no party of a deal ${conversation_id}, and not its notary.`);
  const value = await ratings.read({ ...request, conversation_id });
  const { purpose, publicPart } = await ratings.sending(value);
  const draft = {
    msgType: 'FEEDBACK',
    conversationId: parseConversationId(conversation_id)!,
    body: codecOf('FEEDBACK', network.version).encode(value, identity.key),
    publicPart,
  } as const;
  const sent = await means.within(messages.send(draft, purpose, operationId));
  return { ...sent, ...(await ratings.answer(value)) };
}
