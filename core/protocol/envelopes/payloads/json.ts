import { type Decoded, decoded, refused } from '../../../platform/decoded.ts';
import { type PayloadCodec, payloadCodec, payloadJson } from './codec.ts';
import type { Shape } from './shape.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A payload that is UTF-8 JSON. `tidy` may mend what is found before it is judged. */
export function jsonPayload<T extends object>(
  shape: Shape<T>,
  tidy: (found: unknown) => unknown = (found) => found,
): PayloadCodec<T> {
  return payloadCodec(shape, {
    write: (value) => encodeJson(value),
    read(body) {
      const found = decodeJson(body);
      return found.ok ? decoded(tidy(found.value)) : found;
    },
  });
}

export function encodeJson(value: object): Uint8Array {
  return encodeText(JSON.stringify(payloadJson(value)));
}

export function decodeJson(bytes: Uint8Array): Decoded<unknown> {
  const text = decodeText(bytes);
  if (!text.ok) return text;
  try {
    return decoded(JSON.parse(text.value) as unknown);
  } catch {
    return refused('not JSON');
  }
}

export function encodeText(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

export function decodeText(bytes: Uint8Array): Decoded<string> {
  try {
    return decoded(utf8.decode(bytes));
  } catch {
    return refused('not UTF-8');
  }
}
