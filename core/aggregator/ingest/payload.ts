import type { Decoded } from '../../platform/decoded.ts';
import { decodePayload } from '../../protocol/envelopes/payloads/codecs.ts';
import type { TypedPayload } from '../../protocol/envelopes/payloads/payloads.ts';
import type { Signed } from './signed.ts';

/** The decoded payload of an envelope that was reported whole; undefined for receipts and sealed envelopes. */
export function readPayload({ envelope, conversation }: Signed): Decoded<TypedPayload> | undefined {
  const read = envelope && decodePayload(envelope);
  if (!read?.ok || read.value.msgType !== 'BOUNTY' || conversation === undefined) return read;
  const { conversation_id: named } = read.value.value;
  return named === conversation ? read : { ok: false, reason: 'the bounty names another conversation' };
}
