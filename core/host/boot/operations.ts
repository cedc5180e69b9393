import {
  answer,
  defineFace,
  definePlugin,
  type Limit,
  MeshError,
  type PreparedJson,
  preparedJson,
  route,
  typed,
} from '../../plugin.ts';
import { Contracts, type NodeState, Operations } from '../../services.ts';
import { describeInHtml, PAGE_POLICY } from '../openapi/page/page.ts';
import { partOf } from '../openapi/part.ts';

const REASON = {
  detail: {
    description: 'Why, when it is not `ok`; of the service `writer` also which aggregator it is.',
    type: 'string',
  },
  remedy: { description: 'The remedy, or that it mends itself.', type: 'string' },
};
/** Endpoints for monitors and people. */
const READS: Limit = { per: 'ip', rate: 6_000, window: 60 };

const stateSchema = {
  type: 'object',
  required: ['status', 'profile', 'version', 'phase', 'plugins', 'services'],
  properties: {
    status: {
      description:
        '`ok`; `degraded` when a plugin or a service is degraded or out and the node still serves; `unavailable` when it does not.',
      enum: ['ok', 'degraded', 'unavailable'],
    },
    profile: { enum: ['node', 'aggregator'] },
    version: { type: 'string' },
    phase: { enum: ['starting', 'ready', 'stopping'] },
    plugins: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        required: ['state'],
        properties: { state: { enum: ['ok', 'degraded', 'out'] }, ...REASON },
      },
    },
    services: {
      description:
        'The parts that the node depends on: its store, disk and mesh, the aggregators it reports to, the ledger.',
      type: 'object',
      additionalProperties: {
        type: 'object',
        required: ['state'],
        properties: {
          state: { enum: ['ok', 'degraded'] },
          ...REASON,
          unready: { description: 'Nothing can be done without it.', const: true },
        },
      },
    },
  },
  examples: [
    {
      status: 'ok',
      profile: 'node',
      version: '0.1.0',
      phase: 'ready',
      plugins: { operations: { state: 'ok' } },
      services: { store: { state: 'ok' }, mesh: { state: 'ok' } },
    },
    {
      status: 'unavailable',
      profile: 'node',
      version: '0.1.0',
      phase: 'ready',
      plugins: { operations: { state: 'ok' } },
      services: {
        store: {
          state: 'degraded',
          detail: 'The store has not answered for 0.6 seconds.',
          remedy: 'See that it runs and can be reached; the node goes on by itself as soon as it answers.',
          unready: true,
        },
        mesh: { state: 'ok' },
      },
    },
  ],
};
type Status = 'ok' | 'degraded' | 'unavailable';
const State = typed<NodeState & { status: Status }>(stateSchema);
const OpenApi = typed<object>({
  type: 'object',
  examples: [{ openapi: '3.1.0', info: { title: 'agent-mesh node', version: '0.1.0' }, paths: {}, components: {} }],
});
const OpenApiQuery = typed<{ readonly tag?: string }>({
  type: 'object',
  additionalProperties: false,
  properties: {
    tag: {
      description: 'The operations of this plugin alone, with the schemas that they refer to; `tags` names all.',
      type: 'string',
      minLength: 1,
      maxLength: 64,
    },
  },
  examples: [{ tag: 'operations' }],
});
const AsyncApi = typed<object>({
  type: 'object',
  examples: [
    {
      asyncapi: '3.0.0',
      info: { title: 'agent-mesh node: streams', version: '0.1.0' },
      channels: {},
      operations: {},
      components: {},
    },
  ],
});
const SchemaFile = typed<object>({
  type: 'object',
  examples: [{ title: 'Shapes that every part of the API shares', $defs: { limit: { type: 'integer', minimum: 1 } } }],
});
const PagePolicy = typed<string>({
  type: 'string',
  description: 'The page loads nothing from elsewhere and runs no script.',
  examples: ["default-src 'none'"],
});
const FileName = typed<string>({ type: 'string', minLength: 1, maxLength: 128, examples: ['common.json'] });

