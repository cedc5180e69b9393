import { type Answer, answer, type Context, defineFace, route, typed } from '../../core/plugin.ts';
import { Agents, Contracts, Self } from '../../core/services.ts';
import { Registry, RegistryError } from './catalogue/registry.ts';
import type { A2aConfig } from './config.ts';
import { CARD, document, documentAnswer } from './routes.ts';

const MAX_BODY = 16 * 1024;
const LIMIT = { per: 'ip', rate: 300, window: 60 } as const;
const SUMMARY = 'The catalogue of this aggregator: its registry and its best agents';
const PAGE = typed<{ pageSize: number; pageToken?: string }>({
  type: 'object',
  properties: {
    pageSize: { type: 'integer', minimum: 1, maximum: 100, default: 20, examples: [20] },
    pageToken: { type: 'string', maxLength: 400 },
  },
});
const IDENTIFIER = typed<string>({
  description: 'The identifier of an entry: ASCII, percent-encoded.',
  type: 'string',
  pattern: '^[A-Za-z0-9:._-]{1,256}$',
  examples: ['urn:air:hub.example.com:agent:FAe4sisG95oZ42w7buUn5qEE4TAnfTTFPiguZUHmhiF'],
});
const common = { auth: 'open', feature: 'a2a', limit: LIMIT, reply: CARD, statuses: [400, 404] } as const;

/** An aggregator publishes the agents that it knows to catalogues and crawlers of other networks. It only reads. */
export const aggregatorFace = defineFace({
  uses: { agents: Agents, self: Self, contracts: Contracts },
  routes: {
    ard: document('GET /.well-known/ard.json', SUMMARY),
    catalogue: document('GET /.well-known/ai-catalog.json', `${SUMMARY}, under its earlier name`),
    search: route('POST /ard/v1/search', {
      ...common,
      summary: 'Agents that a text is about',
      body: 'bytes',
      maxBody: MAX_BODY,
    }),
    list: route('GET /ard/v1/agents', { ...common, summary: 'Agents as catalogue entries, best first', query: PAGE }),
    entry: route('GET /ard/v1/agents/:identifier', {
      ...common,
      summary: 'One catalogue entry by its identifier',
      params: { identifier: IDENTIFIER },
    }),
  },
  setup(services, _: Context<A2aConfig>) {
    const registry = new Registry(services);
    return {
      routes: {
        ard: async ({ headers }) => documentAnswer(await registry.catalogue(), tagOf(headers)),
        catalogue: async ({ headers }) => documentAnswer(await registry.catalogue(), tagOf(headers)),
        search: ({ body }) => told(() => registry.search(body)),
        list: ({ query: { pageSize, pageToken } }) => told(() => registry.page(pageSize, pageToken)),
        entry: ({ params }) => told(() => registry.entry(params.identifier)),
      },
    };
  },
});

function tagOf(headers: Readonly<Record<string, string | undefined>>): string | undefined {
  return headers['if-none-match'];
}

/** A refusal of the registry is an answer in its protocol's form. */
async function told(run: () => Promise<object>): Promise<object | Answer<object>> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    return answer(error.body, { status: error.status });
  }
}
