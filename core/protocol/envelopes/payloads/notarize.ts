import { concatBytes, fromBase64, fromHex, toBase64, toHex } from '../../../platform/bytes.ts';
import { decoded, refused } from '../../../platform/decoded.ts';
import { CONVERSATION_LENGTH, formatAgentId, KEY_LENGTH, parseAgentId } from '../../identity/ids.ts';
import { MAX_ENVELOPE } from '../envelope.ts';
import { type PayloadCodec, payloadCodec } from './codec.ts';
import { agentId, base64, choice, conversationId } from './fields.ts';
import { decodeJson } from './json.ts';
import type { NotarizeAssignPayload, NotarizeBidPayload } from './payloads.ts';
import { record, type Shape } from './shape.ts';

const OPEN_BRACE = 0x7b;
const opaque = base64(MAX_ENVELOPE);
const BID_HEAD = 1 + CONVERSATION_LENGTH;

const bid: Shape<NotarizeBidPayload> = record({
  bid_type: choice(0, 1),
  conversation_id: conversationId,
  opaque_b64: opaque,
});

/** One byte of type, the conversation, and bytes for the other side. */
export const notarizeBidPayload: PayloadCodec<NotarizeBidPayload> = payloadCodec(bid, {
  write({ bid_type, conversation_id, opaque_b64 }) {
    return concatBytes(
      new Uint8Array([bid_type]),
      fromHex(conversation_id, CONVERSATION_LENGTH)!,
      fromBase64(opaque_b64)!,
    );
  },
  read(body) {
    if (body.length < BID_HEAD) return refused('cut');
    return decoded({
      bid_type: body[0],
      conversation_id: toHex(body.subarray(1, BID_HEAD)),
      opaque_b64: toBase64(body.subarray(BID_HEAD)),
    });
  },
});

const assign: Shape<NotarizeAssignPayload> = record({ verifier: agentId, opaque_b64: opaque });

/** The notary's id, and bytes for it. */
export const notarizeAssignPayload: PayloadCodec<NotarizeAssignPayload> = payloadCodec(assign, {
  write: ({ verifier, opaque_b64 }) => concatBytes(parseAgentId(verifier)!, fromBase64(opaque_b64)!),
  read(body) {
    if (body.length < KEY_LENGTH) return refused('cut');
    // JSON is no binary assignment: its first 32 characters would pass for a key.
    if (body[0] === OPEN_BRACE && decodeJson(body).ok) return refused('JSON where the id of a notary belongs');
    return decoded({
      verifier: formatAgentId(body.subarray(0, KEY_LENGTH)),
      opaque_b64: toBase64(body.subarray(KEY_LENGTH)),
    });
  },
});
