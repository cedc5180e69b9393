import { concatBytes } from '../../../platform/bytes.ts';
import { type Decoded, decoded, refused } from '../../../platform/decoded.ts';
import type { EnvelopeVersion } from '../../identity/network.ts';
import { type PayloadCodec, payloadCodec } from './codec.ts';
import { agentId, amount, flag, hash, integer, moment, text } from './fields.ts';
import { decodeJson, decodeText, encodeJson } from './json.ts';
import type { AcceptPayload, CounterPayload, ProposePayload } from './payloads.ts';
import { optional, record, type Shape } from './shape.ts';

const AMOUNT_LENGTH = 16;
const OPEN_BRACE = 0x7b;
const DAY = 86_400;

export const MAX_MESSAGE_BYTES = 4096;

const rounds = integer(1, 255);
const message = text(MAX_MESSAGE_BYTES);
const terms = {
  expires_at: optional(moment),
  deadline_secs: optional(integer(1, 90 * DAY)),
  review_secs: optional(integer(1, 14 * DAY)),
  escrow: optional(flag),
  notary: optional(agentId),
  bond_usdc_micro: optional(amount),
  dispute_bps: optional(integer(0, 10_000)),
  acceptance: optional(hash),
};

const propose: Shape<ProposePayload> = record({
  amount_usdc_micro: amount,
  max_rounds: optional(rounds),
  message,
  token_mint: optional(agentId),
  payment_tx: optional(text(128)),
  payment_usd_micro: optional(amount),
  total_price_usd_micro: optional(amount),
  ...terms,
});

const counter: Shape<CounterPayload> = record({
  amount_usdc_micro: amount,
  round: rounds,
  max_rounds: optional(rounds),
  message: optional(message),
  token_mint: optional(agentId),
  ...terms,
});

const agreement = {
  message: optional(message),
  token_mint: optional(agentId),
  downpayment_usd_micro: optional(amount),
  remaining_usd_micro: optional(amount),
};
const acceptV1: Shape<AcceptPayload> = record({ amount_usdc_micro: amount, offer_id: optional(hash), ...agreement });
const accept: Shape<AcceptPayload> = record({ amount_usdc_micro: amount, offer_id: hash, ...agreement });

export function proposePayload(version: EnvelopeVersion): PayloadCodec<ProposePayload> {
  return offerPayload(propose, version);
}

export function counterPayload(version: EnvelopeVersion): PayloadCodec<CounterPayload> {
  return offerPayload(counter, version);
}

export function acceptPayload(version: EnvelopeVersion): PayloadCodec<AcceptPayload> {
  return offerPayload(version === 1 ? acceptV1 : accept, version);
}

/** 16 bytes of amount, a little-endian signed integer, and JSON with everything else. */
function offerPayload<T extends { amount_usdc_micro: bigint }>(
  shape: Shape<T>,
  version: EnvelopeVersion,
): PayloadCodec<T> {
  return payloadCodec(shape, {
    write({ amount_usdc_micro, ...rest }) {
      return concatBytes(encodeAmount(amount_usdc_micro), encodeJson(rest));
    },
    read(body) {
      if (body.length <= AMOUNT_LENGTH || body[AMOUNT_LENGTH] !== OPEN_BRACE) {
        return version === 1 ? readRawText(body) : refused('not an amount and JSON');
      }
      const json = decodeJson(body.subarray(AMOUNT_LENGTH));
      if (!json.ok) return json;
      return decoded({ ...(json.value as object), amount_usdc_micro: decodeAmount(body) });
    },
  });
}

/** The oldest form: a message without terms. */
function readRawText(body: Uint8Array): Decoded<unknown> {
  const found = decodeText(body);
  return found.ok ? decoded({ amount_usdc_micro: 0n, message: found.value, round: 1 }) : found;
}

function encodeAmount(value: bigint): Uint8Array {
  const bytes = new Uint8Array(AMOUNT_LENGTH);
  new DataView(bytes.buffer).setBigUint64(0, value, true);
  return bytes;
}

function decodeAmount(body: Uint8Array): bigint {
  const view = new DataView(body.buffer, body.byteOffset, AMOUNT_LENGTH);
  return (view.getBigInt64(8, true) << 64n) | view.getBigUint64(0, true);
}
