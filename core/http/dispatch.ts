import type { Middleware } from 'koa';
import { MeshError } from '../contracts/errors.ts';
import { CrossOrigin } from './cross-origin.ts';
import type { EventServer } from './event-server.ts';
import { FileServer, toPage } from './file-server.ts';
import { handleRoute } from './handle-route.ts';
import { LargeBodies } from './large-bodies.ts';
import { MissingPage } from './missing-page.ts';
import { NothingThere } from './nothing-there.ts';
import { checkOrigin, hostCheck } from './origin.ts';
import { PageFacts } from './page-facts.ts';
import { Pages, wantsPage } from './pages.ts';
import { PROBLEM_TYPE } from './problem-details.ts';
import { type Context, Reply, StreamFault } from './reply.ts';
import { Routing } from './routing.ts';
import {
  isWebSocket,
  type Mounted,
  mounted,
  type Served,
  type ServedEvents,
  type ServedFiles,
  type ServedRoute,
} from './served.ts';
import type { ServerOptions } from './server.ts';
import type { SocketServer } from './sockets.ts';
import type { ServerState } from './state.ts';
import { parseTarget, type Target } from './target.ts';

/** Milliseconds an unread body may go on arriving after its request was refused. */
const LINGER = 2_000;

/** A page is a file, whatever its address ends with. */
const FILE: Target = { path: '/page', search: '' };

type Answer = (ctx: Context, reply: Reply) => Promise<void>;

/**
 * Answers every request: gives it an id, turns every throw into a problem document, counts. All of it is one middleware,
 * because each costs a call as much as some of the steps in it.
 */
export function dispatch(
  options: ServerOptions,
  state: ServerState,
  sockets: SocketServer,
  events: EventServer,
): Middleware {
  const { clock, metrics, log } = options;
  const requests = metrics.counter('mesh_http_requests_total', 'HTTP requests answered.', ['route', 'status']);
  const seconds = metrics.histogram('mesh_http_request_seconds', 'Time to answer.', ['route']);
  const all = options.served.filter((served) => !isWebSocket(served)).map((served) => mounted(served, options.gates));
  const answer = answerOf(all, options, state, sockets, events);
  const missing = new MissingPage({ served: all, state, log });
  return async (ctx) => {
    const began = clock.now();
    const reply = new Reply(state.requestIdOf(ctx.req));
    try {
      await answer(ctx, reply);
    } catch (error) {
      if (ctx.req.destroyed && !ctx.req.complete) return;
      if (error instanceof StreamFault) return log.error({ err: error.cause, route: reply.route }, error.message);
      if (await missing.answers(error, ctx, reply)) return;
      const { status, headers, body } = state.problemFor(error, ctx.req, reply.requestId);
      reply.setAll(headers);
      reply.set('content-type', PROBLEM_TYPE);
      if (!ctx.req.complete) lingerThenCut(ctx, reply, clock);
      reply.send(ctx, status, JSON.stringify(body));
    }
    const { route, status, requestId } = reply;
    const ms = clock.now() - began;
    requests({ route, status: String(status) });
    seconds(ms / 1000, { route });
    log.debug({ requestId, route, status, ms }, 'answered');
  };
}

