import { BoundedMap } from '../platform/bounded-map.ts';
import { fromBase64, toBase64, toHex } from '../platform/bytes.ts';
import type { Clock } from '../platform/clock.ts';
import type { Decoded } from '../platform/decoded.ts';
import type { Ack, AckReason } from '../protocol/envelopes/ack.ts';
import { payloadMatches } from '../protocol/envelopes/build.ts';
import { checkHeader } from '../protocol/envelopes/check.ts';
import { decodeEnvelope } from '../protocol/envelopes/codec.ts';
import { bodyOf, type Envelope } from '../protocol/envelopes/envelope.ts';
import { encodeHeader, envelopeId } from '../protocol/envelopes/header.ts';
import { isBroadcast, type MessageName } from '../protocol/envelopes/message-types.ts';
import { proofBytesOf } from '../protocol/envelopes/receipt.ts';
import type { SealAddress } from '../protocol/envelopes/sealing.ts';
import { envelopeSigningBytes } from '../protocol/envelopes/signing.ts';
import { topicOf } from '../protocol/envelopes/topics.ts';
import { formatAgentId } from '../protocol/identity/ids.ts';
import type { Network } from '../protocol/identity/network.ts';
import type { Ref } from '../storage/declarations.ts';
import type { Space } from '../storage/space.ts';
import type { Tx } from '../storage/transaction.ts';
import { type Guests, RefusedByPlugin } from './extension-points.ts';
import { type Inbound, inboundOf } from './inbound.ts';
import type { Inbox } from './inbox.ts';
import { inboxState } from './inbox-records.ts';
import { conflicts, markId, marks, reports } from './records.ts';
import { type ReportRule, reportOf } from './reports.ts';
import type { SenderRates } from './sender-rates.ts';
import type { Strangers } from './strangers.ts';
import type { Verifier } from './verification/verifier.ts';

/** Has a say in whether a message is taken, in the transaction that journals it. Pure. */
export interface ReceiveHook {
  reads(message: Inbound): readonly Ref<any>[];
  /** A reason other than `accepted` leaves nothing changed. */
  apply(tx: Tx, message: Inbound): AckReason;
}

export interface IncomingOptions {
  readonly space: Space;
  readonly network: Network;
  readonly verifier: Verifier;
  readonly clock: Clock;
  readonly rates: SenderRates;
  /** Of the plain texts alone, which cost their sender nothing; bounded like everything else without it. */
  readonly textRates?: SenderRates | undefined;
  readonly inbox: Inbox;
  /** Limits the inbox's share of unknown keys; without it only the inbox's own limit holds. */
  readonly strangers?: Strangers | undefined;
  isLocal(key: Uint8Array): boolean;
  /** Opens a sealed body with the key of its recipient. */
  unseal(sealed: Uint8Array, address: SealAddress): Decoded<Uint8Array>;
  /** An envelope of our own came back to us, verified. */
  echo(envelope: Envelope): void;
  /** Whether the sender is let in; asked last, because it may take time. */
  /** `signedAt` in microseconds, by the clock of the sender. */
  gate(sender: Uint8Array, msgType: MessageName, signedAt: number): Promise<'accepted' | 'restricted' | 'blocked'>;
  readonly receiveHooks: Partial<Record<MessageName, ReceiveHook>>;
  /** The parts that plugins take in journaling a message. */
  readonly guests?: ((message: Inbound) => Guests | undefined) | undefined;
  /** Told of every envelope taken, after it is durable; without a cursor when it is not kept. */
  readonly taken: (message: Inbound, cursor: number | undefined) => void;
  /** Told of every envelope refused, for the counters. */
  readonly refused: (reason: AckReason, detail: string) => void;
  /** Takes broadcasts that are not journaled, such as BEACON; false to have it journaled. */
  readonly overhear: (message: Inbound) => boolean;
  /** Receipts unless it says otherwise. */
  readonly report?: ReportRule | undefined;
}

interface Journaled {
  readonly reason: AckReason;
  /** Why it was not taken. */
  readonly detail: string;
  /** Its place in the inbox, when it was taken, and the id of its record. */
  readonly cursor?: number | undefined;
  readonly id?: number | undefined;
}

