/** Bytes of a line; what is longer is no message of ours. */
const MOST = 1024 * 1024;
const NEWLINE = 0x0a;

/** The lines of a stream until it ends or the signal is aborted. One that is too long ends it with an error. */
export async function* lines(input: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<string, void> {
  const source = input[Symbol.asyncIterator]();
  const aborted = new Promise<IteratorResult<Uint8Array>>((resolve) => {
    const over = () => resolve({ done: true, value: undefined });
    if (signal.aborted) over();
    else signal.addEventListener('abort', over, { once: true });
  });
  let held = Buffer.alloc(0);
  for (;;) {
    const { done, value } = await Promise.race([source.next(), aborted]);
    if (done) break;
    held = held.length === 0 ? Buffer.from(value) : Buffer.concat([held, value]);
    for (let at = held.indexOf(NEWLINE); at >= 0; at = held.indexOf(NEWLINE)) {
      const line = held.subarray(0, at).toString('utf8').trim();
      held = held.subarray(at + 1);
      if (line !== '') yield line;
    }
    if (held.length > MOST) throw new Error(`a line of standard input has more than ${MOST} bytes`);
  }
  const rest = held.toString('utf8').trim();
  if (rest !== '' && !signal.aborted) yield rest;
}
