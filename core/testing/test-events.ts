import { type Address, bearer, type CallOptions } from './test-call.ts';

/** Opens a stream of server-sent events; gives the data of each, and throws when it does not end in order. */
export async function openEvents(
  at: Address,
  path: string,
  options: Pick<CallOptions, 'auth' | 'headers'> = {},
): Promise<AsyncGenerator<any, void>> {
  const credential = await bearer(at, options, { method: 'GET', target: path, body: new Uint8Array(0) });
  const leaving = new AbortController();
  const { signal } = leaving;
  const response = await fetch(at.url + path, { headers: { ...credential, ...options.headers }, signal });
  if (!response.ok || !response.body) {
    leaving.abort();
    throw new Error(`Unexpected server response: ${response.status}`);
  }
  return read(path, response.body, leaving);
}

async function* read(
  path: string,
  body: ReadableStream<Uint8Array>,
  leaving: AbortController,
): AsyncGenerator<any, void> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const chunk of body) {
      const blocks = (text + decoder.decode(chunk, { stream: true })).split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const data = /^data: (.*)$/m.exec(block)?.[1];
        if (data === undefined) continue;
        const value = JSON.parse(data);
        if (!/^event: end$/m.test(block)) yield value;
        else if (value.code <= 1001) return;
        else throw new Error(`the events of ${path} ended with ${value.code} ${value.reason}`);
      }
    }
    throw new Error(`the events of ${path} were cut`);
  } finally {
    leaving.abort();
  }
}
