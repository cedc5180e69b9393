import type { Contracts } from '../../contracts/contracts.ts';
import { templateOf } from '../../http/path.ts';
import { lineOf } from '../../http/served.ts';
import { Shapes } from '../../http/shapes.ts';
import type { Profile } from '../../plugin.ts';
import type { Declarations } from '../loader/declarations.ts';
import { Components } from './components.ts';
import { operationOf } from './operation.ts';
import { anyProblem } from './responses.ts';

export interface ApiDescription {
  readonly profile: Profile;
  readonly version: string;
  readonly declarations: Declarations;
  readonly contracts: Contracts;
  /** The base URL shown to readers; where it is not known, the document's own server. */
  readonly url?: string;
}

/** The one rule by which `core/http` reads requests, for whoever writes them. */
const READING =
  'Requests are read liberally: an optional member that is `null` is absent, names may be written in camelCase, and members and query parameters that an operation does not know are ignored; an answer that is an object names them in `ignored`. Operations with `x-money` refuse a member whose name looks like a misspelt one. A member that is there twice is refused. Agent ids in answers and frames are base58, or 64 hex digits with `?ids=hex` or `Accept: application/json; ids=hex`. A conversation id may be a UUID.';

/** The OpenAPI 3.1 document of what a node serves, from its declarations alone. */
export function describeApi({ profile, version, declarations, contracts, url }: ApiDescription): object {
  const components = new Components(contracts);
  const shapes = new Shapes(contracts);
  const { guards, errors, summaries } = declarations;
  const paths: Record<string, Record<string, object>> = {};
  const ordered = [...declarations.endpoints].sort((a, b) => (lineOf(a.endpoint) < lineOf(b.endpoint) ? -1 : 1));
  for (const declared of ordered) {
    const { endpoint } = declared;
    const path = templateOf(endpoint.path);
    const method = endpoint.kind === 'route' ? endpoint.method.toLowerCase() : 'get';
    paths[path] = { ...paths[path], [method]: operationOf(declared, { components, guards, errors, shapes }) };
  }
  const used = new Set(declarations.endpoints.map(({ endpoint }) => endpoint.spec.auth));
  const securitySchemes = Object.fromEntries(
    [...guards].flatMap(([name, guard]) =>
      guard && used.has(name) ? [[name, { description: guard.summary, ...guard.scheme }]] : [],
    ),
  );
  return {
    openapi: '3.1.0',
    info: {
      title: profile === 'node' ? 'agent-mesh node' : 'agent-mesh aggregator',
      description: READING,
      version,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: url ?? '/' }],
    tags: [...new Set(ordered.map(({ plugin }) => plugin))].sort().map((name) => tagOf(name, summaries.get(name))),
    paths: sorted(paths),
    components: {
      securitySchemes,
      responses: { problem: anyProblem(components, errors) },
      schemas: components.schemas(),
    },
  };
}

function tagOf(name: string, summary: string | undefined): object {
  return summary === undefined ? { name } : { name, description: summary };
}

function sorted<T>(record: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}
