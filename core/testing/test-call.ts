import { once } from 'node:events';
import { request } from 'node:http';
import { WebSocket } from 'ws';

export interface CallOptions {
  /** A value is sent as JSON, bytes as they are. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** false: no credential; a text: that Bearer value. The API secret unless given. */
  readonly auth?: false | string;
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
  const response = await fetch(at.url + path, {
    method,
    headers: {
      connection: 'close',
      ...bearer(at, options),
      ...(body !== undefined && { 'content-type': bytes ? 'application/octet-stream' : 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: bytes ? Buffer.from(body) : JSON.stringify(body) }),
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
): Promise<AsyncGenerator<any>> {
  const socket = new WebSocket(at.url.replace(/^http/, 'ws') + path, { headers: bearer(at, options) });
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

async function* read(state: Reading): AsyncGenerator<any> {
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
      ...bearer(at, options),
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

function bearer({ secret }: Address, { auth = secret }: Pick<CallOptions, 'auth'>): Record<string, string> {
  return auth === false ? {} : { authorization: `Bearer ${auth}` };
}
