import { type Decoded, decoded } from '../../../platform/decoded.ts';
import type { EnvelopeVersion } from '../../identity/network.ts';
import { type PayloadCodec, payloadCodec } from './codec.ts';
import { integer, text } from './fields.ts';
import { decodeJson, decodeText, encodeJson, encodeText } from './json.ts';
import type { DisputePayload, RejectPayload } from './payloads.ts';
import { optional, record, type Shape } from './shape.ts';

const reason: Shape<RejectPayload> = record({ reason: text(4096) });
const dispute: Shape<DisputePayload> = record({ reason: text(4096), offer_bps: optional(integer(0, 10_000)) });

/** The reason as plain UTF-8. */
export const rejectPayload: PayloadCodec<RejectPayload> = payloadCodec(reason, {
  write: (value) => encodeText(value.reason),
  read: readReason,
});

/** JSON; in version 1 anything else that is UTF-8 is the reason itself. */
export function disputePayload(version: EnvelopeVersion): PayloadCodec<DisputePayload> {
  return payloadCodec(dispute, {
    write: (value) => encodeJson(value),
    read(body) {
      const json = decodeJson(body);
      return json.ok || version === 2 ? json : readReason(body);
    },
  });
}

function readReason(body: Uint8Array): Decoded<unknown> {
  const found = decodeText(body);
  return found.ok ? decoded({ reason: found.value }) : found;
}
