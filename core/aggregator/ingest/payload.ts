import type { Decoded } from '../../envelopes/decoded.ts';
import { decodePayload } from '../../envelopes/payloads/codecs.ts';
import type { TypedPayload } from '../../envelopes/payloads/payloads.ts';
import type { Signed } from './signed.ts';

/** The decoded payload of an envelope that was reported whole; undefined for receipts and sealed envelopes. */
export function readPayload({ envelope }: Signed): Decoded<TypedPayload> | undefined {
  return envelope && decodePayload(envelope);
}
