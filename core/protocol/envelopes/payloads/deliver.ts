import { fromBase64, fromHex, toBase64, toHex } from '../../../platform/bytes.ts';
import { decoded, refused } from '../../../platform/decoded.ts';
import { CborReader } from '../cbor-reader.ts';
import { CborWriter } from '../cbor-writer.ts';
import { type PayloadCodec, payloadCodec } from './codec.ts';
import { base64, conversationId, integer, text } from './fields.ts';
import type { DeliverPayload } from './payloads.ts';
import { optional, record, type Shape, where } from './shape.ts';

/** Content above this goes to a blob. */
export const MAX_INLINE = 48 * 1024;
const MAX_TYPE = 128;
const MAX_URI = 2048;

const deliver: Shape<DeliverPayload> = where(
  record({
    conversation_id: conversationId,
    content_type: optional(text(MAX_TYPE)),
    inline_b64: optional(base64(MAX_INLINE)),
    payload_uri: optional(text(MAX_URI, 1)),
    payload_size: optional(integer(0, Number.MAX_SAFE_INTEGER)),
  }),
  'have inline_b64 or payload_uri',
  (value) => value.inline_b64 !== undefined || value.payload_uri !== undefined,
);

/** A CBOR array of five; what is missing is null. */
export const deliverPayload: PayloadCodec<DeliverPayload> = payloadCodec(deliver, {
  write(value) {
    const writer = new CborWriter(128 + (value.inline_b64?.length ?? 0));
    writer.array(5);
    writer.bytes(fromHex(value.conversation_id, 16)!);
    writer.optional(value.content_type, (type) => writer.text(type));
    writer.optional(value.inline_b64, (content) => writer.bytes(fromBase64(content)!));
    writer.optional(value.payload_uri, (uri) => writer.text(uri));
    writer.optional(value.payload_size, (size) => writer.uint(size));
    return writer.finish();
  },
  read(body) {
    const reader = new CborReader(body);
    reader.array(5, 'the payload');
    const value = {
      conversation_id: toHex(reader.bytes(16, 'conversation_id')),
      content_type: reader.optional(() => reader.text(MAX_TYPE, 'content_type')),
      inline_b64: reader.optional(() => toBase64(reader.bytesUpTo(MAX_INLINE, 'inline'))),
      payload_uri: reader.optional(() => reader.text(MAX_URI, 'payload_uri')),
      payload_size: reader.optional(() => reader.uint(Number.MAX_SAFE_INTEGER, 'payload_size')),
    };
    const problem = reader.end();
    return problem === undefined ? decoded(value) : refused(problem);
  },
});
