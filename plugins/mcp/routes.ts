import { type Limit, route, type TypedSchema, typed } from '../../core/plugin.ts';
import { READ } from './door.ts';

const MAX_BODY = 1024 * 1024;
const HEADERS = headersOf(READ);
const REPLY_HEADERS = headersOf(['cache-control', 'x-accel-buffering']);
const ANSWER = '{"jsonrpc":"2.0","id":1,"result":{}}';
const MEDIA = {
  ...{ type: 'application/json', example: ANSWER },
  also: { 'text/event-stream': `event: message\ndata: ${ANSWER}\n\n` },
};

/** The one address of the protocol. Beyond the guard it answers in the protocol's own words, refusals too. */
export function mcpRoute<const A extends 'api' | 'open'>(auth: A, limit: Limit) {
  return route('POST /mcp', {
    auth,
    limit,
    feature: 'mcp',
    summary: 'One message of the Model Context Protocol (Streamable HTTP); the answer is JSON or an event stream',
    body: 'bytes',
    headers: HEADERS,
    maxBody: MAX_BODY,
    reply: 'stream',
    statuses: [202, 400, 404, 406, 415],
    media: MEDIA,
    replyHeaders: REPLY_HEADERS,
  });
}

function headersOf(names: readonly string[]): Record<string, TypedSchema<string>> {
  return Object.fromEntries(names.map((name) => [name, typed<string>({ type: 'string' })]));
}
