import type { AckReason } from '../ack.ts';
import { BoundedMap } from '../bounded-map.ts';
import { toBase64, toHex } from '../bytes.ts';
import type { Clock } from '../clock.ts';
import { payloadMatches } from '../envelopes/build.ts';
import { checkHeader } from '../envelopes/check.ts';
import { decodeEnvelope } from '../envelopes/codec.ts';
import type { Envelope } from '../envelopes/envelope.ts';
import { encodeHeader, envelopeId } from '../envelopes/header.ts';
import { isBroadcast, type MessageName } from '../envelopes/message-types.ts';
import { decodePayload } from '../envelopes/payloads/codecs.ts';
import type { TypedPayload } from '../envelopes/payloads/payloads.ts';
import { encodeReceipt, receiptOf } from '../envelopes/receipt.ts';
import { envelopeSigningBytes } from '../envelopes/signing.ts';
import { formatAgentId, formatConversationId } from '../identity/ids.ts';
import type { Network } from '../identity/network.ts';
import type { Verifier } from '../identity/verifier.ts';
import type { Ref } from '../storage/declarations.ts';
import type { Space } from '../storage/space.ts';
import type { Tx } from '../storage/transaction.ts';
import { conflicts, inbox, markId, marks, reports } from './records.ts';
import { reportOf } from './reports.ts';
import type { SenderRates } from './sender-rates.ts';

/** A verified envelope with what it says. */
export interface Inbound {
  readonly id: string;
  readonly envelope: Envelope;
  /** The sender's key in base58. */
  readonly sender: string;
  readonly conversationId: string;
  readonly payload: TypedPayload;
}

/** Has a say in whether a message is taken, in the transaction that journals it. Pure. */
export interface Participant {
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
  isLocal(key: Uint8Array): boolean;
  /** Whether the sender is let in; asked last, because it may take time. */
  gate(sender: Uint8Array, msgType: MessageName): Promise<'accepted' | 'restricted' | 'blocked'>;
  readonly participants: Partial<Record<MessageName, Participant>>;
  /** Told of every envelope taken, after it is durable. */
  readonly taken: (message: Inbound, cursor: number | undefined) => void;
  /** Told of every envelope refused, for the counters. */
  readonly refused: (reason: AckReason, detail: string) => void;
  /** Takes broadcasts that are not journaled, such as BEACON; false to have it journaled. */
  readonly overhear: (message: Inbound) => boolean;
}

/** Broadcasts younger than two minutes are remembered in memory; they are refused when older. */
const RECENT_BROADCASTS = 100_000;

/**
 * Takes envelopes from the mesh, in the protocol's order of checks: cheap ones first, the signature late, the journal
 * before the acknowledgement. Whatever is refused has changed nothing.
 */
export class Incoming {
  readonly #options: IncomingOptions;
  readonly #broadcasts = new BoundedMap<string, string>(RECENT_BROADCASTS);
  /** Envelopes between their first check and the journal, by mark. */
  readonly #underway = new Map<string, Promise<AckReason>>();

  constructor(options: IncomingOptions) {
    this.#options = options;
  }

  async receive(bytes: Uint8Array, forwarded: boolean): Promise<AckReason> {
    const decoded = decodeEnvelope(bytes);
    if (!decoded.ok) return this.#refuse('invalid', decoded.reason);
    const envelope = decoded.value;
    const { network, clock, isLocal: isRecipient } = this.#options;
    const header = checkHeader(envelope, { network, now: clock.now(), isRecipient, forwarded });
    if (header.reason !== 'accepted') return this.#refuse(header.reason, header.detail);
    const mark = markId(formatAgentId(envelope.sender), envelope.nonce);
    const before = this.#underway.get(mark);
    if (before) return (await before) === 'accepted' ? 'duplicate' : this.receive(bytes, forwarded);
    const work = this.#examine(bytes, envelope, mark).finally(() => this.#underway.delete(mark));
    this.#underway.set(mark, work);
    return work;
  }

  async #examine(bytes: Uint8Array, envelope: Envelope, mark: string): Promise<AckReason> {
    const { network, verifier, rates, gate, space } = this.#options;
    const id = toHex(envelopeId(envelope));
    const seen = this.#broadcasts.get(mark) ?? (await space.get(marks.ref(mark)))?.id;
    if (seen === id) return 'duplicate';
    if (!payloadMatches(envelope)) return this.#refuse('invalid', 'the payload is not the one that was hashed');
    const signed = envelopeSigningBytes(network, encodeHeader(envelope), envelope.payload);
    if (!(await verifier.verify(signed, envelope.signature, envelope.sender))) {
      return this.#refuse('invalid', 'the signature is not the sender’s');
    }
    if (seen !== undefined) return this.#conflict(envelope, mark);
    if (!rates.allow(mark.slice(0, mark.indexOf(':'))))
      return this.#refuse('rate-limited', 'too many envelopes of one sender');
    const payload = decodePayload(envelope);
    if (!payload.ok) return this.#refuse('invalid', payload.reason);
    const admitted = await gate(envelope.sender, envelope.msgType);
    if (admitted !== 'accepted') return this.#refuse(admitted, 'the gate is closed for this sender');
    const conversationId = formatConversationId(envelope.conversationId);
    const message = { id, envelope, sender: formatAgentId(envelope.sender), conversationId, payload: payload.value };
    return this.#journal(bytes, message, mark);
  }

  async #journal(bytes: Uint8Array, message: Inbound, mark: string): Promise<AckReason> {
    const { space, participants, taken, overhear } = this.#options;
    const { msgType } = message.envelope;
    const open = isBroadcast(msgType);
    if (open && overhear(message)) {
      this.#broadcasts.set(mark, message.id);
      taken(message, undefined);
      return 'accepted';
    }
    const participant = participants[msgType];
    const { value: reason, ids } = await space.tx(
      [marks.ref(mark), ...(participant?.reads(message) ?? [])],
      (tx): AckReason => {
        const known = tx.get(marks.ref(mark));
        if (known) return known.id === message.id ? 'duplicate' : 'conflict';
        const verdict = participant?.apply(tx, message) ?? 'accepted';
        if (verdict !== 'accepted') return verdict;
        tx.put(marks.ref(mark), { id: message.id, receipt: receiptText(message.envelope) });
        tx.append(inbox, {
          envelope_id: message.id,
          msg_type: msgType,
          conversation_id: message.conversationId,
          received_at: tx.now,
          bytes: toBase64(bytes),
        });
        tx.append(reports, reportOf(message.envelope));
        return 'accepted';
      },
    );
    if (reason !== 'accepted') return this.#refuse(reason, 'the deal does not allow it');
    taken(message, ids[0]);
    return reason;
  }

  /** One nonce, two envelopes: the first such pair of a key is kept, as proof against it. */
  async #conflict(envelope: Envelope, mark: string): Promise<AckReason> {
    const { space } = this.#options;
    const proof = conflicts.ref(formatAgentId(envelope.sender));
    await space.tx([marks.ref(mark), proof], (tx) => {
      const first = tx.get(marks.ref(mark));
      if (!first || tx.get(proof)) return;
      tx.put(proof, { nonce: envelope.nonce, receipts: [first.receipt, receiptText(envelope)] });
    });
    return this.#refuse('conflict', 'another envelope has this nonce');
  }

  #refuse(reason: AckReason, detail: string): AckReason {
    this.#options.refused(reason, detail);
    return reason;
  }
}

/** Header and signature; of version 1, whose header proves nothing, the id has to do. */
function receiptText(envelope: Envelope): string {
  return envelope.version === 2 ? toBase64(encodeReceipt(receiptOf(envelope))) : '';
}
