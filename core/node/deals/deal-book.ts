import { MeshError } from '../../contracts/errors.ts';
import type { Messages, Sent } from '../../messaging/messages.ts';
import type { MessageName } from '../../protocol/envelopes/message-types.ts';
import { codecOf } from '../../protocol/envelopes/payloads/codecs.ts';
import type { Payloads, TypedPayload } from '../../protocol/envelopes/payloads/payloads.ts';
import { formatConversationId, parseAgentId, parseConversationId } from '../../protocol/identity/ids.ts';
import type { Network } from '../../protocol/identity/network.ts';
import type { AgentIdentity } from '../../protocol/signer/identity.ts';
import type { Found } from '../../storage/pages.ts';
import type { Space } from '../../storage/space.ts';
import type { PartnerKeys } from '../partner-keys.ts';
import { type DealDocument, deals, namedProvider } from './deal-document.ts';
import type { DealMessage } from './deal-events.ts';
import { dealSendHook } from './deal-rules.ts';
import type { Means } from './means.ts';
import type { OfferCaps } from './offer-caps.ts';
import type { Partners } from './partners.ts';
import { publicPartFor } from './public-part.ts';

export interface DealsOptions {
  readonly space: Space;
  readonly messages: Messages;
  readonly identity: AgentIdentity;
  readonly network: Network;
  readonly changed: (document: DealDocument) => void;
  readonly partners: Pick<Partners, 'check'>;
  readonly caps: Pick<OfferCaps, 'check'>;
  readonly means: Means;
  /** Asked before this agent binds itself by ACCEPT. */
  readonly partnerKeys?: Pick<PartnerKeys, 'check'>;
}

/** How a step is sent. */
interface How {
  /** Makes a repeated call harmless. */
  readonly operationId?: string | undefined;
  /** Whether only the other side shall be able to read it. */
  readonly sealed?: boolean | undefined;
  /** The asset of a registry by which the recipient of a first offer was named. */
  readonly named?: string | undefined;
}

/** The deals of this node's agent: its steps, and the state of each deal. */
export class DealBook {
  readonly #options: DealsOptions;

  constructor(options: DealsOptions) {
    this.#options = options;
  }

  /** Makes the first offer of a deal. */
  propose(recipient: Uint8Array, conversation: Uint8Array, value: Payloads['PROPOSE'], how: How = {}): Promise<Sent> {
    return this.#send(recipient, conversation, { msgType: 'PROPOSE', value }, how);
  }

  /** Takes a further step; the recipient is the other side. Conversation ids may be in either case. */
  async step<N extends Exclude<DealMessage, 'PROPOSE'>>(
    conversationId: string,
    msgType: N,
    value: Payloads[N],
    how: How = {},
  ): Promise<Sent> {
    const { deal } = await this.get(conversationId);
    const other = this.#self === deal.requester ? deal.provider : deal.requester;
    const payload = { msgType, value } as TypedPayload;
    return this.#send(parseAgentId(other)!, parseConversationId(deal.conversation)!, payload, how);
  }

  /** The step that an earlier call of this operation took. */
  async takenBefore(operationId: string | undefined): Promise<Sent | undefined> {
    const { messages, changed } = this.#options;
    const sent = await messages.sentBefore(operationId);
    // Whoever took it may have ended before it told of it.
    if (sent) changed(await this.get(sent.conversation_id));
    return sent;
  }

  async get(conversationId: string): Promise<DealDocument> {
    const document = await this.find(conversationId);
    if (!document) throw new MeshError('not_found', `There is no deal ${conversationId} on this node.`);
    return document;
  }

  find(conversationId: string): Promise<DealDocument | undefined> {
    return this.#options.space.get(deals.ref(conversationId.toLowerCase()));
  }

  /** The most recently changed first; `after` is the last row of the page before. */
  page(state: string | undefined, limit: number, after?: { key: string; id: string }): Promise<Found<DealDocument>[]> {
    const index = state === undefined ? ({ index: 'recent' } as const) : ({ index: 'state', prefix: [state] } as const);
    return this.#options.space.page(deals, { ...index, reverse: true, limit, ...(after && { after }) });
  }

  get #self(): string {
    return this.#options.identity.address;
  }

  #send(recipient: Uint8Array, conversationId: Uint8Array, payload: TypedPayload, how: How = {}): Promise<Sent> {
    return this.#options.means.within(this.#sign(recipient, conversationId, payload, how));
  }

  async #sign(recipient: Uint8Array, conversationId: Uint8Array, payload: TypedPayload, how: How): Promise<Sent> {
    const { messages, network, identity, changed, partners, caps, partnerKeys } = this.#options;
    const { msgType } = payload;
    if (msgType === 'ACCEPT' && partnerKeys) {
      const document = await this.find(formatConversationId(conversationId));
      if (document) await partnerKeys.check(namedProvider(document));
    }
    await partners.check(formatConversationId(conversationId), payload);
    await caps.check(formatConversationId(conversationId), payload);
    const body = codecOf<MessageName>(msgType, network.version).encode(payload.value, identity.key);
    const purpose = dealSendHook(formatConversationId(conversationId), payload, how.named);
    const publicPart = publicPartFor(payload, formatConversationId(conversationId), identity.key);
    const draft = { msgType, recipient, conversationId, body, publicPart, sealed: how.sealed };
    const sent = await messages.send(draft, purpose, how.operationId);
    changed(await this.get(sent.conversation_id));
    return sent;
  }
}
