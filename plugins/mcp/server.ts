import {
  createMcpHandler,
  type McpHttpHandler,
  McpServer,
  ResourceNotFoundError,
  ResourceTemplate,
  type ServerOptions,
} from '@modelcontextprotocol/server';
import { isMeshError, type Log } from '../../core/plugin.ts';
import { addPrompts, INSTRUCTIONS } from './guide.ts';
import type { Tool } from './tool.ts';

const LISTS = { ttlMs: 300_000, cacheScope: 'public' } as const;
const CACHE_HINTS: NonNullable<ServerOptions['cacheHints']> = {
  'tools/list': LISTS,
  'prompts/list': LISTS,
  'resources/list': LISTS,
  'resources/templates/list': LISTS,
  'server/discover': LISTS,
};
const JSON_TYPE = 'application/json';

/** Something that a host may read by its address. */
export interface Readable {
  readonly name: string;
  /** With `{id}` in it. */
  readonly template: string;
  readonly title: string;
  readonly description: string;
  /** Undefined, or a refusal with `not_found`, when there is none. */
  readonly read: (id: string) => Promise<object | undefined>;
}

export interface McpParts {
  readonly name: string;
  readonly version: string;
  readonly tools: readonly Tool[];
  readonly readables: readonly Readable[];
  readonly prompts: boolean;
  /** Whether the changes of what can be read are told. */
  readonly subscribable?: boolean;
  readonly instructions?: string;
  readonly verify?: NonNullable<ServerOptions['requestState']>['verify'];
  readonly log: Log;
}

/** The protocol's handler: every request gets a server of its own, so any process answers any call. */
export function handlerOf(parts: McpParts): McpHttpHandler {
  const { log } = parts;
  const onFault = (error: unknown) => log.error({ err: error }, 'a tool failed');
  return createMcpHandler(
    ({ era, requestInfo }) => serverOf(era === 'modern' ? partsFor(parts, requestInfo) : parts, onFault),
    {
      legacy: 'stateless',
      onerror: (error) => log.debug({ err: error }, 'a call of the model context protocol was refused'),
    },
  );
}

/** A call of one tool needs no other part. The handler has compared these headers with the body. */
function partsFor(parts: McpParts, request: Request | undefined): McpParts {
  const name = request?.headers.get('mcp-method') === 'tools/call' ? request.headers.get('mcp-name') : null;
  const called = parts.tools.find((tool) => tool.name === name);
  return called ? { ...parts, tools: [called], readables: [], prompts: false } : parts;
}

function serverOf(parts: McpParts, onFault: (error: unknown) => void): McpServer {
  const { name, version, instructions = INSTRUCTIONS, subscribable = false, verify } = parts;
  const server = new McpServer(
    { name, version, title: 'agent-mesh' },
    {
      ...{ instructions, cacheHints: CACHE_HINTS },
      ...(subscribable && { capabilities: { resources: { subscribe: true } } }),
      ...(verify && { requestState: { verify } }),
    },
  );
  for (const { add } of parts.tools) add(server, onFault);
  for (const readable of parts.readables) addReadable(server, readable);
  if (parts.prompts) addPrompts(server);
  return server;
}

function addReadable(server: McpServer, { name, template, title, description, read }: Readable): void {
  const place = new ResourceTemplate(template, { list: undefined });
  server.registerResource(name, place, { title, description, mimeType: JSON_TYPE }, async (uri, { id }) => {
    const found = await read(String(id)).catch((error: unknown) => {
      if (isMeshError(error) && ['not_found', 'invalid_request'].includes(error.code)) return undefined;
      throw error;
    });
    if (!found) throw new ResourceNotFoundError(uri.href);
    return { contents: [{ uri: uri.href, mimeType: JSON_TYPE, text: JSON.stringify(found) }] };
  });
}
