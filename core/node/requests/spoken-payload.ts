import type { SchemaTypes } from '../../../schemas/types.ts';
import type { Contracts } from '../../contracts/contracts.ts';
import { invalidField } from '../../contracts/errors.ts';
import type { SchemaName } from '../../contracts/typed.ts';
import { noNotes, RequestReader, respelt } from '../../http/request-reader.ts';
import { fromBase64, isZero } from '../../platform/bytes.ts';
import type { Random } from '../../platform/clock.ts';
import { type Deal, lastOffer } from '../../protocol/deals/deal.ts';
import type { MessageName } from '../../protocol/envelopes/message-types.ts';
import { codecOf } from '../../protocol/envelopes/payloads/codecs.ts';
import { MAX_INLINE } from '../../protocol/envelopes/payloads/deliver.ts';
import type { FeedbackPayload, Payloads, TypedPayload } from '../../protocol/envelopes/payloads/payloads.ts';
import { formatConversationId, parseAgentId } from '../../protocol/identity/ids.ts';
import type { EnvelopeVersion } from '../../protocol/identity/network.ts';
import { agentOf, conversationOf } from './addresses.ts';
import { contentType, type DeliveredContent } from './delivery.ts';
import { jsonInBytes } from './json-in-bytes.ts';
import { bodyOfRequest, bountyOf, parsePayload } from './payloads.ts';
import { verdictOf } from './verdicts.ts';

type Request = SchemaTypes['send-request'];
type Words = Record<string, unknown>;

/** A payload as its type has it, with its bytes. */
export interface Spoken {
  readonly bytes: Uint8Array;
  readonly typed: TypedPayload;
}

export interface Speaker {
  readonly contracts: Contracts;
  readonly version: EnvelopeVersion;
  readonly key: Uint8Array;
  readonly random: Random;
  /** The deal of this node in a conversation, where it has one. */
  dealOf(conversation: string): Promise<Deal | undefined>;
  /** The rating that a request means. */
  ratingOf(request: SchemaTypes['feedback-request']): Promise<FeedbackPayload>;
  /** The content of a DELIVER, or where it is when no envelope can carry it. */
  content(bytes: Uint8Array, request: Request, conversation: string): Promise<DeliveredContent>;
}

/** What the JSON of a type may hold over HTTP, where that is more than the type itself. */
const WORDS: Partial<Record<MessageName, SchemaName>> = { FEEDBACK: 'feedback-request', VERDICT: 'verdict-words' };
/** Types that name their conversation in the payload too. */
const NAMES_CONVERSATION: readonly MessageName[] = ['DELIVER', 'FEEDBACK', 'NOTARIZE_BID'];
/** Types that agree on money, where no misspelt member may be passed over. */
const AGREES: readonly MessageName[] = ['PROPOSE', 'COUNTER', 'ACCEPT'];

/**
 * Reads what a request wants to say as liberally as HTTP may be: JSON or bytes, in the words that clients use. Bytes that
 * are a payload go out as they are; what comes of everything else is written by the codec, which is strict.
 */
export class PayloadReader {
  readonly #speaker: Speaker;
  readonly #reader: RequestReader;

  constructor(speaker: Speaker) {
    this.#speaker = speaker;
    this.#reader = new RequestReader(speaker.contracts);
  }