/** Checks host and origin, finds the route, admits the call, and sends its answer. */
function answerOf(
  all: readonly Mounted[],
  options: ServerOptions,
  state: ServerState,
  sockets: SocketServer,
  events: EventServer,
): Answer {
  const { policy } = options;
  const routing = new Routing(all);
  const pages = new Pages(all);
  const crossOrigin = new CrossOrigin(policy, all);
  const files = new FileServer();
  const tools = { ...options, largeBodies: new LargeBodies() };
  const facts = new PageFacts(tools, state, routing);
  const checkHost = hostCheck(policy);
  return async (ctx, reply) => {
    const { req, res } = ctx;
    checkHost(req);
    if (crossOrigin.answers(req, reply, () => isOpenRead(req, routing))) return reply.send(ctx, 204);
    const target = parseTarget(req.url ?? '/');
    const page = pages.at(req.method, target.path);
    if (page) reply.varyBy('Accept');
    const shown = page && wantsPage(req.headers.accept) ? page : undefined;
    const found = routing.find(req.method ?? 'GET', target.path);
    const { served, params, allow } = shown ? { served: shown.served, params: { path: shown.file } } : found;
    if (!served) return refuseUnknown(ctx, reply, target.path, allow, sockets);
    reply.route = shown ? `GET ${shown.path} (page)` : served.line;
    if (state.draining() || state.stopping()) reply.set('connection', 'close');
    if (state.stopping()) throw new MeshError('not_ready', { retryAfter: 1 });
    const ip = state.ipOf(req);
    const isOpen = served.guard.spec === undefined;
    // A page of another site could read nothing of the stream, but hold its place.
    if (isEvents(served) && !(policy.openReads && isOpen)) checkOrigin(req.headers, policy);
    const admitted = await served.gate.admit(req, target, params, ip);
    if (admitted.limits) reply.setAll(admitted.limits);
    if (isEvents(served)) return events.open({ served, admitted, ip, ctx, reply });
    if (isFiles(served)) {
      if (shown?.hasSlash) return toPage(target, ctx, reply);
      const fill = shown && facts.of({ page: shown, target, ip, ctx, reply });
      return files.answer({ served, admitted, target: shown ? FILE : target, fill, ctx, reply });
    }
    const { requestId } = reply;
    const makeSignal = () => state.signalOf(res);
    const { status, headers, body, sent, stream } = await handleRoute(
      { served: served as Mounted<ServedRoute>, request: req, admitted, ip, requestId, makeSignal },
      tools,
    );
    reply.setAll(headers);
    if (sent) res.once('finish', () => void tell(sent, options.log, served.line));
    if (stream) return reply.stream(ctx, status, stream);
    reply.send(ctx, status, body);
  };
}

async function tell(sent: () => unknown, log: ServerOptions['log'], line: string): Promise<void> {
  try {
    await sent();
  } catch (error) {
    log.error({ err: error, route: line }, 'what was to follow an answer failed');
  }
}

function isEvents(served: Served): served is Mounted<ServedEvents> {
  return served.endpoint.kind === 'events';
}

function isFiles(served: Served): served is Mounted<ServedFiles> {
  return served.endpoint.kind === 'files';
}

/** Whether a request, or the one that a preflight asks about, reads what everybody may read. */
function isOpenRead({ method, url = '/', headers }: Context['req'], routing: Routing<Mounted>): boolean {
  const meant = method === 'OPTIONS' ? headers['access-control-request-method'] : method;
  const { served } = routing.find('GET', parseTarget(url).path);
  return meant === 'GET' && served?.guard.spec === undefined && served !== undefined;
}

async function refuseUnknown(
  ctx: Context,
  reply: Reply,
  path: string,
  allow: readonly string[],
  sockets: SocketServer,
): Promise<void> {
  if (sockets.has(path)) {
    // A browser does not tell its page why a WebSocket was refused. A plain request that shows a credential does.
    if (ctx.req.headers.authorization !== undefined) await sockets.admit(ctx.req);
    reply.setAll({ upgrade: 'websocket', connection: 'upgrade' });
    throw new MeshError('upgrade_required');
  }
  if (allow.length === 0) throw new NothingThere(path);
  reply.set('allow', allow.join(', '));
  if (ctx.method !== 'OPTIONS') throw new MeshError('method_not_allowed', { extra: { allow } });
  reply.send(ctx, 204);
}

/** Lets a client that is still sending read the refusal, but not for long. */
function lingerThenCut({ req, res }: Context, reply: Reply, clock: ServerOptions['clock']): void {
  reply.set('connection', 'keep-alive');
  req.resume();
  const cancel = clock.after(LINGER, () => req.socket.destroy());
  req.once('close', cancel);
  if (req.headers.connection?.toLowerCase() !== 'close') return;
  const end = () => req.complete && res.writableFinished && req.socket.end();
  req.once('end', end);
  res.once('finish', end);
}
