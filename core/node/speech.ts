import type { SchemaTypes } from '../../schemas/types.ts';
import type { Contracts } from '../contracts/contracts.ts';
import { invalidField, MeshError } from '../contracts/errors.ts';
import type { Messages } from '../messaging/messages.ts';
import type { Clock, Random } from '../platform/clock.ts';
import { isSpoken, MESSAGE_TYPES, type MessageName, parseMessageName } from '../protocol/envelopes/message-types.ts';
import { MAX_INLINE } from '../protocol/envelopes/payloads/deliver.ts';
import type { TypedPayload } from '../protocol/envelopes/payloads/payloads.ts';
import { formatAgentId, formatConversationId } from '../protocol/identity/ids.ts';
import type { EnvelopeVersion, Network } from '../protocol/identity/network.ts';
import type { AgentIdentity } from '../protocol/signer/identity.ts';
import type { Judge, SentMessage } from '../services.ts';
import type { Space } from '../storage/space.ts';
import { type DealDocument, deals, namedProvider } from './deals/deal-document.ts';
import type { Means } from './deals/means.ts';
import type { Partners } from './deals/partners.ts';
import { publicPartFor } from './deals/public-part.ts';
import { sendHookOf } from './deals/send-hook.ts';
import type { KeptBlobs } from './deliveries/kept-blobs.ts';
import type { PartnerKeys } from './partner-keys.ts';
import type { Ratings } from './ratings.ts';
import { agentOf, conversationOfMessage, recipientOf } from './requests/addresses.ts';
import { contentOf, inline, requireDelivery } from './requests/delivery.ts';
import { checkTopic } from './requests/payloads.ts';
import { PayloadReader } from './requests/spoken-payload.ts';

export interface SpeechOptions {
  readonly messages: Messages;
  readonly space: Space;
  readonly identity: AgentIdentity;
  readonly network: Network;
  readonly random: Random;
  readonly clock: Clock;
  readonly contracts: Contracts;
  readonly partners: Pick<Partners, 'check'>;
  readonly kept: Pick<KeptBlobs, 'keep'>;
  readonly ratings: Ratings;
  readonly means: Means;
  /** Gives the verdicts of this agent's cases; without it a VERDICT is a message like others. */
  readonly judge?: Pick<Judge, 'verdict'>;
  /** Finds the key of an agent that is named by its asset, and is asked before this agent binds itself by ACCEPT. */
  readonly partnerKeys: Pick<PartnerKeys, 'check' | 'named'>;
}

/** How a request came. */
export interface SpeechCall {
  readonly operationId?: string | undefined;
  /** Gets the names of members that nobody knows. */
  readonly ignored: string[];
  /** Throws when its caller may not send any more in this deal, or outside of one. */
  permit(document: DealDocument | undefined): void;
  /** Called before the message is signed, with the minor units of USDC that it offers or accepts; a throw refuses it. */
  readonly before?: ((amount: bigint) => void | Promise<void>) | undefined;
}

type Request = SchemaTypes['send-request'];

/** Sends any envelope that an agent may send, from the words of a request. */
export class Speech {
  readonly #options: SpeechOptions;
  readonly #payloads: PayloadReader;

