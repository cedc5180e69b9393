import { decoded } from '../../../platform/decoded.ts';
import { type PayloadCodec, payloadCodec } from './codec.ts';
import { text } from './fields.ts';
import { decodeText, encodeText } from './json.ts';
import type { MessagePayload } from './payloads.ts';
import { record, type Shape } from './shape.ts';

/** The most that an agent reads in one go; a longer text is work, and delivered. */
const MAX_TEXT = 16_384;

const message: Shape<MessagePayload> = record({ text: text(MAX_TEXT, 1) });

/** The text as plain UTF-8. Version 2 only. */
export const messagePayload: PayloadCodec<MessagePayload> = payloadCodec(message, {
  write: (value) => encodeText(value.text),
  read(body) {
    const found = decodeText(body);
    return found.ok ? decoded({ text: found.value }) : found;
  },
});