/** Broadcasts that are not kept are remembered in memory; a forgotten one is at most taken twice. */
const REMEMBERED = 100_000;

/**
 * Takes envelopes from the mesh, in the protocol's order of checks: cheap ones first, the signature late, the journal
 * before the acknowledgement. Whatever is refused has changed nothing.
 */
export class Incoming {
  readonly #options: IncomingOptions;
  readonly #unstored = new BoundedMap<string, string>(REMEMBERED);
  /** The envelopes being examined, by key and nonce: of two with the same, one is examined after the other. */
  readonly #underway = new Map<string, Promise<unknown>>();

  constructor(options: IncomingOptions) {
    this.#options = options;
  }

  /** `remote` is the address of whoever handed it over, `topic` the one that it came under. */
  async receive(bytes: Uint8Array, forwarded: boolean, remote: string, topic?: string): Promise<Ack> {
    const decoded = decodeEnvelope(bytes);
    if (!decoded.ok) return this.#refuse('invalid', decoded.reason);
    const envelope = decoded.value;
    // Nobody proves the topic of a frame: what came under another one than its own was not asked for.
    if (topic !== undefined && topic !== topicOf(envelope)) return this.#refuse('invalid', 'of another topic');
    const { network, clock, isLocal: isRecipient } = this.#options;
    const header = checkHeader(envelope, { network, now: clock.now(), isRecipient, forwarded });
    if (header.reason !== 'accepted') return this.#refuse(header.reason, header.detail);
    const mark = markId(formatAgentId(envelope.sender), envelope.nonce);
    const before = this.#underway.get(mark);
    const examine = () => this.#examine(bytes, envelope, mark, remote);
    const work = before ? before.then(examine, examine) : examine();
    this.#underway.set(mark, work);
    try {
      return await work;
    } finally {
      if (this.#underway.get(mark) === work) this.#underway.delete(mark);
    }
  }

  async #examine(bytes: Uint8Array, envelope: Envelope, mark: string, remote: string): Promise<Ack> {
    const { network, verifier, rates, textRates, gate, space, unseal, isLocal, echo } = this.#options;
    const seen = this.#unstored.get(mark) ?? (await space.get(marks.ref(mark)))?.id;
    if (seen !== undefined && seen === toHex(envelopeId(envelope))) return { reason: 'duplicate' };
    if (!payloadMatches(envelope)) return this.#refuse('invalid', 'the payload is not the one that was hashed');
    const signed = envelopeSigningBytes(network, encodeHeader(envelope), envelope.payload);
    if (!(await verifier.verify(signed, envelope.signature, envelope.sender))) {
      return this.#refuse('invalid', 'the signature is not the sender’s');
    }
    if (isLocal(envelope.sender)) {
      echo(envelope);
      return { reason: 'duplicate' };
    }
    if (seen !== undefined) return this.#conflict(envelope, mark);
    if (!rates.allow(formatAgentId(envelope.sender))) {
      return this.#refuse('rate-limited', 'too many envelopes of one sender');
    }
    if (envelope.msgType === 'MESSAGE' && textRates?.allow(formatAgentId(envelope.sender)) === false) {
      return this.#refuse('rate-limited', 'too many texts of one sender');
    }
    const opened = envelope.sealed ? unseal(bodyOf(envelope), envelope) : undefined;
    if (opened && !opened.ok) return this.#refuse('invalid', opened.reason);
    const message = inboundOf(envelope, opened?.value);
    if (!message.ok) return this.#refuse('invalid', message.reason);
    const admitted = await gate(envelope.sender, envelope.msgType, envelope.timestamp);
    if (admitted !== 'accepted') return this.#refuse(admitted, 'the gate is closed for this sender');
    return this.#take(bytes, message.value, mark, remote);
  }

