import { fromBase64, toBase64 } from '../../../platform/bytes.ts';
import { decoded, refused } from '../../../platform/decoded.ts';
import { MAX_USDC } from '../../../platform/usdc.ts';
import type { EnvelopeVersion } from '../../identity/network.ts';
import { CborReader } from '../cbor-reader.ts';
import { CborWriter } from '../cbor-writer.ts';
import { MAX_ENVELOPE } from '../envelope.ts';
import { type PayloadCodec, payloadCodec } from './codec.ts';
import { amount, base64, choice, integer, text } from './fields.ts';
import type { BroadcastPayload } from './payloads.ts';
import { list, optional, record, type Shape, where } from './shape.ts';

/** The longest topic that a frame of the mesh has room for. */
const MAX_TOPIC = 64;
/** The public network takes longer ones. */
const MAX_TOPIC_V1 = 128;
const MAX_TITLE = 256;
const MAX_TAGS = 32;
const MAX_TAG = 64;
const MAX_TYPE = 128;
const MAX_UINT32 = 0xffff_ffff;

const uint32 = optional(integer(0, MAX_UINT32));

const topicV2 = where(text(MAX_TOPIC, 1), 'have no control characters', (topic) => !/\p{Cc}/u.test(topic));

const fields = {
  title: text(MAX_TITLE),
  tags: list(text(MAX_TAG), MAX_TAGS),
  format: choice('audio', 'text', 'data'),
  content_b64: optional(base64(MAX_ENVELOPE)),
  content_type: optional(text(MAX_TYPE)),
  chunk_index: uint32,
  total_chunks: uint32,
  duration_ms: uint32,
  price_per_epoch_micro: optional(amount),
  epoch: optional(integer(0, Number.MAX_SAFE_INTEGER)),
};
const broadcast: Shape<BroadcastPayload> = record({ topic: topicV2, ...fields });
const broadcastV1: Shape<BroadcastPayload> = record({ topic: text(MAX_TOPIC_V1, 1), ...fields });

export function broadcastPayload(version: EnvelopeVersion): PayloadCodec<BroadcastPayload> {
  return payloadCodec(version === 1 ? broadcastV1 : broadcast, CBOR);
}

/** A CBOR array of eleven; what is missing is null. */
const CBOR = {
  write(value: BroadcastPayload) {
    const writer = new CborWriter(512 + (value.content_b64?.length ?? 0));
    writer.array(11);
    writer.text(value.topic);
    writer.text(value.title);
    writer.array(value.tags.length);
    for (const tag of value.tags) writer.text(tag);
    writer.text(value.format);
    writer.optional(value.content_b64, (content) => writer.bytes(fromBase64(content)!));
    writer.optional(value.content_type, (type) => writer.text(type));
    writer.optional(value.chunk_index, (index) => writer.uint(index));
    writer.optional(value.total_chunks, (chunks) => writer.uint(chunks));
    writer.optional(value.duration_ms, (duration) => writer.uint(duration));
    writer.optional(value.price_per_epoch_micro, (price) => writer.bigUint(price));
    writer.optional(value.epoch, (epoch) => writer.uint(epoch));
    return writer.finish();
  },
  read(body: Uint8Array) {
    const reader = new CborReader(body);
    reader.array(11, 'the payload');
    const value = {
      topic: reader.text(MAX_TOPIC_V1, 'topic'),
      title: reader.text(MAX_TITLE, 'title'),
      tags: readTags(reader),
      format: reader.text(5, 'format'),
      content_b64: reader.optional(() => toBase64(reader.bytesUpTo(MAX_ENVELOPE, 'content'))),
      content_type: reader.optional(() => reader.text(MAX_TYPE, 'content_type')),
      chunk_index: reader.optional(() => reader.uint(MAX_UINT32, 'chunk_index')),
      total_chunks: reader.optional(() => reader.uint(MAX_UINT32, 'total_chunks')),
      duration_ms: reader.optional(() => reader.uint(MAX_UINT32, 'duration_ms')),
      price_per_epoch_micro: reader.optional(() => reader.bigUint(MAX_USDC, 'price_per_epoch_micro')),
      epoch: reader.optional(() => reader.uint(Number.MAX_SAFE_INTEGER, 'epoch')),
    };
    const problem = reader.end();
    return problem === undefined ? decoded(value) : refused(problem);
  },
};

function readTags(reader: CborReader): string[] {
  const count = reader.arrayUpTo(MAX_TAGS, 'tags');
  return Array.from({ length: count }, () => reader.text(MAX_TAG, 'a tag'));
}
