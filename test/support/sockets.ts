import WebSocket, { type ClientOptions } from 'ws';

export interface Watched {
  readonly socket: WebSocket;
  /** JSON frames received so far. */
  readonly frames: any[];
  /** Resolves with the code and reason when the socket is closed. */
  readonly closed: Promise<{ code: number; reason: string }>;
  /** Resolves with the status and body of a refused upgrade. */
  readonly refused: Promise<{ status: number; headers: Record<string, unknown>; body: any }>;
  /** Resolves when there are `count` frames. */
  until(count: number): Promise<void>;
}

export function watch(url: string, protocols: string[] = [], options: ClientOptions = {}): Watched {
  const socket = new WebSocket(url.replace(/^http/, 'ws'), protocols, options);
  const frames: any[] = [];
  let waiting: { count: number; resolve: () => void }[] = [];
  socket.on('error', () => {});
  socket.on('message', (data, binary) => {
    frames.push(binary ? data : JSON.parse(String(data)));
    for (const { count, resolve } of waiting) if (frames.length >= count) resolve();
    waiting = waiting.filter(({ count }) => frames.length < count);
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('close', (code, reason) => resolve({ code, reason: String(reason) }));
  });
  const refused = new Promise<{ status: number; headers: Record<string, unknown>; body: any }>((resolve) => {
    socket.on('unexpected-response', (_, response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: JSON.parse(text) });
      });
    });
  });
  return {
    socket,
    frames,
    closed,
    refused,
    until: (count) =>
      new Promise((resolve) => {
        if (frames.length >= count) resolve();
        else waiting.push({ count, resolve });
      }),
  };
}
