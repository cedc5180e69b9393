import type { IncomingMessage } from 'node:http';
import type { Contracts } from '../contracts/contracts.ts';
import { MeshError } from '../contracts/errors.ts';
import type { Contract } from '../contracts/typed.ts';
import { networkOf } from '../platform/addresses.ts';
import type { Clock } from '../platform/clock.ts';
import { kindOf } from '../platform/kind-of.ts';
import { tokenOf } from './credential.ts';
import { type Admission, ANYONE, admitAnyone, unadmitted } from './guard.ts';
import { BUILT_IN_GUARDS } from './guards.ts';
import { IDS, wantsHex } from './hex-ids.ts';
import { callerOf, type LimitHeaders, RateLimiter, unlimitedIn } from './limits.ts';
import { decodeRest, wildcardOf } from './path.ts';
import { withReplyHeaders } from './reply-headers.ts';
import { type DeclaredHeader, declaredHeaders, type Headers, headersOf } from './request-headers.ts';
import { conversationText, ignoreAll, type Notes, noNotes, RequestReader, respelt } from './request-reader.ts';
import type { EndpointSpec, Limit, Principal, Route } from './route.ts';
import type { Served } from './served.ts';
import { parseQuery, type Query, type Target } from './target.ts';

const NOTHING: readonly string[] = [];
const DECIMAL = /^-?\d+(\.\d+)?$/;

export interface Admitted {
  readonly principal: Principal;
  readonly params: Readonly<Record<string, string>>;
  /** The declared request headers. */
  readonly headers: Headers;
  /** The validated query. */
  readonly query: unknown;
  /** Parameters of the query that nobody knows. */
  readonly ignored: readonly string[];
  /** Whether the answer shall have agent ids in hex. */
  readonly hexIds: boolean;
  /** Headers of the answer that tell of the limit, where there is one. */
  readonly limits: LimitHeaders | undefined;
}

/** Makes the gates of endpoints, which share the limit over all of them. */
export class GateFactory {
  /** Reads queries, bodies and frames. */
  readonly reader: RequestReader;
  readonly #contracts: Contracts;
  readonly #clock: Clock;
  readonly #shared: Shared;

  constructor(contracts: Contracts, clock: Clock, { limit, unlimited, checkReplies = false }: GateOptions = {}) {
    this.reader = new RequestReader(contracts);
    this.#contracts = contracts;
    this.#clock = clock;
    this.#shared = {
      overall: limit && new RateLimiter(limit, clock),
      isUnlimited: unlimitedIn(unlimited),
      checkReplies,
    };
  }

  gateOf(served: Served): Gate {
    return new Gate(served, this.#contracts, this.reader, this.#clock, this.#shared);
  }
}

export interface GateOptions {
  /** The limit over all endpoints together. */
  readonly limit?: Omit<Limit, 'per'> | undefined;
  /** No limit counts calls from these addresses. */
  readonly unlimited?: readonly string[] | undefined;
  /** Whether an undeclared header of a plugin's refusal is a fault, as it is in development. */
  readonly checkReplies?: boolean;
}

/** All that endpoints share. */
interface Shared {
  readonly overall: RateLimiter | undefined;
  readonly isUnlimited: (network: string) => boolean;
  readonly checkReplies: boolean;
}

/** Everything that is decided before a body is read or a socket upgraded: limits, guard, precondition, parameters, query. */
export class Gate {
  readonly #guard: Served['guard'];
  readonly #precondition: Served['precondition'];
  readonly #contracts: Contracts;
  readonly #reader: RequestReader;
  readonly #shared: Shared;
  readonly #spec: Route['spec'];
  readonly #limit: Limit | undefined;
  readonly #limiter: RateLimiter | undefined;
  readonly #params: Readonly<Record<string, Contract | undefined>>;
  readonly #wildcard: string | undefined;
  readonly #headers: readonly DeclaredHeader[];
  readonly #query: Contract | undefined;
  /** Whether the query has a parameter `ids` of its own. */
  readonly #hasIds: boolean;
  readonly #tokenInQuery: boolean;
  /** The value of an absent query, once it is known. */
  #absent: object | undefined;

  constructor(
    { guard, endpoint, precondition }: Served,
    contracts: Contracts,
    reader: RequestReader,
    clock: Clock,
    shared: Shared,
  ) {
    this.#spec = endpoint.spec as Route['spec'];
    const { limit, params = {}, headers } = endpoint.spec as EndpointSpec<string>;
    this.#guard = guard;
    this.#precondition = precondition;
    this.#contracts = contracts;
    this.#reader = reader;
    this.#shared = shared;
    this.#limit = limit;
    this.#limiter = limit && new RateLimiter(limit, clock);
    this.#params = params;
    this.#wildcard = wildcardOf(endpoint.path);
    this.#headers = declaredHeaders(headers);
    this.#query = 'query' in endpoint.spec ? endpoint.spec.query : undefined;
    this.#hasIds = this.#query !== undefined && reader.shapes.of(this.#query)?.members.has(IDS) === true;
    this.#tokenInQuery =
      guard.spec?.tokenInQuery === true ||
      ((endpoint.kind === 'stream' || endpoint.kind === 'events') && endpoint.spec.tokenInQuery === true);
  }

