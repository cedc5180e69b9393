import { type ClientHttp2Session, connect, constants } from 'node:http2';
import { connect as connectPlain } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { PinnedRequest, PinnedResponse } from './pinned-request.ts';

/** Milliseconds that an unused connection stays open. */
const IDLE = 60_000;
/** Connections kept at once, to other origins and addresses. */
const MOST = 16;

const kept = new Map<string, ClientHttp2Session>();

/**
 * A call over HTTP/2, on a connection that further calls to the same origin and checked addresses share: services that speak
 * HTTP/2 alone, such as APNs, take a connection for each call for an attack. Without TLS by prior knowledge.
 */
export async function http2Request(request: PinnedRequest): Promise<PinnedResponse> {
  const { url, addresses, method, headers, body, signal, connected } = request;
  signal.throwIfAborted();
  const session = await sessionTo(url, addresses, signal);
  connected();
  return new Promise((resolve, reject) => {
    const stream = session.request(
      {
        ':method': method,
        ':path': url.pathname + url.search,
        ...headers,
        ...(body && { 'content-length': body.length }),
      },
      { endStream: body === undefined },
    );
    const leave = () => stream.close(constants.NGHTTP2_CANCEL);
    signal.addEventListener('abort', leave, { once: true });
    stream.once('response', (found) => {
      const told = new Headers();
      for (const [name, value] of Object.entries(found))
        if (!name.startsWith(':') && value !== undefined) told.append(name, String(value));
      resolve({ status: Number(found[':status'] ?? 0), headers: told, body: stream });
    });
    stream.once('error', reject);
    stream.once('close', () => {
      signal.removeEventListener('abort', leave);
      reject(signal.aborted ? signal.reason : new Error('the connection was closed without an answer'));
    });
    stream.end(body);
  });
}

async function sessionTo(url: URL, addresses: readonly string[], signal: AbortSignal): Promise<ClientHttp2Session> {
  const key = `${url.origin} ${[...addresses].sort().join(' ')}`;
  const open = kept.get(key);
  if (open && !open.closed && !open.destroyed) return open;
  const [host] = addresses;
  if (host === undefined) throw new Error(`${url.hostname} has no address`);
  const isSecure = url.protocol === 'https:';
  const port = Number(url.port || (isSecure ? 443 : 80));
  const name = url.hostname.replace(/^\[|\]$/g, '');
  const session = connect(url.origin, {
    createConnection: () =>
      isSecure
        ? connectTls({ host, port, servername: name, ALPNProtocols: ['h2'], rejectUnauthorized: true })
        : connectPlain({ host, port }),
  });
  session.on('error', () => kept.delete(key));
  session.on('goaway', () => kept.delete(key));
  session.on('close', () => kept.get(key) === session && kept.delete(key));
  session.setTimeout(IDLE, () => session.close());
  await ready(session, signal);
  // An idle connection keeps no process alive.
  session.unref();
  if (kept.size >= MOST) {
    const [oldest, first] = kept.entries().next().value!;
    kept.delete(oldest);
    first.close();
  }
  kept.set(key, session);
  return session;
}

function ready(session: ClientHttp2Session, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => session.destroy(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    session.once('connect', () => {
      signal.removeEventListener('abort', leave);
      resolve();
    });
    session.once('error', reject);
    session.once('close', () => reject(signal.aborted ? signal.reason : new Error('the connection was closed')));
  });
}
