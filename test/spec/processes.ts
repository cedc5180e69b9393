import { mkdtemp, rm } from 'node:fs/promises';
import { isIP } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adapters } from '../../adapters/index.ts';
import { type RunningNode, value } from '../../core/host/boot/boot-node.ts';
import { startNode } from '../../core/host/wiring/composition.ts';
import { Resolver } from '../../core/internal-services.ts';
import { type Log, silentLog } from '../../core/platform/log.ts';
import type { Profile } from '../../core/plugin.ts';
import { plugins, standard } from '../../plugins/index.ts';
import { LaunchpadServiceStandIn } from '../upstreams/launchpad-service.ts';

/** The address whose calls no limit counts: there are more of them than any caller may make. */
export const UNLIMITED = '10.0.0.1';

/** What the guards of plugins are shown, by guard. */
export const SECRETS: Readonly<Record<string, string>> = {
  'hosting-secret': 'the-hosting-secret-of-the-tests',
  'operator-secret': 'the-operator-secret-of-the-tests',
  a2a: 'the-token-of-a-client-of-the-tests',
};

/** Plugins that are not there without a line, or do nothing without one, each calling nobody. */
const OWN_PLUGINS = {
  node: {
    a2a: { clients: [{ name: 'tests', token: SECRETS['a2a'] }] },
    trade: { apiUrl: 'http://127.0.0.1:9' },
    webhooks: {},
    probe: {},
    registry8004: { gate: false },
    hosting: { hostAgents: true, maxAgents: 10_000, registrationsPerMinute: 100_000 },
  },
  aggregator: {
    a2a: {},
    billing: {},
    hosting: { hostingSecret: SECRETS['hosting-secret'] },
    campaigns: { operatorSecret: SECRETS['operator-secret'] },
  },
};

/** The guards that ask for the token of a hosted agent. */
export const OF_HOSTED = ['hosted', 'hosted-or-anyone'];
/** Every name leads to this machine: no request of a test asks the internet for one. */
const resolver: Resolver = { addresses: async (host) => [isIP(host) === 0 ? '127.0.0.1' : host] };

export interface TestProcess {
  readonly node: RunningNode;
  /** What was logged as an error. */
  readonly errors: readonly unknown[];
  /** The token of an agent that this node hosts, for calls that change nothing about it. */
  readonly hostedToken: string;
  /** That of a fresh one. */
  registerHosted(): Promise<string>;
  stop(): Promise<void>;
}

/** A node or aggregator as anybody would start it, on memory, without a ledger, asking for its secret on reads too. */
export async function startProcess(profile: Profile): Promise<TestProcess> {
  const dataDir = await mkdtemp(join(tmpdir(), `mesh-${profile}-`));
  const errors: unknown[] = [];
  const launchpad = await LaunchpadServiceStandIn.start();
  launchpad.takesAnyKey = true;
  const called = { apiUrl: launchpad.url, apiKey: launchpad.apiKey, $grant: [`http:${launchpad.host}`] };
  const own = profile === 'node' ? { launchpad: { ...called, pricesUrl: launchpad.pricesUrl } } : { sponsor: called };
  const log: Log = { ...silentLog, error: (fields) => void errors.push(fields), child: () => log };
  const node = await startNode({
    parts: { adapters, plugins, standard },
    log,
    grace: 500,
    providers: [value(Resolver, resolver)],
    config: {
      value: {
        profile,
        listen: '127.0.0.1:0',
        dataDir,
        network: { id: 'local' },
        agent: { name: 'under-test' },
        storage: { use: 'memory' },
        api: { readAuth: true, trustProxy: 1, unlimited: [UNLIMITED] },
        plugins: {
          ...OWN_PLUGINS[profile],
          ...own,
          ...(profile === 'node' && { skills: { workspace: join(dataDir, 'agent') } }),
        },
      },
    },
  });
  async function registerHosted(): Promise<string> {
    const headers = { 'x-forwarded-for': UNLIMITED };
    const response = await fetch(`${node.url}/hosted/register`, { method: 'POST', headers });
    const { token } = (await response.json()) as { token: string };
    return token;
  }
  return {
    node,
    errors,
    hostedToken: profile === 'node' ? await registerHosted() : '',
    registerHosted,
    async stop() {
      await node.stop();
      launchpad.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
