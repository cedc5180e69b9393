import { fromHex } from '../../../core/platform/bytes.ts';
import type { MessageName } from '../../../core/protocol/envelopes/message-types.ts';
import type { PublicPart } from '../../../core/protocol/envelopes/public-part.ts';

/** What honest agents know of their conversation when they sign: who pays, the last offer, the ACCEPT. */
interface Conversation {
  payer?: Uint8Array;
  offer?: string;
  accepted?: string;
}

const known = new Map<string, Conversation>();
const NOTHING = new Uint8Array(32);

/** What an honest agent would show of this message. */
export function publicPartIn(
  conversation: string | undefined,
  msgType: MessageName,
  self: Uint8Array,
  offer?: string,
): PublicPart {
  const { payer = self, offer: last, accepted } = known.get(conversation ?? '') ?? {};
  if (msgType === 'PROPOSE') return { payer: self, answers: undefined };
  const answers = msgType === 'ACCEPT' ? offer : msgType === 'COUNTER' || msgType === 'REJECT' ? last : accepted;
  return { payer, answers: (answers === undefined ? undefined : fromHex(answers, 32)) ?? NOTHING };
}

/** Notes what was signed in it. */
export function noteIn(conversation: string, msgType: MessageName, id: string, self: Uint8Array): void {
  const before = known.get(conversation) ?? {};
  if (msgType === 'PROPOSE') known.set(conversation, { ...before, payer: before.payer ?? self, offer: id });
  if (msgType === 'COUNTER') known.set(conversation, { ...before, offer: id });
  if (msgType === 'ACCEPT') known.set(conversation, { ...before, accepted: before.accepted ?? id });
}
