import type { Contract } from '../contracts/typed.ts';
import { declaredHeaders } from '../http/request-headers.ts';
import type { Endpoint } from '../http/route.ts';
import { lineOf } from '../http/served.ts';
import { type Log, silentLog } from '../platform/log.ts';
import { messageOf } from '../platform/problem.ts';
import { watchNetwork } from './network-watch.ts';
import type { Findings, PluginTrial } from './plugin-trial.ts';
import { testAgent } from './test-agent.ts';
import { type CallOptions, callNode, type Reply, upgradeStatus } from './test-call.ts';
import type { TestNode } from './test-node.ts';

const PAUSE = 100;

interface Attempt {
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

interface AuthorisedAttempt extends Attempt {
  readonly auth: NonNullable<CallOptions['auth']>;
}

/** Whoever brings no credential gets 401, wherever the guard is not `open`. */
export async function refusesStrangers(trial: PluginTrial): Promise<Findings> {
  const guarded = trial.endpoints.filter(([, { spec }]) => spec.auth !== 'open');
  if (guarded.length === 0) return { problems: [] };
  const problems: string[] = [];
  const node = await trial.start();
  try {
    for (const [name, endpoint] of guarded) {
      const { path } = attemptOf(trial, name, endpoint);
      const status =
        endpoint.kind === 'stream' || endpoint.kind === 'socket'
          ? await upgradeStatus(node, path, { auth: false })
          : (await callNode(node, `${methodOf(endpoint)} ${path}`, { auth: false })).status;
      if (status !== 401) problems.push(`${lineOf(endpoint)} answers ${status} without credentials; it should be 401`);
    }
  } finally {
    await node.stop();
  }
  return { problems };
}

/**
 * Opens every stream, of events too, then calls every route once, with the examples given or made from the schemas, cut off from other
 * machines. Replies and frames have to fit their contracts, and no answer may be an undeclared 5xx.
 */
export async function answersAsDeclared(trial: PluginTrial): Promise<Findings> {
  const problems: string[] = [];
  const notes: string[] = [];
  const failures: string[] = [];
  const node = await trial.start({ log: failuresTo(failures) });
  const watch = watchNetwork([Number(new URL(node.url).port)]);
  function judge(endpoint: Endpoint, fault: string | undefined, tried: number): void {
    const reasons = [fault, ...failures.splice(0)].join(': ');
    if (fault === undefined) return;
    if (watch.tried.length === tried) problems.push(`${lineOf(endpoint)} ${reasons}`);
    else notes.push(`${lineOf(endpoint)} could not be judged without ${watch.tried.at(-1)}: ${reasons}`);
  }
  try {
    const { secret } = node;
    const credentials: Record<string, CallOptions['auth']> = {
      ...{ open: secret, api: secret, 'api-read': secret, 'api-secret': secret },
      agent: testAgent().sign,
    };
    const attempts = trial.endpoints.flatMap(([name, endpoint]) => {
      const { spec, kind } = endpoint;
      const auth = credentials[spec.auth] ?? trial.options.tokens?.[spec.auth];
      if (kind === 'socket') return [];
      if (auth !== undefined) return [{ ...attemptOf(trial, name, endpoint), auth }];
      notes.push(`${lineOf(endpoint)} was not called: there is no token for its guard ${spec.auth}`);
      return [];
    });
    const called = new AbortController();
    const streams = attempts
      .filter(({ endpoint }) => endpoint.kind === 'stream' || endpoint.kind === 'events')
      .map((attempt) => ({ attempt, fault: stream(node, attempt, called.signal) }));
    if (streams.length > 0) await pause();
    for (const attempt of attempts) {
      if (attempt.endpoint.kind !== 'route' && attempt.endpoint.kind !== 'files') continue;
      const tried = watch.tried.length;
      judge(attempt.endpoint, await route(node, attempt, notes), tried);
    }
    if (streams.length > 0) await pause();
    called.abort();
    for (const { attempt, fault } of streams) judge(attempt.endpoint, await fault, watch.tried.length);
  } finally {
    watch.stop();
    await node.stop();
  }
  return { problems, notes };
}

async function route(
  node: TestNode,
  { name, endpoint, path, headers, body, auth }: AuthorisedAttempt,
  notes: string[],
): Promise<string | undefined> {
  const reply = await callNode(node, `${methodOf(endpoint)} ${path}`, {
    auth,
    headers,
    ...(body !== undefined && { body }),
  });
  const code = codeOf(reply);
  if (reply.status >= 500) {
    const errors: readonly string[] = endpoint.kind === 'route' ? (endpoint.spec.errors ?? []) : [];
    const declared = code !== 'internal' && errors.includes(code);
    return declared ? undefined : `answers ${reply.status} ${code}`;
  }
  const answers: readonly number[] = endpoint.kind === 'route' ? (endpoint.spec.statuses ?? []) : [];
  if (reply.status >= 400 && !answers.includes(reply.status)) {
    const example = `pluginContract(plugin, { examples: { ${name}: { … } } }) gives it a call that is answered`;
    notes.push(`${lineOf(endpoint)} answered ${reply.status} ${code}; in a test, ${example}`);
  }
  return undefined;
}

/** Reads until the stream ends or `over` is aborted; gives why it was cut. */
async function stream(
  node: TestNode,
  { endpoint, path, headers, auth }: AuthorisedAttempt,
  over: AbortSignal,
): Promise<string | undefined> {
  const enough = new Promise<undefined>((resolve) => over.addEventListener('abort', () => resolve(undefined)));
  try {
    const frames =
      endpoint.kind === 'events' ? await node.events(path, { auth, headers }) : await node.stream(path, { auth });
    for (;;) {
      const result = await Promise.race([frames.next(), enough]);
      if (!result) break;
      if (result.done) return undefined;
    }
    // A call that is still open is answered by the end of the node.
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** Milliseconds for a stream to open, and for a frame to arrive. */
function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, PAUSE));
}

