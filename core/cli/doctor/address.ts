import { createServer } from 'node:net';
import { type ListenAddress, urlOf } from '../../platform/listen.ts';
import type { NodeState } from '../../services.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const TIMEOUT_MS = 2_000;

type Told = NodeState & { readonly status: string };

/** The state of the node's address: free, taken by the running node, or taken by another program. */
export interface AtAddress {
  readonly findings: readonly Finding[];
  readonly isFree: boolean;
  /** The URL of the node when it runs. */
  readonly running: string | undefined;
}

export async function lookAtAddress({ host, port }: ListenAddress): Promise<AtAddress> {
  const code = await codeOfListening(host, port);
  const at = `${host}:${port}`;
  if (code === undefined) return { findings: [ok('port', `${at} is free`)], isFree: true, running: undefined };
  const url = urlOf(host, port);
  const told = code === 'EADDRINUSE' ? await readiness(url) : undefined;
  if (told) {
    const runs = ok(
      'port',
      `${at} is taken by ${told.profile === 'node' ? 'a node' : 'an aggregator'} that runs there`,
    );
    return { findings: [runs, ...findingsOf(told)], isFree: false, running: url };
  }
  const why = code === 'EADDRINUSE' ? 'is busy' : `cannot be listened on (${code})`;
  return {
    findings: [fail('port', `${at} ${why}`, 'choose another with --api-addr')],
    isFree: false,
    running: undefined,
  };
}

function codeOfListening(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

async function readiness(url: string): Promise<Told | undefined> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const told = (await (await fetch(`${url}/ready`, { signal })).json()) as Partial<Told>;
    return told.services && told.plugins && told.profile ? (told as Told) : undefined;
  } catch {
    return undefined;
  }
}

/** Findings from the `/ready` of the running node. */
function findingsOf({ status, services, plugins }: Told): Finding[] {
  const parts = [...Object.entries(services), ...Object.entries(plugins)].filter(([, { state }]) => state !== 'ok');
  if (parts.length === 0) return [ok('running', `it is ready, and all it stands on is well`)];
  return parts.map(([name, part]) => {
    const make = 'unready' in part && part.unready ? fail : warn;
    return make('running', `${name}: ${part.detail ?? `it is ${part.state} (${status})`}`, part.remedy);
  });
}
