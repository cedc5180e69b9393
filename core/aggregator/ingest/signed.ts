import type { Verification } from '../../messaging/verification/verify-thread.ts';
import { isZero } from '../../platform/bytes.ts';
import { payloadMatches } from '../../protocol/envelopes/build.ts';
import { checkHeader, type HeaderCheck, MAX_AGE_EPOCHS } from '../../protocol/envelopes/check.ts';
import { decodeEnvelope } from '../../protocol/envelopes/codec.ts';
import { type Envelope, publicPartOf, type Receipt, type SignedHeader } from '../../protocol/envelopes/envelope.ts';
import { encodedId, encodeHeader } from '../../protocol/envelopes/header.ts';
import type { MessageName } from '../../protocol/envelopes/message-types.ts';
import { hasPublicPart } from '../../protocol/envelopes/public-part.ts';
import { decodeReceipt, shownMatches } from '../../protocol/envelopes/receipt.ts';
import { envelopeSigningBytes } from '../../protocol/envelopes/signing.ts';
import { formatAgentId, formatConversationId, formatEnvelopeId } from '../../protocol/identity/ids.ts';
import type { Network } from '../../protocol/identity/network.ts';
import type { Ref } from '../../storage/declarations.ts';
import type { StoredNonces } from '../store/nonces.ts';
import { type IngestItem, type ItemResult, itemResult } from './item.ts';
import { nonceRefOf } from './nonce.ts';

/** A signed envelope or receipt, in the encodings of the API. */
export interface Signed {
  readonly id: string;
  /** How it was reported. */
  readonly kind: IngestItem['kind'];
  readonly msgType: MessageName;
  /** The key that signed; the agent's id as well while no registry says otherwise. */
  readonly sender: string;
  /** Undefined for broadcasts. */
  readonly recipient: string | undefined;
  /** Undefined outside of conversations. */
  readonly conversation: string | undefined;
  /** The signed time, Unix milliseconds. */
  readonly at: number;
  readonly slot: number;
  readonly nonce: number;
  /** Where it is kept which envelopes were signed under this nonce. */
  readonly nonceRef: Ref<StoredNonces>;
  readonly header: SignedHeader;
  /** The header as it was signed and hashed. */
  readonly encoded: Uint8Array;
  /** The public part of a deal message of version 2. */
  readonly told: Told | undefined;
  /** The whole envelope, when it was reported whole and its body is readable. */
  readonly envelope: Envelope | undefined;
  /** The bytes that were reported. */
  readonly bytes: Uint8Array;
}

/** A public part in the encodings of the API. */
export interface Told {
  readonly payer: string;
  readonly answers: string | undefined;
}

export interface Reading {
  readonly network: Network;
  /** Unix milliseconds. */
  readonly now: number;
  /** See `IngestSource`. */
  readonly live: boolean;
  /** Another process has made these checks and verified the signature: hashes of content are not made again. */
  readonly verified?: boolean;
}

/** Reads one item and makes every check that needs neither the store nor the signature. */
export function readItem(item: IngestItem, reading: Reading): Signed | ItemResult {
  const read = item.kind === 'envelope' ? decodeEnvelope(item.bytes) : decodeReceipt(item.bytes);
  if (!read.ok) return itemResult(null, 'invalid', read.reason);
  const header: SignedHeader = read.value;
  const encoded = encodeHeader(header);
  const id = formatEnvelopeId(encodedId(header, encoded));
  const check = checkReport(header, reading);
  if (check.reason !== 'accepted') return itemResult(id, check.reason, check.detail);
  const envelope = 'payload' in read.value ? read.value : undefined;
  if (!reading.verified && envelope && !payloadMatches(envelope))
    return itemResult(id, 'invalid', 'the payload is not the one that was signed');
  if (!reading.verified && !('payload' in read.value) && !shownMatches(read.value))
    return itemResult(id, 'invalid', 'the public part is not the one that was signed');
  const told = toldOf(read.value);
  if (!told && hasPublicPart(header))
    return itemResult(id, 'invalid', `the receipt of a ${header.msgType} shows its public part: an array of 13`);
  const { nonce } = header;
  const sender = formatAgentId(header.sender);
  return {
    id,
    kind: item.kind,
    msgType: header.msgType,
    sender,
    recipient: isZero(header.recipient) ? undefined : formatAgentId(header.recipient),
    conversation: isZero(header.conversationId) ? undefined : formatConversationId(header.conversationId),
    at: Math.floor(header.timestamp / 1000),
    slot: header.blockRef,
    nonce,
    nonceRef: nonceRefOf({ id, sender, nonce, header }, reading.network),
    header,
    encoded,
    told,
    envelope: header.sealed ? undefined : envelope,
    bytes: item.bytes,
  };
}

function toldOf(signed: Envelope | Receipt): Told | undefined {
  const part = publicPartOf(signed);
  if (!part) return undefined;
  return { payer: formatAgentId(part.payer), answers: part.answers && formatEnvelopeId(part.answers) };
}

const NO_PAYLOAD = new Uint8Array(0);

/** The signature that has to be verified. */
export function verificationOf({ header, encoded, envelope }: Signed, network: Network): Verification {
  const { signature, sender } = header;
  const message = envelopeSigningBytes(network, encoded, envelope?.payload ?? NO_PAYLOAD);
  return { message, signature, key: sender };
}

/**
 * A report may come late: whatever is at most four epochs old is judged as of when it was signed. Reports are
 * idempotent, so the short life of a broadcast on the mesh protects nothing here.
 */
function checkReport(header: SignedHeader, { network, now, live }: Reading): HeaderCheck {
  const context = { network, isRecipient: () => true, forwarded: true };
  if (live) return checkHeader(header, { ...context, now });
  const signedAt = Math.ceil(header.timestamp / 1000);
  if (now - signedAt > MAX_AGE_EPOCHS * network.epochSecs * 1000) return { reason: 'expired', detail: 'too old' };
  return checkHeader(header, { ...context, now: Math.min(now, signedAt) });
}
