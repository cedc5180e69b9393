import type { Contract } from '../../contracts/typed.ts';
import { parameterNames, templateOf } from '../../http/path.ts';
import type { Events, Socket, Stream } from '../../http/route.ts';
import { lineOf } from '../../http/served.ts';
import type { SecurityScheme } from '../../plugin.ts';
import type { Declared } from '../loader/declarations.ts';
import { Components } from './components.ts';
import type { ApiDescription } from './document.ts';
import { exampleOf, type Schema } from './example.ts';
import { TOKEN, takesTokenInQuery } from './operation.ts';
import { mediaOf } from './responses.ts';

type StreamingEndpoint = Events | Stream | Socket;

interface Streaming extends Declared {
  readonly endpoint: StreamingEndpoint;
}

/** The AsyncAPI 3.0 document of the WebSockets and server-sent events a node serves, from its declarations alone. `send` is what it sends. */
export function describeStreams({ profile, version, declarations, contracts, url }: ApiDescription): object {
  const components = new Components(contracts);
  const { guards } = declarations;
  const streaming = declarations.endpoints
    .filter((declared): declared is Streaming => ['events', 'stream', 'socket'].includes(declared.endpoint.kind))
    .sort((a, b) => (lineOf(a.endpoint) < lineOf(b.endpoint) ? -1 : 1));
  const used = new Set(streaming.map(({ endpoint }) => endpoint.spec.auth));
  const channels = streaming.map((declared) => [
    idOf(declared),
    channelOf(declared, components, url === undefined ? undefined : profile),
  ]);
  const operations = streaming.flatMap((declared) => {
    const guarded = guards.get(declared.endpoint.spec.auth) !== undefined;
    return directionsOf(declared).map((action) => [
      `${idOf(declared)}.${action}`,
      operationOf(declared, action, guarded, components),
    ]);
  });
  const securitySchemes = [...guards].flatMap(([name, guard]) =>
    guard && used.has(name) ? [[name, securityScheme(guard.scheme, guard.summary)]] : [],
  );
  return {
    asyncapi: '3.0.0',
    info: {
      title: profile === 'node' ? 'agent-mesh node: streams' : 'agent-mesh aggregator: streams',
      version,
      license: { name: 'Apache-2.0' },
    },
    defaultContentType: 'application/json',
    ...(url && { servers: serversOf(profile, url, streaming) }),
    channels: Object.fromEntries(channels),
    operations: Object.fromEntries(operations),
    components: { securitySchemes: Object.fromEntries(securitySchemes), schemas: components.schemas() },
  };
}

function channelOf({ endpoint }: Streaming, components: Components, server: string | undefined): Schema {
  const { path, spec } = endpoint;
  const query = queryOf(endpoint, components);
  const names = parameterNames(path);
  const isEvents = endpoint.kind === 'events';
  return {
    address: templateOf(path),
    ...(spec.summary && { summary: spec.summary }),
    ...(names.length > 0 && {
      parameters: Object.fromEntries(names.map((name) => [name, parameterOf(name, endpoint, components)])),
    }),
    messages: messagesOf(endpoint, components),
    ...(server && isEvents && { servers: [{ $ref: `#/servers/${server}${OVER_HTTP}` }] }),
    ...(!isEvents && { bindings: { ws: { method: 'GET', ...(query && { query }), bindingVersion: '0.1.0' } } }),
  };
}

/** The query as one object, with the credential where it may stand there. */
function queryOf(endpoint: StreamingEndpoint, components: Components): Schema | undefined {
  const contract = (endpoint.spec as { query?: Contract }).query;
  const used = contract && components.use(contract);
  if (!takesTokenInQuery(endpoint)) return used;
  const own = used?.['$ref'] ? components.resolve(used['$ref']) : used;
  const token = { description: TOKEN.description, ...TOKEN.schema };
  return { ...own, type: 'object', properties: { ...own?.['properties'], token } };
}

function messagesOf(endpoint: StreamingEndpoint, components: Components): Schema {
  if (endpoint.kind === 'socket') {
    return { message: { contentType: 'application/octet-stream', summary: 'One binary WebSocket message.' } };
  }
  const { frame, receive } = { receive: undefined, ...endpoint.spec };
  return {
    frame: messageOf(frame as Contract, components),
    ...(receive && { receive: messageOf(receive as Contract, components) }),
  };
}

function messageOf(contract: Contract, components: Components): Schema {
  const { schema, example } = mediaOf(contract, components);
  const name = typeof contract === 'string' ? { name: contract } : {};
  return { ...name, payload: schema, examples: [{ payload: example }] };
}

function parameterOf(name: string, { spec }: StreamingEndpoint, components: Components): Schema {
  const contract = ((spec.params ?? {}) as Record<string, Contract>)[name];
  const used = contract ? components.use(contract) : {};
  const schema = used['$ref'] ? (components.resolve(used['$ref']) ?? {}) : used;
  const example = contract && exampleOf(schema, (ref) => components.resolve(ref));
  return {
    ...(schema['description'] && { description: schema['description'] }),
    ...(example !== undefined && { examples: [String(example)] }),
  };
}

function directionsOf({ endpoint }: Streaming): ('send' | 'receive')[] {
  const both = endpoint.kind === 'socket' || (endpoint.kind === 'stream' && endpoint.spec.receive !== undefined);
  return both ? ['send', 'receive'] : ['send'];
}

function operationOf(
  declared: Streaming,
  action: 'send' | 'receive',
  guarded: boolean,
  components: Components,
): Schema {
  const { plugin, endpoint } = declared;
  const message = endpoint.kind === 'socket' ? 'message' : action === 'send' ? 'frame' : 'receive';
  const channel = `#/channels/${idOf(declared)}`;
  return {
    action,
    channel: { $ref: channel },
    ...(endpoint.spec.summary && { summary: endpoint.spec.summary }),
    tags: [{ name: plugin }],
    ...(guarded && { security: [{ $ref: `#/components/securitySchemes/${endpoint.spec.auth}` }] }),
    messages: [{ $ref: `${channel}/messages/${message}` }],
    ...(endpoint.kind === 'events' && { bindings: { http: requestOf(endpoint, components) } }),
  };
}

/** AsyncAPI calls a key in a header or query of HTTP `httpApiKey`. */
function securityScheme(scheme: SecurityScheme, summary: string): Schema {
  const type = scheme.type === 'apiKey' ? 'httpApiKey' : scheme.type;
  return { description: summary, ...scheme, type };
}

/** The request that opens a stream of events. */
function requestOf(endpoint: Events, components: Components): Schema {
  const query = queryOf(endpoint, components);
  return { method: 'GET', ...(query && { query }), bindingVersion: '0.3.0' };
}

const OVER_HTTP = '-http';

function serversOf(profile: string, url: string, streaming: readonly Streaming[]): Schema {
  const hasEvents = streaming.some(({ endpoint }) => endpoint.kind === 'events');
  return {
    [profile]: serverOf(url, 'ws'),
    ...(hasEvents && { [`${profile}${OVER_HTTP}`]: serverOf(url, 'http') }),
  };
}

function serverOf(url: string, plain: 'ws' | 'http'): Schema {
  const { host, protocol, pathname } = new URL(url);
  return {
    host,
    protocol: protocol === 'https:' ? `${plain}s` : plain,
    ...(pathname !== '/' && { pathname: pathname.replace(/\/$/, '') }),
  };
}

function idOf({ plugin, name }: Declared): string {
  return `${plugin}.${name}`;
}
