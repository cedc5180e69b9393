import type { Contracts } from '../../contracts/contracts.ts';
import { ERRORS } from '../../contracts/errors.ts';
import type { Contract } from '../../contracts/typed.ts';
import { endpointFaults } from '../../http/endpoint-faults.ts';
import { BUILT_IN_GUARDS } from '../../http/guards.ts';
import type { ErrorTable } from '../../http/problem-details.ts';
import { declaredHeaders } from '../../http/request-headers.ts';
import type { Endpoint } from '../../http/route.ts';
import { lineOf, shapesOf } from '../../http/served.ts';
import { didYouMean } from '../../platform/nearest-name.ts';
import { messageOf, type Problem } from '../../platform/problem.ts';
import type { AnyFace, GuardSpec, Profile } from '../../plugin.ts';
import { endpointProblems, isContract, isEndpoint, writtenLine } from './endpoint-shape.ts';
import { flagFaults, takenFlags } from './flag-faults.ts';
import type { Loaded } from './load.ts';
import { placed } from './own-files.ts';

/** One declared endpoint with the plugin it belongs to. */
export interface Declared {
  readonly plugin: string;
  readonly name: string;
  readonly endpoint: Endpoint;
  /** Whether it is core's own: a test compiles the contracts of those, so that no start has to. */
  readonly isOwn: boolean;
}

/** Everything the faces of a profile declare, checked against each other. Nothing has run yet. */
export interface Declarations {
  readonly endpoints: readonly Declared[];
  /** Guards by name; undefined for `open`. */
  readonly guards: ReadonlyMap<string, GuardSpec | undefined>;
  readonly errors: ErrorTable;
  /** The summary of each plugin, by its name. */
  readonly summaries: ReadonlyMap<string, string>;
  readonly problems: readonly Problem[];
}

export function faceOf(loaded: Loaded, profile: Profile): AnyFace {
  return loaded.plugin[profile] as AnyFace;
}

export function readDeclarations(loaded: readonly Loaded[], profile: Profile, contracts: Contracts): Declarations {
  const problems: Problem[] = [];
  const guards = new Map<string, GuardSpec | undefined>(Object.entries(BUILT_IN_GUARDS));
  const errors: Record<string, readonly [number, string]> = { ...ERRORS };
  const endpoints: Declared[] = [];
  const summaries = new Map<string, string>();
  const files = new Map(loaded.map(({ plugin, url }) => [plugin.name, url]));
  const flags = takenFlags();
  for (const one of loaded) {
    const { plugin } = one;
    const where = plugin.name;
    if (plugin.summary !== undefined) summaries.set(plugin.name, plugin.summary);
    problems.push(...flagFaults(plugin, flags));
    for (const schema of plugin.schemas ?? []) addSchema(schema, plugin.name, where, contracts, problems);
    for (const [code, row] of Object.entries(plugin.errors ?? {})) {
      if (Object.hasOwn(errors, code)) problems.push({ where, what: `the error code ${code} is taken` });
      else errors[code] = row;
    }
    for (const [name, guard] of Object.entries((faceOf(one, profile).guards ?? {}) as Record<string, GuardSpec>)) {
      if (guards.has(name)) problems.push({ where, what: `the guard ${name} is taken` });
      else guards.set(name, guard);
    }
    for (const [name, endpoint] of Object.entries((faceOf(one, profile).routes ?? {}) as Record<string, Endpoint>)) {
      const faults = one.from === 'core' ? [] : endpointProblems(name, endpoint);
      problems.push(...faults.map((fault) => placed({ where: plugin.name, ...fault }, one.url)));
      if (isEndpoint(endpoint)) endpoints.push({ plugin: plugin.name, name, endpoint, isOwn: one.from === 'core' });
    }
  }
  problems.push(...taken(endpoints));
  for (const declared of endpoints) {
    const written = { find: writtenLine(declared.endpoint) };
    const faults = [...faultsOf(declared, guards, errors, contracts), ...soldFaults(declared, profile)].map(
      (fault) => ({ ...written, ...fault }),
    );
    problems.push(...faults.map((fault) => placed(fault, files.get(declared.plugin))));
  }
  return { endpoints, guards, errors, summaries, problems };
}

/** Two endpoints that would answer the same requests. */
function taken(endpoints: readonly Declared[]): Problem[] {
  const first = new Map<string, Declared>();
  return endpoints.flatMap((declared) => {
    const shapes = shapesOf(declared.endpoint);
    const other = shapes.map((shape) => first.get(shape)).find((one) => one !== undefined);
    if (!other) {
      for (const shape of shapes) first.set(shape, declared);
      return [];
    }
    const what = `${lineOf(declared.endpoint)} is already served by ${other.plugin} as ${lineOf(other.endpoint)}`;
    return [{ where: declared.plugin, what, hint: 'remove one of the two plugins' }];
  });
}

