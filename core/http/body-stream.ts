import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { MeshError } from '../contracts/errors.ts';
import type { Clock } from '../platform/clock.ts';
import { tooLarge } from './body.ts';

/** Milliseconds between two pieces, and for the whole. */
const PAUSE = 30_000;
const WHOLE = 600_000;

/**
 * A body of at most `max` bytes while it comes, no faster than it is asked for. Throws instead of ending when it is not whole, or
 * not the one with this SHA-256 (base64url).
 */
export async function* streamBody(
  request: IncomingMessage,
  max: number,
  bodyHash: string | undefined,
  clock: Clock,
): AsyncGenerator<Uint8Array, void> {
  if (Number(request.headers['content-length'] ?? 0) > max) throw tooLarge(max);
  const hash = createHash('sha256');
  let late = false;
  const end = () => {
    late = true;
    request.destroy();
  };
  const cancelWhole = clock.after(WHOLE, end);
  let cancel = clock.after(PAUSE, end);
  let size = 0;
  try {
    for await (const piece of request.iterator({ destroyOnReturn: false })) {
      cancel();
      size += piece.length;
      if (size > max) throw tooLarge(max);
      hash.update(piece);
      yield piece;
      cancel = clock.after(PAUSE, end);
    }
  } catch (error) {
    if (late) throw new MeshError('request_timeout');
    if (error instanceof MeshError || !request.errored) throw error;
    throw new MeshError('invalid_request', 'The body ended before its announced length.');
  } finally {
    cancel();
    cancelWhole();
  }
  if (!request.complete) throw new MeshError('invalid_request', 'The body ended before its announced length.');
  if (bodyHash !== undefined && !timingSafeEqual(hash.digest(), digestOf(bodyHash)))
    throw new MeshError('unauthorized', 'The credential was made for another body.');
}

function digestOf(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.length === 32 ? bytes : Buffer.alloc(32);
}