  /** Adds to `ignored` the members of the payload that nobody knows. */
  async read(msgType: MessageName, request: Request, ignored: string[]): Promise<Spoken> {
    const { version, key } = this.#speaker;
    const given = bodyOfRequest(request);
    if (msgType === 'FEEDBACK' && named(request.recipient)) agentOf(request.recipient, '/recipient');
    if (!(given instanceof Uint8Array)) return this.#spoken(msgType, given as Words, request, '/payload', ignored);
    const json = jsonInBytes(msgType, given, version, key);
    if (json) return this.#spoken(msgType, json, request, '/payload_b64', ignored);
    const whole = msgType === 'DELIVER' && !codecOf('DELIVER', version).decode(given, key).ok;
    if (!whole) return parsePayload(msgType, version, given, key);
    return parsePayload('DELIVER', version, await this.#wrapped(given, request), key);
  }

  /** A DELIVER whose content came as plain bytes. */
  async #wrapped(bytes: Uint8Array, request: Request): Promise<Payloads['DELIVER']> {
    const conversation = needed(request.conversation_id);
    const type = contentType(bytes);
    const content = await this.#speaker.content(bytes, request, conversation);
    return { conversation_id: conversation, ...(type && { content_type: type }), ...content };
  }

  /** A DELIVER as JSON, whose content may be too large for it. */
  async #delivered({ inline_b64, ...words }: Words, request: Request): Promise<object> {
    const bytes = typeof inline_b64 === 'string' ? fromBase64(inline_b64) : undefined;
    const conversation = words['conversation_id'];
    if (!bytes || bytes.length <= MAX_INLINE || typeof conversation !== 'string') return { ...words, inline_b64 };
    return { ...words, ...(await this.#speaker.content(bytes, request, conversation)) };
  }

  async #spoken(
    msgType: MessageName,
    words: Words,
    request: Request,
    pointer: string,
    ignored: string[],
  ): Promise<Spoken> {
    const { version, key } = this.#speaker;
    const notes = noNotes();
    try {
      const contract = WORDS[msgType] ?? (`${msgType.toLowerCase().replaceAll('_', '-')}-payload` as SchemaName);
      this.#reader.tidy(contract, words, notes, AGREES.includes(msgType));
      await this.#fill(msgType, words, request);
      if (msgType in WORDS) this.#speaker.contracts.validate(contract, words, 'input');
      const spoken = parsePayload(msgType, version, await this.#plain(msgType, words, request), key, '');
      ignored.push(...notes.ignored.map((name) => `${pointer.slice(1)}/${name}`));
      return spoken;
    } catch (error) {
      throw respelt(error, notes, pointer);
    }
  }

  /** Puts in what the request or the deal says already. */
  async #fill(msgType: MessageName, words: Words, { conversation_id, recipient }: Request): Promise<void> {
    if (NAMES_CONVERSATION.includes(msgType)) words['conversation_id'] ??= conversation_id ?? undefined;
    if (msgType === 'FEEDBACK' && named(recipient)) words['recipient'] ??= recipient;
    if (msgType === 'PROPOSE') words['amount_usdc_micro'] ??= 0;
    if (msgType !== 'ACCEPT' || conversation_id == null) return;
    const deal = await this.#speaker.dealOf(conversation_id);
    if (!deal) return;
    const { id, amount } = lastOffer(deal);
    words['amount_usdc_micro'] ??= amount;
    if (this.#speaker.version === 2) words['offer_id'] ??= id;
  }

  async #plain(msgType: MessageName, words: Words, request: Request): Promise<object> {
    const { random } = this.#speaker;
    const { conversation_id } = request;
    if (msgType === 'DELIVER') return this.#delivered(words, request);
    if (msgType === 'VERDICT') return verdictOf(words as unknown as SchemaTypes['verdict-words']);
    if (msgType === 'BOUNTY') return bountyOf(words, formatConversationId(conversationOf(conversation_id, random)));
    if (msgType !== 'FEEDBACK') return words;
    return this.#speaker.ratingOf(words as unknown as SchemaTypes['feedback-request']);
  }
}

function needed(conversation: string | null | undefined): string {
  if (conversation == null) throw invalidField('/conversation_id', 'is needed: a delivery belongs to a conversation');
  return conversation;
}

/** The zero id, which broadcasts carry, names nobody. */
function named(recipient: string | null | undefined): recipient is string {
  const key = recipient == null ? undefined : parseAgentId(recipient);
  return recipient != null && !(key && isZero(key));
}
