import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Reply } from './faults/misshape.ts';
import type { Rpc } from './rpc.ts';

const MAX_BODY_BYTES = 1024 * 1024;
const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i;

/**
 * Whether a request comes from a program on this machine. A web page open in a browser here is not one: it is kept
 * out, as anyone who reaches the localnet can take from its faucet.
 */
export function isLocal(request: IncomingMessage): boolean {
  const { host, origin } = request.headers;
  if (host === undefined || !LOOPBACK_HOST.test(host)) return false;
  return origin === undefined || LOOPBACK_HOST.test(origin.replace(/^https?:\/\//, ''));
}

/** JSON-RPC over POST, and `ok` at /health. */
export async function answerHttp(rpc: Rpc, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (!isLocal(request)) return end(response, 403, 'Only programs on this machine may use the localnet.');
  if (request.method === 'GET') return end(response, 200, request.url === '/health' ? 'ok' : 'Solana localnet');
  if (request.method !== 'POST') return end(response, 405, 'Use POST.');
  // A page's script may send any other type without asking first.
  if (!request.headers['content-type']?.startsWith('application/json')) {
    return end(response, 415, 'Send application/json.');
  }
  const body = await readBody(request);
  if (body === undefined) {
    response.setHeader('connection', 'close');
    return end(response, 413, `At most ${MAX_BODY_BYTES} bytes.`);
  }
  const reply = rpc.answer(body);
  if (!reply) return end(response, 204, '');
  if (reply.afterMs) await wait(reply.afterMs, request.socket);
  send(response, reply);
}

function send(response: ServerResponse, { text, status = 200, contentType, retryAfter, ending }: Reply): void {
  const { socket } = response;
  if (ending === 'reset') return void (socket as Socket | null)?.resetAndDestroy();
  if (ending === 'silence') return void socket?.destroy();
  response.setHeader('content-type', contentType ?? 'application/json');
  if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter);
  if (ending === 'cut') {
    response.writeHead(status, { 'content-length': Buffer.byteLength(text) + 1 });
    response.write(text, () => socket?.destroy());
  } else end(response, status, text);
}

/** Ends early when the caller hangs up. */
function wait(ms: number, socket: Socket): Promise<void> {
  return new Promise((over) => {
    const end = () => {
      clearTimeout(timer);
      socket.off('close', end);
      over();
    };
    const timer = setTimeout(end, ms);
    socket.on('close', end);
  });
}

function end(response: ServerResponse, status: number, body: string): void {
  response.statusCode = status;
  response.end(body);
}

/** Undefined when the body is too large. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