  constructor(options: SpeechOptions) {
    const { contracts, random, network, identity, space, ratings, means } = options;
    this.#options = options;
    this.#payloads = new PayloadReader({
      contracts,
      random,
      version: network.version,
      key: identity.key,
      dealOf: async (conversation) => (await space.get(deals.ref(conversation)))?.deal,
      ratingOf: (request) => ratings.read(request),
      content: (bytes, request, conversation) => means.within(this.#placed(bytes, request, conversation)),
    });
  }

  async send(
    request: Request,
    { operationId, ignored, permit, before: price }: SpeechCall,
  ): Promise<SchemaTypes['sent']> {
    const { network, random, space, judge, means, partners, messages, ratings, partnerKeys } = this.#options;
    const msgType = parseMessageName(request.msg_type);
    if (!msgType || !sendable(network.version).includes(msgType)) throw unknownType(request.msg_type, network);
    // A call whose answer was lost is not held against what it has changed itself. The answer to a rating says more.
    const before = msgType === 'FEEDBACK' ? undefined : await messages.sentBefore(operationId);
    if (before) return before;
    const { body, asset } = await this.#byKeys(request, msgType);
    const { typed, bytes } = await this.#payloads.read(msgType, body, ignored);
    checkTopic(typed);
    const recipient = recipientOf(body.recipient, typed);
    const conversationId = conversationOfMessage(body.conversation_id, typed, random);
    const { sealed } = body;
    const conversation = formatConversationId(conversationId);
    const document = await space.get(deals.ref(conversation));
    permit(document);
    const own = typed.msgType === 'VERDICT' && recipient ? typed.value : undefined;
    const verdict = own && (await judge?.verdict(conversation, own, formatAgentId(recipient!)));
    if (verdict) return sentOf(verdict);
    const rating = typed.msgType === 'FEEDBACK' ? typed.value : undefined;
    const { publicPart, purpose } = rating ? await ratings.sending(rating) : this.#moving(typed, conversation, asset);
    const head = { msgType, conversationId, body: bytes, sealed, publicPart };
    const draft = { ...head, ...(recipient && { recipient }) };
    await means.within(partners.check(conversation, typed));
    if (msgType === 'ACCEPT' && document) await partnerKeys.check(namedProvider(document));
    await price?.(amountIn(typed));
    const sent = await means.within(messages.send(draft, purpose, operationId));
    return rating ? { ...sent, ...(await ratings.answer(rating)) } : sent;
  }

  /** The request with the keys of whom it goes to and whom it rates; no contract names the members of a payload. */
  async #byKeys(request: Request, msgType: MessageName): Promise<{ readonly body: Request; readonly asset?: string }> {
    const { partnerKeys } = this.#options;
    const rated = (request.payload as { readonly target_agent?: unknown } | null | undefined)?.target_agent;
    const { recipient } = request;
    const use = msgType === 'PROPOSE' ? 'binding' : 'usual';
    const to = recipient == null ? undefined : await partnerKeys.named(recipient, '/recipient', use);
    const body = to ? { ...request, recipient: to.key } : request;
    const asset = to?.asset !== undefined && { asset: to.asset };
    if (msgType !== 'FEEDBACK' || typeof rated !== 'string') return { body, ...asset };
    const { key } = await partnerKeys.named(rated, '/payload/target_agent', use);
    return { body: { ...body, payload: { ...request.payload, target_agent: key } }, ...asset };
  }

  #moving(typed: TypedPayload, conversation: string, asset: string | undefined) {
    const publicPart = publicPartFor(typed, conversation, this.#options.identity.key);
    return { publicPart, purpose: sendHookOf(typed, conversation, asset) };
  }

  /** The content of a DELIVER, or the place where its recipient gets it when no envelope can carry it. */
  async #placed(bytes: Uint8Array, request: Request, conversation: string) {
    if (bytes.length <= MAX_INLINE) return inline(bytes);
    const { space, identity, clock } = this.#options;
    const document = await space.get(deals.ref(conversation.toLowerCase()));
    if (!document) throw new MeshError('not_found', `There is no deal ${conversation} on this node.`);
    if (request.recipient == null) throw invalidField('/recipient', 'is needed: a DELIVER goes to one agent');
    const recipient = agentOf(request.recipient, '/recipient');
    const require = () => requireDelivery(document, identity.address, clock.now());
    const { sealed } = request;
    const handover = { recipient, conversation: document.deal.conversation, sealed, require };
    return contentOf(bytes, handover, this.#options);
  }
}

/** The answer to a call that had a plugin send its message. */
function sentOf({ id, conversationId, nonce, payloadHash, status }: SentMessage): SchemaTypes['sent'] {
  return { envelope_id: id, conversation_id: conversationId, nonce, payload_hash: payloadHash, status };
}

/** The minor units of USDC that a message offers or accepts. */
function amountIn({ msgType, value }: TypedPayload): bigint {
  return msgType === 'PROPOSE' || msgType === 'COUNTER' || msgType === 'ACCEPT' ? value.amount_usdc_micro : 0n;
}

/** The types that an agent may send by itself: all but BEACON, which its node sends. */
function sendable(version: EnvelopeVersion): MessageName[] {
  return MESSAGE_TYPES.map(({ name }) => name).filter((name) => name !== 'BEACON' && isSpoken(name, version));
}

function unknownType(given: string, { version }: Network): MeshError {
  const types = sendable(version).join(', ');
  return invalidField('/msg_type', `is no message type an agent sends: ${given.slice(0, 32)}. It is one of ${types}`);
}
