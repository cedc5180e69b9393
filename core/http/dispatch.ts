import type { Middleware } from 'koa';
import { MeshError } from '../errors.ts';
import { answerTo } from './exchange.ts';
import { allowedOrigin, checkHost, checkOrigin } from './origin.ts';
import { PROBLEM_TYPE } from './problem-details.ts';
import type { Route } from './route.ts';
import type { Routing } from './routing.ts';
import { lineOf } from './served.ts';
import type { ServerOptions } from './server.ts';
import type { SocketServer } from './sockets.ts';
import type { ServerState } from './state.ts';
import { parseTarget } from './target.ts';

type Context = Parameters<Middleware>[0];

/** Milliseconds an unread body may go on arriving after its request was refused. */
const LINGER = 2_000;
const UNSAFE = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** Outermost: gives every answer its request id, turns every throw into a problem document, counts. */
export function answerErrors({ clock, metrics, log }: ServerOptions, state: ServerState): Middleware {
  const requests = metrics.counter('mesh_http_requests_total', 'HTTP requests answered.', ['route', 'status']);
  const seconds = metrics.histogram('mesh_http_request_seconds', 'Time to answer.', ['route']);
  return async (ctx, next) => {
    const began = clock.now();
    const requestId = state.requestIdOf(ctx.req);
    ctx.state['requestId'] = requestId;
    ctx.set('x-request-id', requestId);
    ctx.set('x-content-type-options', 'nosniff');
    try {
      await next();
    } catch (error) {
      if (ctx.req.destroyed && !ctx.req.complete) return;
      const { status, headers, body } = state.problemFor(error, ctx.req, requestId);
      ctx.status = status;
      ctx.set({ ...headers });
      ctx.body = JSON.stringify(body);
      ctx.type = PROBLEM_TYPE;
      if (!ctx.req.complete) lingerThenCut(ctx, clock);
    }
    const route = String(ctx.state['route'] ?? 'unmatched');
    const ms = clock.now() - began;
    requests({ route, status: String(ctx.status) });
    seconds(ms / 1000, { route });
    log.debug({ requestId, route, status: ctx.status, ms }, 'answered');
  };
}

/** Host and Origin checks, CORS headers for listed origins, and preflight answers. */
export function answerPreflight({ policy }: ServerOptions): Middleware {
  return async (ctx, next) => {
    const { headers } = ctx.req;
    checkHost(headers, policy);
    if (policy.corsOrigins.length > 0) ctx.vary('Origin');
    const origin = allowedOrigin(headers, policy);
    if (origin !== undefined) {
      ctx.set('access-control-allow-origin', origin);
      ctx.set('access-control-expose-headers', 'x-request-id, retry-after, ratelimit, ratelimit-policy');
    }
    if (ctx.method === 'OPTIONS' && headers['access-control-request-method'] !== undefined) {
      if (origin === undefined) checkOrigin(headers, policy);
      ctx.set('access-control-allow-methods', 'GET, POST, PUT, PATCH, DELETE');
      ctx.set('access-control-allow-headers', 'authorization, content-type, idempotency-key, x-request-id');
      ctx.set('access-control-max-age', '600');
      ctx.status = 204;
      return;
    }
    if (UNSAFE.has(ctx.method)) checkOrigin(headers, policy);
    await next();
  };
}

/** Finds the route, admits the call, and writes its answer. */
export function dispatch(
  options: ServerOptions,
  state: ServerState,
  routing: Routing<Route>,
  sockets: SocketServer,
): Middleware {
  return async (ctx) => {
    const target = parseTarget(ctx.req.url ?? '/');
    const found = routing.find(ctx.method, target.path);
    if (!found.served) return refuseUnknown(ctx, target.path, found.allow, sockets);
    const { served } = found;
    ctx.state['route'] = lineOf(served.endpoint);
    if (state.stopping()) {
      ctx.set('connection', 'close');
      throw new MeshError('not_ready', { retryAfter: 1 });
    }
    const ip = state.ipOf(ctx.req);
    const admitted = await options.desk.admit(served, ctx.req, target, found.params, ip);
    ctx.set(admitted.headers);
    const call = state.openCall();
    ctx.res.once('close', () => (ctx.res.writableFinished ? call.done() : call.abort()));
    const requestId = String(ctx.state['requestId']);
    const exchange = { served, request: ctx.req, admitted, ip, call, requestId };
    const { status, headers, body } = await answerTo(exchange, options);
    ctx.status = status;
    ctx.set({ ...headers });
    if (body !== undefined) ctx.body = body;
  };
}

function refuseUnknown(ctx: Context, path: string, allow: readonly string[], sockets: SocketServer): void {
  if (sockets.has(path)) {
    ctx.set({ upgrade: 'websocket', connection: 'upgrade' });
    throw new MeshError('upgrade_required');
  }
  if (allow.length === 0) throw new MeshError('not_found', { detail: `There is nothing at ${path}.` });
  ctx.set('allow', allow.join(', '));
  if (ctx.method !== 'OPTIONS') throw new MeshError('method_not_allowed', { extra: { allow } });
  ctx.status = 204;
}

/** Lets a client that is still sending read the refusal, but not for long. */
function lingerThenCut(ctx: Context, clock: ServerOptions['clock']): void {
  const { req, res } = ctx;
  ctx.set('connection', 'keep-alive');
  req.resume();
  const cancel = clock.after(LINGER, () => req.socket.destroy());
  req.once('close', cancel);
  if (req.headers.connection?.toLowerCase() !== 'close') return;
  const end = () => req.complete && res.writableFinished && req.socket.end();
  req.once('end', end);
  res.once('finish', end);
}
