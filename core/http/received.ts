import type { RawData, WebSocket } from 'ws';

/** Inbound messages waiting for the handler, above which the client is not read any more. */
const PAUSE_AT = 64;
const MAX_TEXT = 64 * 1024;

/**
 * The frames a client sends into a stream, as the handler's `received`. Listens from the moment it is made, so a
 * frame sent with the handshake is not lost; stops reading the socket while the handler is behind.
 */
export function receivedFrom(
  socket: WebSocket,
  parse: ((text: string) => unknown) | undefined,
): AsyncIterable<unknown> {
  const waiting: unknown[] = [];
  let wake: (() => void) | undefined;
  let closed = false;

  socket.on('message', (data: RawData, binary: boolean) => {
    const bytes = data as Buffer;
    if (!parse) return socket.close(1008, 'this stream takes no messages');
    if (binary) return socket.close(1003, 'text messages only');
    if (bytes.length > MAX_TEXT) return socket.close(1009, 'at most 65536 bytes');
    try {
      waiting.push(parse(bytes.toString()));
    } catch (error) {
      return socket.close(1008, (error as Error).message.slice(0, 120));
    }
    if (waiting.length >= PAUSE_AT) socket.pause();
    wake?.();
  });
  socket.once('close', () => {
    closed = true;
    wake?.();
  });

  return {
    async *[Symbol.asyncIterator]() {
      for (;;) {
        if (waiting.length > 0) {
          const item = waiting.shift();
          if (waiting.length === 0 && socket.isPaused) socket.resume();
          yield item;
        } else if (closed) return;
        else {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    },
  };
}
