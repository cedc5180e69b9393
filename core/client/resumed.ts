import type { ClientError } from './client-error.ts';

const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 10_000;

/** One connection of a stream. */
export interface FrameSource<T> {
  /** The next frame, or undefined at the end of the connection. */
  next(): Promise<T | undefined>;
  /** After the end: the error that makes another connection useless. */
  refusal(): Promise<ClientError | undefined>;
  close(): void;
}

/**
 * The frames of one connection after the other, each made behind the last frame that was handed out, after a moment at random, and with
 * growing pauses while a connection brings nothing.
 * Ends when the consumer leaves the loop or the signal is aborted.
 */
export async function* resumed<T>(
  connect: (last: T | undefined) => FrameSource<T> | Promise<FrameSource<T>>,
  signal: AbortSignal | undefined,
): AsyncGenerator<T> {
  let last: T | undefined;
  let pause = FIRST_PAUSE;
  while (!signal?.aborted) {
    let brought = false;
    const source = await connect(last);
    const stop = () => source.close();
    signal?.addEventListener('abort', stop, { once: true });
    try {
      for (let frame = await source.next(); frame !== undefined && !signal?.aborted; frame = await source.next()) {
        brought = true;
        last = frame;
        yield frame;
      }
      const refused = signal?.aborted ? undefined : await source.refusal();
      if (refused) throw refused;
    } finally {
      signal?.removeEventListener('abort', stop);
      source.close();
    }
    if (brought) pause = FIRST_PAUSE;
    // The clients of a server that ends come back spread over the first pause, and not all in one moment.
    await sleep(brought ? pause * Math.random() : pause, signal);
    if (!brought) pause = Math.min(pause * 2, LONGEST_PAUSE);
  }
}

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    function done() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    }
    if (signal?.aborted) done();
    else signal?.addEventListener('abort', done, { once: true });
  });
}