/** Where an endpoint is called, and with what. */
function attemptOf(trial: PluginTrial, name: string, endpoint: Endpoint): Attempt {
  const given = trial.options.examples?.[name] ?? {};
  const spec = endpoint.spec as {
    params?: Record<string, Contract>;
    query?: Contract;
    body?: Contract | 'bytes' | 'stream';
  };
  const path = pathOf(endpoint).replace(/[:*](\w+)/g, (_, param: string) => {
    const contract = spec.params?.[param];
    return encodeURIComponent(given.params?.[param] ?? String(contract ? trial.example(contract) : 'x'));
  });
  const made = spec.query ? (trial.example(spec.query) as Record<string, unknown>) : {};
  const pairs = Object.entries(given.query ?? made).map(([key, value]): [string, string] => [key, String(value)]);
  const query = new URLSearchParams(pairs).toString();
  const body = given.body ?? (spec.body === undefined ? undefined : bodyOf(trial, spec.body));
  const needed = declaredHeaders(endpoint.spec.headers).filter(({ required }) => required);
  const headers = Object.fromEntries(needed.map(({ name, contract }) => [name, String(trial.example(contract))]));
  return {
    name,
    endpoint,
    path: query === '' ? path : `${path}?${query}`,
    headers: { ...headers, ...given.headers },
    body,
  };
}

/** A folder of files is asked for itself. */
function pathOf(endpoint: Endpoint): string {
  if (endpoint.kind !== 'files') return endpoint.path;
  return endpoint.root === '/' ? endpoint.root : `${endpoint.root}/`;
}

function methodOf(endpoint: Endpoint): string {
  return endpoint.kind === 'route' ? endpoint.method : 'GET';
}

function bodyOf(trial: PluginTrial, contract: Contract | 'bytes' | 'stream'): unknown {
  return contract === 'bytes' || contract === 'stream' ? new Uint8Array([1, 2, 3]) : trial.example(contract);
}

function codeOf({ body }: Reply): string {
  return String((body as { error?: unknown } | undefined)?.error ?? 'without a reason');
}

/** Keeps what a node says when a handler failed. */
function failuresTo(failures: string[]): Log {
  const log: Log = {
    ...silentLog,
    error: (fields) => void failures.push(messageOf((fields as { err?: unknown }).err ?? 'it failed')),
    child: () => log,
  };
  return log;
}
