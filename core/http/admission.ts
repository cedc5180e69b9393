import type { IncomingMessage } from 'node:http';
import type { Clock } from '../clock.ts';
import type { Contracts } from '../contracts.ts';
import { MeshError } from '../errors.ts';
import type { Admission } from './guard.ts';
import { callerOf, networkOf, RateLimiter } from './limits.ts';
import type { Limit, Principal } from './route.ts';
import type { Served } from './served.ts';
import type { Target } from './target.ts';

const DECIMAL = /^-?\d+(\.\d+)?$/;
const TOKEN_PROTOCOL = 'mesh.bearer';

export interface Admitted {
  readonly principal: Principal;
  readonly params: Readonly<Record<string, string>>;
  /** The validated query. */
  readonly query: unknown;
  /** RateLimit headers of the answer. */
  readonly headers: Record<string, string>;
}

/** Everything that is decided before a body is read or a socket upgraded: limits, guard, parameters, query. */
export class AdmissionDesk {
  readonly #contracts: Contracts;
  readonly #clock: Clock;
  readonly #limiters = new Map<Served, RateLimiter>();
  readonly #overall: RateLimiter | undefined;

  constructor(contracts: Contracts, clock: Clock, overall?: Omit<Limit, 'per'>) {
    this.#contracts = contracts;
    this.#clock = clock;
    this.#overall = overall && new RateLimiter(overall, clock);
  }

  async admit(
    served: Served,
    request: IncomingMessage,
    target: Target,
    found: Readonly<Record<string, string>>,
    ip: string,
  ): Promise<Admitted> {
    const { spec } = served.endpoint;
    let headers = this.#overall?.take(networkOf(ip)) ?? {};
    if (spec.limit?.per === 'ip') headers = this.#limiter(served, spec.limit).take(networkOf(ip));
    const { query: given, ...admission } = admissionOf(served, request, target, found, ip);
    const principal = await served.guard.admit(admission);
    if (!principal) throw new MeshError('unauthorized');
    if (spec.limit?.per === 'principal') {
      headers = this.#limiter(served, spec.limit).take(callerOf(spec.limit, ip, principal));
    }
    const params = this.#params(served, found);
    const contract = (spec as { query?: Parameters<Contracts['validate']>[0] }).query;
    return { principal, params, headers, query: contract ? this.#query(contract, given) : {} };
  }

  /** The query as its types say. A number must be written in digits: `0x10`, `1e3` and ` 1` are none. */
  #query(contract: Parameters<Contracts['validate']>[0], given: Record<string, string | string[]>): unknown {
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

  #params(served: Served, found: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    const contracts = (served.endpoint.spec.params ?? {}) as Record<string, Parameters<Contracts['validate']>[0]>;
    for (const [name, value] of Object.entries(found)) {
      const contract = contracts[name];
      const problems = contract
        ? this.#contracts.problems(contract, value, 'exact')
        : value.length > 256
          ? [{ pointer: '', message: 'must have at most 256 characters' }]
          : [];
      if (problems.length > 0) {
        const fields = problems.map(({ message }) => ({ pointer: `/${name}`, message }));
        throw new MeshError('invalid_request', { detail: `/${name} ${problems[0]!.message}`, fields });
      }
    }
    return found;
  }

  #limiter(served: Served, limit: Limit): RateLimiter {
    const known = this.#limiters.get(served) ?? new RateLimiter(limit, this.#clock);
    this.#limiters.set(served, known);
    return known;
  }
}

function admissionOf(
  { guard }: Served,
  request: IncomingMessage,
  target: Target,
  params: Readonly<Record<string, string>>,
  ip: string,
): Admission & { query: Record<string, string | string[]> } {
  const { headers } = request;
  const { token: inQuery, ...query } = target.query;
  const mayUseQuery = guard.spec?.tokenInQuery === true;
  const token =
    /^Bearer ([^\s]+)$/i.exec(headers.authorization ?? '')?.[1] ??
    tokenOfProtocols(headers['sec-websocket-protocol']) ??
    (mayUseQuery && typeof inQuery === 'string' && inQuery !== '' ? inQuery : undefined);
  return {
    method: request.method ?? 'GET',
    target: request.url ?? '/',
    path: target.path,
    params,
    headers: headers as Admission['headers'],
    token,
    ip,
    query: mayUseQuery ? query : target.query,
  };
}

/** `Sec-WebSocket-Protocol: mesh.bearer, <token>` carries a token for clients that cannot set other headers. */
function tokenOfProtocols(header: string | undefined): string | undefined {
  const protocols = header?.split(',').map((name) => name.trim()) ?? [];
  const at = protocols.indexOf(TOKEN_PROTOCOL);
  return at === -1 ? undefined : protocols[at + 1];
}

/** The subprotocol to confirm: the token's marker, never the token. */
export function confirmedProtocol(offered: ReadonlySet<string>): string | false {
  return offered.has(TOKEN_PROTOCOL) ? TOKEN_PROTOCOL : false;
}
