import { type Answer, answer, type ByteStream } from '../../../core/plugin.ts';
import type { Clock } from '../../../core/services.ts';
import type { StreamResponse } from './objects.ts';

/** Milliseconds of silence after which a comment keeps a stream open. */
const SILENCE = 15_000;
const KEEP = Buffer.from(': \n\n');

export function json(
  value: object,
  type: string,
  status: number,
  retryAfter?: number,
  more: Readonly<Record<string, string>> = {},
): Answer<ByteStream> {
  const bytes = Buffer.from(JSON.stringify(value));
  const headers = {
    ...{ 'content-type': type, 'cache-control': 'no-store', ...more },
    ...(retryAfter !== undefined && { 'retry-after': String(Math.ceil(retryAfter)) }),
  };
  return answer<ByteStream>({ size: bytes.length, content: only(bytes) }, { status, headers });
}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield bytes;
}

/** Server-sent events, with a comment now and then. */
export async function* eventText(
  events: AsyncGenerator<StreamResponse, void>,
  wrapped: (value: object) => object,
  clock: Clock,
): AsyncGenerator<Uint8Array, void> {
  try {
    for (let next = events.next(); ; ) {
      let cancel = () => {};
      const silence = new Promise<undefined>((resolve) => {
        cancel = clock.after(SILENCE, () => resolve(undefined));
      });
      const step = await Promise.race([next, silence]);
      cancel();
      if (step === undefined) {
        yield KEEP;
        continue;
      }
      if (step.done) return;
      yield Buffer.from(`data: ${JSON.stringify(wrapped(step.value))}\n\n`);
      next = events.next();
    }
  } finally {
    void events.return();
  }
}
