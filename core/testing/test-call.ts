import { once } from 'node:events';
import { request } from 'node:http';
import { WebSocket } from 'ws';
import type { SignRequest } from '../client/http-caller.ts';

export interface CallOptions {
  /** A value is sent as JSON, bytes as they are. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * false: no credential; a text: that Bearer value; a function: the token it signs for this call, such as `sign` of
   * `testAgent`. The API secret unless given.
   */
  readonly auth?: false | string | SignRequest;
}

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed when it is JSON, otherwise text; undefined when there is none. */
  readonly body: any;
}

export interface Address {
  readonly url: string;
  readonly secret: string;
}

/** One HTTP call: `GET /path?query`. Its connection is not kept, so nothing stays open behind a test. */
export async function callNode(at: Address, line: string, options: CallOptions = {}): Promise<Reply> {
  const [method = 'GET', path = '/'] = line.split(' ');
  const { body, headers } = options;
  const bytes = body instanceof Uint8Array;
  const sent = body === undefined ? new Uint8Array(0) : Buffer.from(bytes ? body : JSON.stringify(body));
  const response = await fetch(at.url + path, {
    method,
    headers: {
      connection: 'close',
      ...(await bearer(at, options, { method, target: path, body: sent })),
      ...(body !== undefined && { 'content-type': bytes ? 'application/octet-stream' : 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: sent }),
  });
  const text = await response.text();
  const json = response.headers.get('content-type')?.includes('json');
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? undefined : json ? JSON.parse(text) : text,
  };
}

/** Opens a stream; gives its frames, which throw when it does not end in order. Rejects when it is refused. */
export async function openStream(
  at: Address,
  path: string,
  options: Pick<CallOptions, 'auth'> = {},
): Promise<AsyncGenerator<any, void>> {
  const headers = await bearer(at, options, { method: 'GET', target: path, body: new Uint8Array(0) });
  const socket = new WebSocket(at.url.replace(/^http/, 'ws') + path, { headers });
  const frames: unknown[] = [];
  const state: Reading = { socket, frames, wake() {} };
  socket.on('message', (data) => {
    frames.push(JSON.parse(String(data)));
    state.wake();
  });
  socket.on('error', () => {});
  socket.on('close', (code, reason) => {
    state.end = code <= 1001 ? 'in order' : new Error(`the stream ${path} was closed with ${code} ${reason}`);
    state.wake();
  });
  await once(socket, 'open');
  return read(state);
}

interface Reading {
  readonly socket: WebSocket;
  readonly frames: unknown[];
  end?: Error | 'in order';
  wake(): void;
}

async function* read(state: Reading): AsyncGenerator<any, void> {
  const { socket, frames } = state;
  try {
    for (;;) {
      while (frames.length > 0) yield frames.shift();
      if (state.end instanceof Error) throw state.end;
      if (state.end) return;
      await new Promise<void>((resolve) => {
        state.wake = resolve;
      });
    }
  } finally {
    socket.terminate();
  }
}

/** The status with which an upgrade to a WebSocket is answered; 101 when it is granted. */
export async function upgradeStatus(at: Address, path: string, options: Pick<CallOptions, 'auth'>): Promise<number> {
  const asked = request(at.url + path, {
    headers: {
      connection: 'upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'bm8gc2VjcmV0IGluIGl0IQ==',
      ...(await bearer(at, options, { method: 'GET', target: path, body: new Uint8Array(0) })),
    },
  });
  asked.end();
  return await Promise.race([
    once(asked, 'response').then(([response]) => {
      response.resume();
      return response.statusCode as number;
    }),
    once(asked, 'upgrade').then(([, socket]) => {
      socket.destroy();
      return 101;
    }),
  ]).finally(() => asked.destroy());
}

export async function bearer(
  { url, secret }: Address,
  { auth = secret }: Pick<CallOptions, 'auth'>,
  call: { readonly method: string; readonly target: string; readonly body: Uint8Array },
): Promise<Record<string, string>> {
  if (auth === false) return {};
  const credential = typeof auth === 'string' ? auth : await auth({ audience: url, ...call });
  return { authorization: `Bearer ${credential}` };
}

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
  return readEvents(path, response.body, leaving);
}

async function* readEvents(
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