const face = defineFace({
  uses: { operations: Operations, contracts: Contracts },
  routes: {
    health: route('GET /health', {
      auth: 'open',
      limit: READS,
      summary: 'Whether the process is alive, and what it knows of its plugins and services.',
      reply: State,
    }),
    ready: route('GET /ready', {
      auth: 'open',
      limit: READS,
      summary:
        'Answers 200 while the node can serve, after a look at what it stands on; 503 before, while it stops and while its store takes no writes.',
      reply: State,
      statuses: [503],
    }),
    metrics: route('GET /metrics', {
      auth: 'api-read',
      limit: READS,
      summary: 'Counters for Prometheus.',
      reply: 'bytes',
      media: {
        type: 'text/plain',
        example:
          '# TYPE mesh_http_requests_total counter\nmesh_http_requests_total{route="GET /health",status="200"} 1\n',
      },
    }),
    docs: route('GET /docs', {
      auth: 'open',
      limit: READS,
      summary: 'The API of this process as a page for people.',
      reply: 'bytes',
      media: { type: 'text/html', example: '<!doctype html><title>agent-mesh node</title>' },
      replyHeaders: { 'content-security-policy': PagePolicy },
    }),
    openapi: route('GET /openapi.json', {
      auth: 'open',
      limit: READS,
      summary: 'The OpenAPI document of what is served here, or the part of one plugin.',
      query: OpenApiQuery,
      reply: OpenApi,
    }),
    asyncapi: route('GET /asyncapi.json', {
      auth: 'open',
      limit: READS,
      summary: 'The AsyncAPI document of the WebSockets served here.',
      reply: AsyncApi,
    }),
    schema: route('GET /schemas/:file', {
      auth: 'open',
      limit: READS,
      summary: 'A JSON Schema file, such as common.json.',
      params: { file: FileName },
      reply: SchemaFile,
    }),
  },
  setup({ operations, contracts }) {
    // The documents do not change any more, and anybody may ask: each is made once.
    let rendered: Uint8Array | undefined;
    let api: PreparedJson<object> | undefined;
    const parts = new Map<string, PreparedJson<object>>();
    let streams: PreparedJson<object> | undefined;
    function page(): Uint8Array {
      rendered ??= new TextEncoder().encode(describeInHtml(operations.apiDocument()));
      return rendered;
    }
    function partFor(tag: string): PreparedJson<object> {
      const made = parts.get(tag);
      if (made) return made;
      const whole = operations.apiDocument() as { tags: readonly { name: string }[] };
      const part = preparedJson<object>(JSON.stringify(partOf(whole, tag)));
      // Tags that nothing has are without number.
      if (whole.tags.some(({ name }) => name === tag)) parts.set(tag, part);
      return part;
    }
    return {
      routes: {
        health: () => withStatus(operations.state()),
        async ready() {
          await operations.look();
          const state = withStatus(operations.state());
          return answer(state, { status: state.status === 'unavailable' ? 503 : 200 });
        },
        async metrics() {
          const { contentType, text } = await operations.metrics();
          return answer(new TextEncoder().encode(text), { headers: { 'content-type': contentType } });
        },
        docs: () => answer(page(), { headers: PAGE_HEADERS }),
        openapi({ query: { tag } }) {
          if (tag !== undefined) return partFor(tag);
          api ??= preparedJson(JSON.stringify(operations.apiDocument()));
          return api;
        },
        asyncapi() {
          streams ??= preparedJson(JSON.stringify(operations.streamDocument()));
          return streams;
        },
        schema({ params }) {
          const document = contracts.documents.get(params.file);
          if (document) return document;
          throw new MeshError('not_found', {
            detail: `There is no schema file ${params.file}.`,
            fields: [{ pointer: '/file', message: `must be one of ${[...contracts.documents.keys()].join(', ')}` }],
          });
        },
      },
    };
  },
});

const PAGE_HEADERS = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': PAGE_POLICY };

function withStatus(state: NodeState): NodeState & { status: Status } {
  const services = Object.values(state.services);
  const able = state.phase === 'ready' && services.every(({ unready }) => !unready);
  const whole = [...Object.values(state.plugins), ...services].every((part) => part.state === 'ok');
  return { status: !able ? 'unavailable' : whole ? 'ok' : 'degraded', ...state };
}

/** Facts that every node and aggregator tells about itself. */
export const operations = definePlugin({
  name: 'operations',
  api: '2.0',
  summary: 'Health, readiness, metrics and the documents of the API.',
  node: face,
  aggregator: face,
});