  async admit(
    request: IncomingMessage,
    target: Target,
    found: Readonly<Record<string, string>>,
    ip: string,
  ): Promise<Admitted> {
    const { overall, isUnlimited } = this.#shared;
    const network = networkOf(ip);
    const counts = !isUnlimited(network);
    const limit = counts ? this.#limit : undefined;
    let limits = counts ? overall?.take(network) : undefined;
    if (limit?.per === 'ip') limits = this.#limiter!.take(network);
    const params = this.#withRest(found);
    const given = target.search === '' ? undefined : parseQuery(target.search);
    const principal =
      this.#guard.admit === admitAnyone
        ? ANYONE
        : await this.#admittedBy(this.#admissionOf(request, target.path, params, given, ip));
    if (typeof principal?.kind !== 'string' || typeof principal.id !== 'string') {
      const what = `the guard ${this.#guard.name} returned ${kindOf(principal)}`;
      throw new Error(`${what}; return a principal such as { kind: 'member', id: 'ada' }, or null to refuse`);
    }
    if (limit?.per === 'principal') limits = this.#limiter!.take(callerOf(limit, ip, principal));
    if (this.#precondition) await this.#ofPlugin(this.#precondition);
    const hexIds = wantsHex(request.headers.accept, this.#hasIds ? undefined : given);
    const headers = headersOf(this.#headers, request.headers, this.#contracts);
    const common = { principal, params: this.#paramsOf(params), headers, limits, hexIds };
    if (!given) return { ...common, query: this.#withoutQuery(), ignored: NOTHING };
    const notes = noNotes();
    try {
      return { ...common, query: this.#queryOf(given, notes), ignored: notes.ignored };
    } catch (error) {
      throw respelt(error, notes);
    }
  }

  /** The caller, by the guard; refuses those whom it does not admit, and says which credential is needed. */
  async #admittedBy(admission: Admission): Promise<Principal> {
    const { name, admit, spec } = this.#guard;
    const isOfCore = Object.hasOwn(BUILT_IN_GUARDS, name);
    const principal = await (isOfCore ? admit(admission) : this.#ofPlugin(() => admit(admission)));
    if (principal !== null) return principal;
    throw new MeshError('unauthorized', spec ? unadmitted(spec, admission.token) : {});
  }

  /** Has a function of a plugin decide. Its refusal sets the headers that the route declares, as one of its handler does. */
  async #ofPlugin<T>(decide: () => T | Promise<T>): Promise<T> {
    try {
      return await decide();
    } catch (error) {
      throw withReplyHeaders(error, this.#spec, this.#contracts, this.#shared.checkReplies);
    }
  }

  /** Takes the token out of the query where the guard finds it there. */
  #admissionOf(
    request: IncomingMessage,
    path: string,
    params: Admission['params'],
    query: Query | undefined,
    ip: string,
  ): Admission {
    const inQuery = this.#tokenInQuery ? query?.['token'] : undefined;
    if (query && inQuery !== undefined) delete query['token'];
    return {
      method: request.method ?? 'GET',
      target: request.url ?? '/',
      path,
      params,
      headers: request.headers as Admission['headers'],
      token: tokenOf(request, inQuery),
      ip,
    };
  }

  #withoutQuery(): object {
    if (!this.#query) return {};
    this.#absent ??= this.#read(this.#query, {}, noNotes());
    return { ...this.#absent };
  }

  #queryOf(given: Query, notes: Notes): object {
    if (this.#query) return this.#read(this.#query, given, notes);
    ignoreAll(given, notes);
    return {};
  }

  /** The query as its types say. A number must be written in digits: `0x10`, `1e3` and ` 1` are none. */
  #read(contract: Contract, given: Query, notes: Notes): object {
    this.#reader.tidy(contract, given, notes);
    const written = { ...given };
    const query: Record<string, unknown> = this.#contracts.validate(contract, given, 'query');
    for (const [name, value] of Object.entries(query)) {
      const text = written[name];
      if (typeof value !== 'number' || text === undefined || DECIMAL.test([text].flat().join())) continue;
      const message = 'must be a number written in digits';
      throw new MeshError('invalid_request', {
        detail: `/${name} ${message}`,
        fields: [{ pointer: `/${name}`, message }],
      });
    }
    return query;
  }

  /** With what stands for the wildcard decoded. */
  #withRest(params: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    const name = this.#wildcard;
    const rest = name === undefined ? undefined : params[name];
    return name === undefined || rest === undefined ? params : { ...params, [name]: decodeRest(rest, name) };
  }

  #paramsOf(given: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    let params = given;
    for (const name in given) {
      const contract = this.#params[name];
      const value = contract === 'conversation-id' ? conversationText(given[name]!) : given[name]!;
      if (value !== given[name]) params = { ...params, [name]: value };
      const problems = contract
        ? this.#contracts.problems(contract, value, 'exact')
        : value.length > 256 && name !== this.#wildcard
          ? [{ pointer: '', message: 'must have at most 256 characters' }]
          : [];
      if (problems.length > 0) {
        const fields = problems.map(({ message }) => ({ pointer: `/${name}`, message }));
        throw new MeshError('invalid_request', { detail: `/${name} ${problems[0]!.message}`, fields });
      }
    }
    return params;
  }
}
