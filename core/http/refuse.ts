import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '../platform/clock.ts';
import { PROBLEM_TYPE, type ProblemAnswer } from './problem-details.ts';

/** Milliseconds the other side may take to close, whatever it still sends. */
const LINGER = 1_000;

/** Writes an answer on a connection that never became a Koa request, and closes it after it is flushed. */
export function refuse(
  socket: Duplex,
  { status, headers, body }: ProblemAnswer,
  { requestId, clock }: { readonly requestId: string; readonly clock: Clock },
): void {
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
  socket.once(
    'close',
    clock.after(LINGER, () => socket.destroy()),
  );
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Error'}\r\n${head.join('')}\r\n${text}`);
}