  async #take(bytes: Uint8Array, message: Inbound, mark: string, remote: string): Promise<Ack> {
    const { overhear, taken, inbox, strangers } = this.#options;
    const open = isBroadcast(message.envelope.msgType);
    if (open && overhear(message)) {
      this.#unstored.set(mark, message.id);
      taken(message, undefined);
      return { reason: 'accepted' };
    }
    if (!open && !inbox.hasRoom) return this.#refuse('rate-limited', 'the inbox is full');
    const admitted = open || !strangers ? {} : await strangers.admit(message, bytes.length, remote);
    if ('refused' in admitted) return this.#refuse('rate-limited', admitted.refused);
    const { stranger } = admitted;
    let cursor: number | undefined;
    try {
      const journaled = await this.#journal(bytes, { ...message, ...(stranger !== undefined && { stranger }) }, mark);
      ({ cursor } = journaled);
      if (cursor === undefined) return this.#refuse(journaled.reason, journaled.detail);
      inbox.appended(cursor, journaled.id!, open);
      taken(message, cursor);
      return { reason: journaled.reason };
    } finally {
      if (stranger !== undefined) admitted.settle(cursor);
    }
  }

  /** Writes inbox record, mark, report and the changes of participant and plugins in one transaction. */
  async #journal(bytes: Uint8Array, message: Inbound, mark: string): Promise<Journaled> {
    const guests = this.#options.guests?.(message);
    try {
      return await this.#journalWith(bytes, message, mark, guests);
    } catch (error) {
      if (!(error instanceof RefusedByPlugin)) throw error;
      return { reason: error.reason, detail: 'a plugin does not take it' };
    } finally {
      guests?.over();
    }
  }

  async #journalWith(
    bytes: Uint8Array,
    message: Inbound,
    mark: string,
    guests: Guests | undefined,
  ): Promise<Journaled> {
    const { space, receiveHooks, inbox, report } = this.#options;
    const { envelope, conversationId: conversation_id, stranger } = message;
    const { msgType: msg_type } = envelope;
    const open = isBroadcast(msg_type);
    const participant = receiveHooks[msg_type];
    const reads = [inboxState, ...(participant?.reads(message) ?? [])];
    const beside = guests?.beside ?? [];
    const { value, ids } = await space.txBeside(reads, beside, (tx, others): { reason: AckReason; cursor?: number } => {
      const reason = participant?.apply(tx, message) ?? 'accepted';
      if (reason !== 'accepted') return { reason };
      tx.put(marks.ref(mark), { id: message.id, receipt: receiptText(envelope) });
      const from = stranger !== undefined && { stranger };
      const about = { envelope_id: message.id, msg_type, conversation_id, received_at: tx.now, ...from };
      const opened = envelope.sealed && { opened: toBase64(message.body) };
      const cursor = inbox.append(tx, { ...about, bytes: toBase64(bytes), ...opened }, open);
      // Broadcasts reach the aggregators by themselves; a rating is worth telling by both sides.
      if (!open || msg_type === 'FEEDBACK') tx.append(reports, reportOf(envelope, report));
      // After the inbox, whose record is the first that is appended.
      const refusal = guests?.apply(others);
      if (refusal) throw new RefusedByPlugin(refusal);
      return { reason, cursor };
    });
    return { ...value, id: ids[0], detail: 'the deal does not allow it' };
  }

  /** One nonce, two envelopes: answered with the first, and the first such pair of a key is kept as proof against it. */
  async #conflict(envelope: Envelope, mark: string): Promise<Ack> {
    const { space } = this.#options;
    const proof = conflicts.ref(formatAgentId(envelope.sender));
    const { value: receipt } = await space.tx([marks.ref(mark), proof], (tx) => {
      const first = tx.get(marks.ref(mark));
      if (!first) return undefined;
      if (!tx.get(proof)) {
        tx.put(proof, { nonce: envelope.nonce, receipts: [first.receipt, receiptText(envelope)] });
      }
      return first.receipt;
    });
    const evidence = receipt ? fromBase64(receipt) : undefined;
    return { ...this.#refuse('conflict', 'another envelope has this nonce'), ...(evidence && { evidence }) };
  }

  #refuse(reason: AckReason, detail: string): Ack {
    this.#options.refused(reason, detail);
    return { reason };
  }
}

/** Header and signature; of version 1, whose header proves nothing, the id has to do. */
export function receiptText(envelope: Envelope): string {
  return envelope.version === 2 ? toBase64(proofBytesOf(envelope)) : '';
}
