import type { SchemaTypes } from '../../schemas/types.ts';
import { fromBase64, toBase64, toHex } from '../platform/bytes.ts';
import { decodeEnvelope, encodeEnvelope } from '../protocol/envelopes/codec.ts';
import type { Envelope } from '../protocol/envelopes/envelope.ts';
import { isPrivate, type MessageName, messageType } from '../protocol/envelopes/message-types.ts';
import { proofBytesOf } from '../protocol/envelopes/receipt.ts';
import { formatAgentId, formatConversationId } from '../protocol/identity/ids.ts';
import { retryPause } from './retries.ts';

export type OutboxEntry = SchemaTypes['outbox-entry'];
type Hop = OutboxEntry['hops'][number];

/** The event of an attempt that the recipient answered with `rate-limited` or `restricted`. */
export const PUT_OFF = 'put off';
/** The event of an attempt after which somebody else keeps the envelope for its recipient. */
const LEFT = 'left in a pending queue';
/** The event of an attempt after which this envelope alone was not left with somebody else. */
export const KEPT_HERE = 'kept here';
/** The event of an attempt whose recipient was not reached. */
export const NOT_DELIVERED = 'not delivered';
/** The recipient of broadcasts in the outbox. */
export const EVERYBODY = '';
/** A broadcast is refused by everybody when it is older than this. */
const BROADCAST_LIFE = 25_000;
const MAX_HOPS = 32;
/** Attempts after which the pause has become the longest. */
const UNHURRIED = 20;

export function queuedEntry(envelope: Envelope, now: number): OutboxEntry {
  return {
    sender: formatAgentId(envelope.sender),
    nonce: envelope.nonce,
    msg_type: envelope.msgType,
    recipient: isBroadcastType(envelope.msgType) ? EVERYBODY : formatAgentId(envelope.recipient),
    conversation_id: formatConversationId(envelope.conversationId),
    timestamp: now,
    payload_hash: toHex(envelope.payloadHash),
    ...(envelope.sealed && { sealed: true }),
    bytes: toBase64(encodeEnvelope(envelope)),
    status: 'queued',
    attempts: 0,
    hops: [{ at: now, event: 'journaled' }],
  };
}

/** When the envelope is given up, Unix milliseconds: nobody would take it any more. */
export function expiryOf(entry: OutboxEntry, epochSecs: number): number {
  return entry.timestamp + (entry.recipient === EVERYBODY ? BROADCAST_LIFE : 4 * epochSecs * 1_000);
}

/** The entry once nothing more is to be done for it; of its bytes the header and signature stay. */
export function ended(entry: OutboxEntry, status: Exclude<OutboxEntry['status'], 'queued'>, hop: Hop): OutboxEntry {
  return {
    ...entry,
    status,
    attempts: entry.attempts + 1,
    bytes: withoutPayload(entry.bytes),
    hops: [...entry.hops.slice(0, MAX_HOPS - 1), hop],
  };
}

/** The entry after an attempt that leaves it to be tried again. Of many attempts the first and the last are told. */
export function postponed(entry: OutboxEntry, hop: Hop): OutboxEntry {
  const hops = entry.hops.length < MAX_HOPS - 1 ? entry.hops : entry.hops.slice(0, -1);
  return { ...entry, attempts: entry.attempts + 1, hops: [...hops, hop] };
}

/** Whether its recipient has asked to send it later. */
export function isPutOff(entry: OutboxEntry): boolean {
  return entry.hops.at(-1)!.event === PUT_OFF;
}

/** Whether its recipient was not reached, and it is tried from here until it is. */
export function isAwaited(entry: OutboxEntry): boolean {
  return entry.hops.at(-1)!.event === NOT_DELIVERED;
}

export function isKeptHere(entry: OutboxEntry): boolean {
  return entry.hops.at(-1)!.event === KEPT_HERE;
}

/** Whether anybody who keeps the envelope could read what is meant for its recipient alone. */
export function isReadable({ msg_type, sealed }: OutboxEntry): boolean {
  return !sealed && isPrivate(msg_type as MessageName);
}

/** The entry once somebody else keeps it. That needs no hurry: its recipient takes it there, and says that it has it when it is met. */
export function left(entry: OutboxEntry, at: number, by: string): OutboxEntry {
  return postponed({ ...entry, held_by: by, attempts: UNHURRIED }, { at, event: LEFT, detail: by });
}

/** When an entry that was tried is tried again. `fraction` spreads it. */
export function dueAt(entry: OutboxEntry, fraction = 0): number {
  return entry.hops.at(-1)!.at + retryPause(entry.attempts, fraction);
}

/** Header and signature of a signed envelope, whether or not its payload is still there. */
export function receiptBytes(entry: OutboxEntry): Uint8Array {
  return fromBase64(withoutPayload(entry.bytes))!;
}

/** Milliseconds an entry is kept after it was last written: no batch of its epoch can be challenged any more. */
export function lifeOf(epochSecs: number): number {
  return Math.max(12 * 86_400_000, 12 * epochSecs * 1_000);
}

function isBroadcastType(name: MessageName): boolean {
  return messageType(name).route === 'broadcast';
}

function withoutPayload(bytes: string): string {
  const envelope = decodeEnvelope(Buffer.from(bytes, 'base64'));
  if (!envelope.ok || envelope.value.version === 1) return bytes;
  return toBase64(proofBytesOf(envelope.value));
}
