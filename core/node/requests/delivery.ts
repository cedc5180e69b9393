import type { SchemaTypes } from '../../../schemas/types.ts';
import { toBase64 } from '../../bytes.ts';
import { MAX_INLINE } from '../../envelopes/payloads/deliver.ts';
import { decodeJson, decodeText } from '../../envelopes/payloads/json.ts';
import type { Payloads } from '../../envelopes/payloads/payloads.ts';
import { MeshError } from '../../errors.ts';

/** The payload of a DELIVER: the content itself, or where it is. */
export function deliveryOf(request: SchemaTypes['deliver-request'], conversation: string): Payloads['DELIVER'] {
  const { content, content_b64, payload_uri, content_type } = request;
  const given = [content, content_b64, payload_uri].filter((part) => part !== undefined).length;
  if (given !== 1) {
    const message = 'must be given alone: exactly one of content, content_b64 and payload_uri';
    throw new MeshError('invalid_request', { detail: message, fields: [{ pointer: '/content', message }] });
  }
  const head = { conversation_id: conversation, ...(content_type !== undefined && { content_type }) };
  if (payload_uri !== undefined) return { ...head, payload_uri };
  return { ...head, inline_b64: content_b64 ?? toBase64(Buffer.from(content!, 'utf8')) };
}

/** The payload of a DELIVER whose content came as plain bytes at `pointer`. */
export function wrapped(content: Uint8Array, conversation: string, pointer: string): Payloads['DELIVER'] {
  if (content.length > MAX_INLINE) {
    const message = `has ${content.length} bytes of content; a delivery carries at most ${MAX_INLINE}`;
    throw new MeshError('payload_too_large', { detail: `${pointer} ${message}`, fields: [{ pointer, message }] });
  }
  const type = contentType(content);
  return { conversation_id: conversation, ...(type && { content_type: type }), inline_b64: toBase64(content) };
}

function contentType(content: Uint8Array): string | undefined {
  if (decodeJson(content).ok) return 'application/json';
  return decodeText(content).ok ? 'text/plain; charset=utf-8' : undefined;
}
