import type { Contract, TypedSchema } from '../../contracts/typed.ts';
import type { EventsSpec } from '../../http/events.ts';
import type { FilesSpec } from '../../http/files.ts';
import type { Endpoint, Method, RouteSpec, SocketSpec, StreamSpec } from '../../http/route.ts';
import { member, type ShapeProblem, unknownMembers } from './plugin-shape.ts';

type Names<T> = Readonly<Record<keyof T & string, true>>;

const COMMON: Names<Required<SocketSpec<string>>> = {
  auth: true,
  summary: true,
  params: true,
  limit: true,
  errors: true,
  feature: true,
  headers: true,
};
/** The members of each kind of endpoint. */
const MEMBERS: { readonly [K in Endpoint['kind']]: Names<Required<Specs[K]>> } = {
  route: {
    ...COMMON,
    query: true,
    price: true,
    body: true,
    alsoTakes: true,
    reply: true,
    status: true,
    statuses: true,
    media: true,
    replyHeaders: true,
    redirects: true,
    money: true,
    maxBody: true,
    largeBodies: true,
    idempotency: true,
    agentIds: true,
  },
  stream: { ...COMMON, query: true, frame: true, receive: true, tokenInQuery: true },
  socket: COMMON,
  events: { ...COMMON, query: true, frame: true, eventId: true, tokenInQuery: true },
  files: { ...COMMON, folder: true, policy: true, pages: true, facts: true, missing: true },
};
interface Specs {
  route: RouteSpec<string, unknown, unknown, unknown>;
  stream: StreamSpec<string, unknown, unknown, unknown>;
  socket: SocketSpec<string>;
  events: EventsSpec<string, unknown, unknown>;
  files: FilesSpec;
}

const METHODS: Readonly<Record<Method, true>> = { GET: true, POST: true, PUT: true, PATCH: true, DELETE: true };
const MADE = "route('GET /hello', { auth: 'api', reply: … })";

/** Whether a value under `routes` was made by one of the functions that declare endpoints. */
export function isEndpoint(value: unknown): value is Endpoint {
  const { kind, path, spec } = Object(value) as Partial<Endpoint>;
  const isWhole = typeof path === 'string' && typeof spec === 'object' && spec !== null;
  return isWhole && typeof kind === 'string' && Object.hasOwn(MEMBERS, kind);
}

/** The faults of the form of one value under `routes`. */
export function endpointProblems(name: string, endpoint: unknown): ShapeProblem[] {
  if (!isEndpoint(endpoint)) {
    const what = `its route ${name} is made by none of route, stream, events, files and socket, or lacks a path or what it says`;
    return [{ what, hint: `write ${name}: ${MADE}`, find: member(name) }];
  }
  const problems: ShapeProblem[] = unknownMembers(
    endpoint.spec,
    Object.keys(MEMBERS[endpoint.kind]),
    `the route ${name}`,
  );
  if (endpoint.kind === 'route' && !Object.hasOwn(METHODS, endpoint.method)) {
    const what = `the route ${name} has the method ${endpoint.method}; there are ${Object.keys(METHODS).join(', ')}`;
    problems.push({ what, find: writtenLine(endpoint) });
  }
  if ((endpoint.kind === 'stream' || endpoint.kind === 'events') && endpoint.spec.frame === undefined) {
    const hint = 'write frame: typed({ … })';
    problems.push({ what: `the stream ${name} has no frame`, hint, find: writtenLine(endpoint) });
  }
  const { errors } = endpoint.spec;
  if (errors !== undefined && !Array.isArray(errors)) {
    const hint = `write errors: ['${String(errors)}']`;
    problems.push({ what: `the route ${name} has errors that are no list`, hint, find: member('errors') });
  }
  return problems;
}

/** Whether a shape is a name of this package's or made by `typed`. */
export function isContract(value: unknown): value is Contract {
  return typeof value === 'string' || typeof (value as Partial<TypedSchema<unknown>> | undefined)?.schema === 'object';
}

/** How an endpoint is written in its source: 'GET /hello/:name', or the path alone. */
export function writtenLine(endpoint: Endpoint): RegExp {
  const line = endpoint.kind === 'route' ? `${endpoint.method} ${endpoint.path}` : endpoint.path;
  return new RegExp(`(?<=['"\`])${line.replaceAll(/[^\w ]/g, '\\$&')}['"\`]`);
}