function faultsOf(
  { plugin, endpoint, isOwn }: Declared,
  guards: ReadonlyMap<string, unknown>,
  errors: ErrorTable,
  contracts: Contracts,
): Problem[] {
  const problems: Problem[] = [];
  const at = lineOf(endpoint);
  for (const what of endpointFaults(endpoint)) problems.push({ where: plugin, what: `${at}: ${what}` });
  const { auth } = endpoint.spec;
  if (!guards.has(auth)) problems.push({ where: plugin, ...unguarded(at, auth, [...guards.keys()]) });
  for (const [part, contract] of isOwn ? [] : contractsOf(endpoint)) {
    if (!isContract(contract)) problems.push({ where: plugin, ...untyped(at, part) });
    else {
      const fault = contracts.fault(contract);
      if (fault) problems.push({ where: plugin, what: `${at}: its ${part} cannot be used: ${fault}` });
    }
  }
  for (const code of endpoint.spec.errors ?? []) {
    if (Object.hasOwn(errors, code)) continue;
    const what = `${at}: the error code ${code} is not declared${didYouMean(code, Object.keys(errors))}`;
    problems.push({ where: plugin, what, hint: `write it under errors of the plugin: ${code}: [409, 'A sentence.']` });
  }
  if (endpoint.kind === 'route' && endpoint.spec.idempotency && endpoint.method === 'GET') {
    problems.push({ where: plugin, what: `${at}: a GET changes nothing and takes no idempotency key` });
  }
  return problems;
}

function soldFaults({ plugin, endpoint }: Declared, profile: Profile): Problem[] {
  if (profile === 'node' || endpoint.spec.auth !== 'x402') return [];
  return [{ where: plugin, what: `${lineOf(endpoint)}: an aggregator sells no calls; only a node has auth: 'x402'` }];
}

function unguarded(at: string, auth: string | undefined, guards: readonly string[]): Omit<Problem, 'where'> {
  const hint = `auth is one of ${guards.join(', ')}, or a guard that the plugin declares`;
  if (auth === undefined) return { what: `${at}: it does not say who may call it`, hint };
  return { what: `${at}: there is no guard named ${auth}${didYouMean(auth, guards)}`, hint };
}

/** In other frameworks a shape is the schema itself. */
function untyped(at: string, part: string): Omit<Problem, 'where'> {
  const name = part.split(' ').at(-1)!;
  const key = /^\w+$/.test(name) ? name : `'${name}'`;
  return { what: `${at}: its ${part} is not made by typed`, hint: `write ${key}: typed({ … })` };
}

/** The contracts of an endpoint with the part they describe. */
export function contractsOf({ spec }: Endpoint): [string, Contract][] {
  const all = spec as Partial<Record<(typeof PARTS)[number], Contract | 'bytes' | 'stream'>> & {
    readonly params?: Readonly<Record<string, Contract>>;
    readonly replyHeaders?: Readonly<Record<string, Contract>>;
  };
  const parts = PARTS.flatMap((part): [string, Contract][] => {
    const contract = all[part];
    return contract === undefined || contract === 'bytes' || contract === 'stream' ? [] : [[part, contract]];
  });
  const named = (what: string, contracts: Readonly<Record<string, Contract>> = {}) =>
    Object.entries(contracts).map(([name, contract]): [string, Contract] => [`${what} ${name}`, contract]);
  const headers = Object.fromEntries(declaredHeaders(spec.headers).map(({ name, contract }) => [name, contract]));
  return [
    ...parts,
    ...named('parameter', all.params),
    ...named('header', headers),
    ...named('header of the answer', all.replyHeaders),
  ];
}
const PARTS = ['query', 'body', 'reply', 'frame', 'receive', 'eventId'] as const;

function addSchema(schema: object, plugin: string, where: string, contracts: Contracts, problems: Problem[]): void {
  const id = (schema as { $id?: unknown }).$id;
  if (typeof id !== 'string' || !id.startsWith(`${plugin}/`)) {
    problems.push({ where, what: `the $id ${JSON.stringify(id)} of a schema must begin with ${plugin}/` });
    return;
  }
  try {
    contracts.add(schema);
  } catch (error) {
    problems.push({ where, what: messageOf(error) });
  }
}
