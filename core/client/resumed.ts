import type { ClientError } from './client-error.ts';

const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 10_000;
/** Connections in a row that brought nothing but a fault, after which asking again is no use. */
const MOST_FAULTS = 5;

/** One connection of a stream. */
export interface FrameSource<T> {
  /** The next frame, or undefined at the end of the connection. */
  next(): Promise<T | undefined>;
  /** After the end: the error that makes another connection useless. */
  refusal(): Promise<ClientError | undefined>;
  /** After the end: the other side said what does not belong into this stream. */
  fault(): ClientError | undefined;
  close(): void;
}

/**
 * The frames of one connection after the other, each made behind the last frame that was handed out, after a moment at random, and with
 * growing pauses while a connection brings nothing.
 * Ends when the consumer leaves the loop or the signal is aborted, and with the fault of the other side that five of them in a row had.
 */
export async function* resumed<T>(
  connect: (last: T | undefined) => FrameSource<T> | Promise<FrameSource<T>>,
  signal: AbortSignal | undefined,
): AsyncGenerator<T> {
  let last: T | undefined;
  let pause = FIRST_PAUSE;
  let faults = 0;
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
      const fault = brought ? undefined : source.fault();
      faults = fault ? faults + 1 : 0;
      if (fault && faults === MOST_FAULTS && !signal?.aborted) throw fault;
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
