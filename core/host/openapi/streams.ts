import type { Contract } from '../../contracts/typed.ts';
import type { Socket, Stream } from '../../http/route.ts';
import { lineOf } from '../../http/served.ts';
import type { SecurityScheme } from '../../plugin.ts';
import type { Declared } from '../loader/declarations.ts';
import { Components } from './components.ts';
import type { ApiDescription } from './document.ts';
import { exampleOf, type Schema } from './example.ts';
import { TOKEN } from './operation.ts';
import { mediaOf } from './responses.ts';

interface Streaming extends Declared {
  readonly endpoint: Stream | Socket;
}

/** The AsyncAPI 3.0 document of the WebSockets a node serves, from its declarations alone. `send` is what it sends. */
export function describeStreams({ profile, version, declarations, contracts, url }: ApiDescription): object {
  const components = new Components(contracts);
  const { guards } = declarations;
  const streaming = declarations.endpoints
    .filter((declared): declared is Streaming => declared.endpoint.kind !== 'route')
    .sort((a, b) => (lineOf(a.endpoint) < lineOf(b.endpoint) ? -1 : 1));
  const used = new Set(streaming.map(({ endpoint }) => endpoint.spec.auth));
  const channels = streaming.map((declared) => [idOf(declared), channelOf(declared, components)]);
  const operations = streaming.flatMap((declared) => {
    const guarded = guards.get(declared.endpoint.spec.auth) !== undefined;
    return directionsOf(declared).map((action) => [
      `${idOf(declared)}.${action}`,
      operationOf(declared, action, guarded),
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
    ...(url && { servers: { [profile]: serverOf(url) } }),
    channels: Object.fromEntries(channels),
    operations: Object.fromEntries(operations),
    components: { securitySchemes: Object.fromEntries(securitySchemes), schemas: components.schemas() },
  };
}

function channelOf({ endpoint }: Streaming, components: Components): Schema {
  const { path, spec } = endpoint;
  const query = queryOf(endpoint, components);
  const names = [...path.matchAll(/:([^/]+)/g)].map(([, name = '']) => name);
  return {
    address: path.replace(/:([^/]+)/g, '{$1}'),
    ...(spec.summary && { summary: spec.summary }),
    ...(names.length > 0 && {
      parameters: Object.fromEntries(names.map((name) => [name, parameterOf(name, endpoint, components)])),
    }),
    messages: messagesOf(endpoint, components),
    bindings: { ws: { method: 'GET', ...(query && { query }), bindingVersion: '0.1.0' } },
  };
}

/** The query as one object, with the credential where it may stand there. */
function queryOf(endpoint: Stream | Socket, components: Components): Schema | undefined {
  const contract = (endpoint.spec as { query?: Contract }).query;
  const used = contract && components.use(contract);
  if (endpoint.kind !== 'stream' || !endpoint.spec.tokenInQuery) return used;
  const own = used?.['$ref'] ? components.resolve(used['$ref']) : used;
  const token = { description: TOKEN.description, ...TOKEN.schema };
  return { ...own, type: 'object', properties: { ...own?.['properties'], token } };
}

function messagesOf(endpoint: Stream | Socket, components: Components): Schema {
  if (endpoint.kind === 'socket') {
    return { message: { contentType: 'application/octet-stream', summary: 'One binary WebSocket message.' } };
  }
  const { frame, receive } = endpoint.spec;
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

function parameterOf(name: string, { spec }: Stream | Socket, components: Components): Schema {
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
  const both = endpoint.kind === 'socket' || endpoint.spec.receive !== undefined;
  return both ? ['send', 'receive'] : ['send'];
}

function operationOf(declared: Streaming, action: 'send' | 'receive', guarded: boolean): Schema {
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
  };
}

/** AsyncAPI calls a key in a header or query of HTTP `httpApiKey`. */
function securityScheme(scheme: SecurityScheme, summary: string): Schema {
  const type = scheme.type === 'apiKey' ? 'httpApiKey' : scheme.type;
  return { description: summary, ...scheme, type };
}

function serverOf(url: string): Schema {
  const { host, protocol, pathname } = new URL(url);
  return {
    host,
    protocol: protocol === 'https:' ? 'wss' : 'ws',
    ...(pathname !== '/' && { pathname: pathname.replace(/\/$/, '') }),
  };
}

function idOf({ plugin, name }: Declared): string {
  return `${plugin}.${name}`;
}
