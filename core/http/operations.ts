import { answer, defineFace, definePlugin, MeshError, route, typed } from '../plugin.ts';
import { Contracts, type NodeState, Operations } from '../ports.ts';

const stateSchema = {
  type: 'object',
  required: ['status', 'profile', 'version', 'phase', 'plugins'],
  properties: {
    status: { description: '`ok`, or `degraded` when a plugin is degraded or out.', enum: ['ok', 'degraded'] },
    profile: { enum: ['node', 'aggregator'] },
    version: { type: 'string' },
    phase: { enum: ['starting', 'ready', 'stopping'] },
    plugins: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        required: ['state'],
        properties: { state: { enum: ['ok', 'degraded', 'out'] }, detail: { type: 'string' } },
      },
    },
  },
};
const State = typed<NodeState & { status: 'ok' | 'degraded' }>(stateSchema);
const Document = typed<object>({ type: 'object' });

const face = defineFace({
  uses: { operations: Operations, contracts: Contracts },
  routes: {
    health: route('GET /health', {
      auth: 'open',
      summary: 'Whether the process is alive, and how its plugins are.',
      reply: State,
    }),
    ready: route('GET /ready', {
      auth: 'open',
      summary: 'Answers 200 once the node takes calls, 503 before and while it stops.',
      reply: State,
    }),
    metrics: route('GET /metrics', { auth: 'api-read', summary: 'Counters for Prometheus.', reply: 'bytes' }),
    openapi: route('GET /openapi.json', { auth: 'open', summary: 'This document.', reply: Document }),
    schema: route('GET /schemas/:file', {
      auth: 'open',
      summary: 'A JSON Schema file, such as common.json.',
      reply: Document,
    }),
  },
  setup: ({ operations, contracts }) => ({
    routes: {
      health: () => withStatus(operations.state()),
      ready() {
        const state = withStatus(operations.state());
        return answer(state, { status: state.phase === 'ready' ? 200 : 503 });
      },
      async metrics() {
        const { contentType, text } = await operations.metrics();
        return answer(new TextEncoder().encode(text), { headers: { 'content-type': contentType } });
      },
      openapi: () => operations.apiDocument(),
      schema({ params }) {
        const document = contracts.documents.get(params.file);
        if (document) return document;
        throw new MeshError('not_found', {
          detail: `There is no schema file ${params.file}.`,
          fields: [{ pointer: '/file', message: `must be one of ${[...contracts.documents.keys()].join(', ')}` }],
        });
      },
    },
  }),
});

function withStatus(state: NodeState): NodeState & { status: 'ok' | 'degraded' } {
  const whole = Object.values(state.plugins).every((plugin) => plugin.state === 'ok');
  return { status: whole ? 'ok' : 'degraded', ...state };
}

/** What every node and aggregator tells about itself. */
export const operations = definePlugin({ name: 'operations', api: '1.0', node: face, aggregator: face });
