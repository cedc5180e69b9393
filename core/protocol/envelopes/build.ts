import { MeshError } from '../../contracts/errors.ts';
import { concatBytes, equalBytes } from '../../platform/bytes.ts';
import { NO_AGENT, NO_CONVERSATION } from '../identity/ids.ts';
import type { EnvelopeVersion, Network } from '../identity/network.ts';
import { encodeEnvelope, MOST_AROUND_PAYLOAD } from './codec.ts';
import { type Envelope, isSalted, MAX_ENVELOPE, SALT_LENGTH } from './envelope.ts';
import { encodeHeader } from './header.ts';
import { isBroadcast, isSpoken, type MessageName } from './message-types.ts';
import { encodePublicPart, hasPublicPart, type PublicPart, payloadHashOf } from './public-part.ts';
import { SEAL_OVERHEAD } from './sealing.ts';
import type { EnvelopeSigner } from './signing.ts';

/** The fields of an envelope that its sender chooses; all others follow from them. */
export interface EnvelopeFields {
  readonly msgType: MessageName;
  /** 32 bytes; bilateral types only. */
  readonly recipient?: Uint8Array;
  /** Microseconds since the Unix epoch. */
  readonly timestamp: number;
  /** The newest ledger slot known; 0 if none. */
  readonly blockRef: number;
  /** See `nonceOf`. A nonce is signed once: allocate and journal it in one transaction. */
  readonly nonce: number;
  /** 16 bytes; zero when left out. */
  readonly conversationId?: Uint8Array;
  /** The encoded payload, without a salt. */
  readonly body: Uint8Array;
  /** The payer, and the envelope that this one answers; needed where `hasPublicPart` and ignored elsewhere. */
  readonly publicPart?: PublicPart;
  /** 16 unpredictable bytes, needed where `isSalted` and ignored elsewhere. */
  readonly salt?: Uint8Array;
  /** The body is already encrypted to the recipient. */
  readonly sealed?: boolean;
}

/**
 * Signs an envelope. Throws `payload_too_large` when it would not fit into 64 KiB, and a RangeError on fields that
 * make no envelope.
 */
export function buildEnvelope(fields: EnvelopeFields, identity: EnvelopeSigner, network: Network): Envelope {
  const { version } = network;
  const { msgType, body, sealed = false, recipient = NO_AGENT, conversationId = NO_CONVERSATION } = fields;
  requireFields({ ...fields, recipient, conversationId, sealed }, version);
  const kind = { version, msgType };
  const salted = isSalted(kind) ? concatBytes(requireSalt(fields.salt), body) : body;
  const payload = hasPublicPart(kind) ? concatBytes(publicBytes(fields), salted) : salted;
  const header = {
    version,
    msgType,
    sealed,
    sender: identity.key,
    recipient,
    timestamp: fields.timestamp,
    blockRef: fields.blockRef,
    nonce: fields.nonce,
    conversationId,
    payloadHash: payloadHashOf(kind, payload),
    payloadLength: payload.length,
  };
  const signature = identity.signEnvelope(network, encodeHeader(header), payload);
  const envelope = Object.assign(header, { payload, signature });
  if (payload.length + MOST_AROUND_PAYLOAD <= MAX_ENVELOPE) return envelope;
  const { length } = encodeEnvelope(envelope);
  if (length <= MAX_ENVELOPE) return envelope;
  const said = body.length - (sealed ? SEAL_OVERHEAD : 0);
  const room = Math.max(0, said - (length - MAX_ENVELOPE));
  throw new MeshError('payload_too_large', `The payload has ${said} bytes; this envelope holds ${room}.`);
}

export function payloadMatches(envelope: Envelope): boolean {
  return equalBytes(payloadHashOf(envelope, envelope.payload), envelope.payloadHash);
}

function publicBytes({ msgType, publicPart }: EnvelopeFields): Uint8Array {
  if (!publicPart) throw new RangeError(`${msgType} needs a public part`);
  return encodePublicPart(publicPart, msgType);
}

function requireFields(
  fields: EnvelopeFields & Required<Pick<EnvelopeFields, 'recipient' | 'conversationId' | 'sealed'>>,
  version: EnvelopeVersion,
): void {
  const { msgType, recipient, conversationId, sealed } = fields;
  const broadcast = isBroadcast(msgType);
  if (recipient.length !== 32 || broadcast !== equalBytes(recipient, NO_AGENT)) {
    throw new RangeError(`${msgType} ${broadcast ? 'has no recipient' : 'needs a recipient of 32 bytes'}`);
  }
  if (!isSpoken(msgType, version)) throw new RangeError(`version ${version} has no ${msgType}`);
  if (conversationId.length !== 16) throw new RangeError('a conversation id is 16 bytes');
  if (sealed && (broadcast || version === 1)) throw new RangeError(`${msgType} cannot be sealed`);
  for (const name of ['timestamp', 'blockRef', 'nonce'] as const) {
    const value = fields[name];
    if (!(Number.isSafeInteger(value) && value >= 0)) throw new RangeError(`${name} must be a whole number`);
  }
}

function requireSalt(salt: Uint8Array | undefined): Uint8Array {
  if (salt?.length !== SALT_LENGTH) throw new RangeError(`the payload needs a salt of ${SALT_LENGTH} bytes`);
  return salt;
}
