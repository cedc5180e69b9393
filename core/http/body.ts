import type { IncomingMessage } from 'node:http';
import { invalidField, MeshError } from '../contracts/errors.ts';
import type { Clock } from '../platform/clock.ts';
import { duplicateKey } from './duplicate-keys.ts';

export const DEFAULT_MAX_BODY = 65_536;
const DEADLINE = 15_000;
/** Pieces that a body may come in whatever its size, and how many bytes each further one must have on average. */
const PIECES = 8_192;
const MEAN_PIECE = 64;

/**
 * Reads a body of at most `max` bytes, within 15 seconds. Stops reading as soon as it is too large, or comes in crumbs:
 * each piece of a chunked body is a buffer and a turn of the parser, which for single bytes is a hundred times their size.
 */
export function readBody(request: IncomingMessage, max: number, clock: Clock): Promise<Buffer> {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > max) return Promise.reject(tooLarge(max));
  return new Promise((resolve, reject) => {
    let held: Buffer = Buffer.alloc(0);
    let size = 0;
    let pieces = 0;
    const cancel = clock.after(DEADLINE, () => finish(() => reject(new MeshError('request_timeout'))));
    function finish(settle: () => void) {
      cancel();
      request.off('data', onData).off('end', onEnd).off('error', onError).off('close', onError);
      settle();
    }
    function onData(chunk: Buffer) {
      const end = size + chunk.length;
      pieces += 1;
      if (end > max) finish(() => reject(tooLarge(max)));
      else if (pieces > PIECES + end / MEAN_PIECE) finish(() => reject(crumbs()));
      else if (size === 0) held = chunk;
      else {
        if (end > held.length) held = grown(held, size, Math.min(max, Math.max(end, 2 * held.length)));
        chunk.copy(held, size);
      }
      size = end;
    }
    function onEnd() {
      finish(() => resolve(held.subarray(0, size)));
    }
    function onError() {
      finish(() => reject(new MeshError('invalid_request', 'The body ended before its announced length.')));
    }
    request.on('data', onData).on('end', onEnd).on('error', onError).on('close', onError);
  });
}

export interface JsonRules {
  /** Media types that would be taken too. */
  readonly others?: readonly string[];
  /** Whether an object may have a member twice; then the last one counts. */
  readonly duplicates?: boolean;
}

/** The value of a JSON body. An absent body is `{}`. */
export function parseJson(body: Buffer, headers: IncomingMessage['headers'], rules: JsonRules = {}): unknown {
  const { others = [], duplicates = false } = rules;
  refuseEncoded(headers);
  if (body.length === 0) return {};
  const type = headers['content-type'] ?? '';
  if (!/^application\/(json|[\w.+-]+\+json)\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(type)) {
    throw new MeshError('unsupported_media_type', { extra: { accepted: ['application/json', ...others] } });
  }
  let text: string;
  let value: unknown;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    value = JSON.parse(text);
  } catch {
    throw new MeshError('invalid_request', {
      detail: 'The body is not valid JSON.',
      fields: [{ pointer: '', message: 'must be valid JSON in UTF-8' }],
    });
  }
  const twice = duplicates ? undefined : duplicateKey(text);
  if (twice !== undefined) throw invalidField(twice, 'is there twice: say once what is meant');
  return value;
}

/** Compressed bodies are refused: what they unpack to has no bound. */
export function refuseEncoded({ 'content-encoding': encoding }: IncomingMessage['headers']): void {
  if (!encoding || encoding === 'identity') return;
  throw new MeshError('unsupported_media_type', 'Send the body without a content encoding.');
}

function grown(bytes: Buffer, used: number, length: number): Buffer {
  const larger = Buffer.allocUnsafe(length);
  bytes.copy(larger, 0, 0, used);
  return larger;
}

function crumbs(): MeshError {
  return new MeshError('invalid_request', 'The body comes in too many pieces.');
}

export function tooLarge(max: number): MeshError {
  return new MeshError('payload_too_large', { detail: `The body may have at most ${max} bytes.` });
}
