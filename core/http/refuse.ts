import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { PROBLEM_TYPE, type ProblemAnswer } from './problem-details.ts';

/** Milliseconds the other side may take to close. */
const LINGER = 1_000;

/** Writes an answer on a connection that never became a Koa request, and closes it after it is flushed. */
export function refuse(socket: Duplex, { status, headers, body }: ProblemAnswer, requestId: string): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const text = JSON.stringify(body);
  const lines = {
    ...headers,
    'content-type': PROBLEM_TYPE,
    'content-length': String(Buffer.byteLength(text)),
    'x-request-id': requestId,
    connection: 'close',
  };
  const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.resume();
  (socket as Socket).setTimeout(LINGER, () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Error'}\r\n${head.join('')}\r\n${text}`);
}
