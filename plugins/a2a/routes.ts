import { createHash } from 'node:crypto';
import { type Answer, answer, type Limit, route, type TypedSchema, typed } from '../../core/plugin.ts';

const MAX_BODY = 128 * 1024;
const text = (maxLength: number) => typed<string>({ type: 'string', maxLength });
const AGENT = typed<string>({
  description: 'The agent id, base58.',
  type: 'string',
  pattern: '^[1-9A-HJ-NP-Za-km-z]{32,44}$',
  examples: ['FAe4sisG95oZ42w7buUn5qEE4TAnfTTFPiguZUHmhiF'],
});
const PATH = typed<string>({
  description: 'The operation of HTTP+JSON in ASCII: message:send, tasks, tasks/{id} and so on.',
  type: 'string',
  pattern: '^[A-Za-z0-9:/._~-]+$',
  examples: ['tasks'],
});
const HEADERS = {
  ...{ accept: text(1_024), 'content-type': text(256), 'a2a-version': text(32), 'a2a-extensions': text(1_024) },
};
const REPLY_HEADERS = {
  ...{
    'cache-control': text(128),
    'x-accel-buffering': text(8),
    'retry-after': text(16),
    'a2a-extensions': text(1_024),
  },
};
const MEMBERS = [
  ...['contextId', 'status', 'pageSize', 'pageToken', 'historyLength', 'statusTimestampAfter', 'includeArtifacts'],
  ...['A2A-Version', 'tenant'],
];
/** As text: what does not fit is refused in the protocol's own words. */
const QUERY = typed<Record<string, string | undefined>>({
  type: 'object',
  properties: Object.fromEntries(MEMBERS.map((name) => [name, { type: 'string', maxLength: 256 }])),
});
const STATUSES = [400, 401, 404, 408, 413, 429, 500, 503];
const STREAM = 'text/event-stream';
const ANSWER = '{"jsonrpc":"2.0","id":1,"result":{}}';
const MEDIA = { type: 'application/json', example: ANSWER, also: { [STREAM]: `data: ${ANSWER}\n\n` } };
const TASKS = '{"tasks":[],"nextPageToken":"","pageSize":50,"totalSize":0}';
const REST_MEDIA = {
  ...{ type: 'application/a2a+json', example: TASKS },
  also: { 'application/json': TASKS, [STREAM]: 'data: {"task":{"id":"…"}}\n\n' },
};
const CALLS: Limit = { per: 'ip', rate: 600, window: 60 };
export const CARD = typed<object>({ type: 'object', examples: [{ name: 'Ada' }] });
export const CARD_HEADERS = { 'if-none-match': text(256) };
export const CARD_REPLY_HEADERS = { 'cache-control': text(128), etag: text(128) };

/** The routes of one kind of callers: JSON-RPC at the address itself, HTTP+JSON below it. */
export function taskRoutes<const A extends string, const P extends `/${string}`>(auth: A, at: P, whom: string) {
  const common = {
    auth,
    limit: CALLS,
    feature: 'a2a',
    headers: HEADERS,
    replyHeaders: REPLY_HEADERS,
    statuses: STATUSES,
  } as const;
  const rest = { ...common, query: QUERY, reply: 'stream', media: REST_MEDIA } as const;
  const params = { agent: AGENT } as const;
  const paths = { agent: AGENT, path: PATH } as const;
  const summary = `A2A over HTTP+JSON ${whom}`;
  return {
    rpc: route(`POST ${at}`, {
      ...common,
      summary: `A2A over JSON-RPC ${whom}; the answer is JSON or an event stream`,
      params: params as never,
      query: QUERY,
      body: 'stream',
      maxBody: MAX_BODY,
      reply: 'stream',
      media: MEDIA,
    }),
    read: route(`GET ${at}/*path`, { ...rest, summary: `${summary}: reads`, params: paths as never }),
    act: route(`POST ${at}/*path`, {
      ...rest,
      summary: `${summary}: acts`,
      params: paths as never,
      body: 'stream',
      maxBody: MAX_BODY,
    }),
    remove: route(`DELETE ${at}/*path`, { ...rest, summary: `${summary}: deletes`, params: paths as never }),
  };
}

/** A card or catalogue, which is fetched again only when it changed. */
export function document<const L extends `GET /${string}`>(
  line: L,
  summary: string,
  auth = 'open',
  params: Record<string, TypedSchema<string>> = {},
) {
  return route(line, {
    ...{ auth, summary, feature: 'a2a', limit: CALLS, params: params as never, headers: CARD_HEADERS },
    ...{ reply: CARD, statuses: [304], replyHeaders: CARD_REPLY_HEADERS },
    errors: ['not_found'],
  });
}

export const agentParam = { agent: AGENT };

/** The document, or 304 for a caller that has it. */
export function documentAnswer(value: object, known: string | undefined): Answer<object> {
  const etag = `"${createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22)}"`;
  const headers = { 'cache-control': 'public, max-age=300', etag };
  return known === etag ? answer(value, { status: 304, headers }) : answer(value, { headers });
}
