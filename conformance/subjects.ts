import { mkdtemp, rm } from 'node:fs/promises';
import { isIP } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adapters, localnet } from '../adapters/index.ts';
import { type RunningNode, value } from '../core/host/boot/boot-node.ts';
import { startNode } from '../core/host/wiring/composition.ts';
import { Identity, Resolver } from '../core/internal-services.ts';
import { silentLog } from '../core/platform/log.ts';
import type { Profile } from '../core/plugin.ts';
import { plugins, standard } from '../plugins/index.ts';

const NETWORK = 'local';
const LAMPORTS = 1_000_000_000n;
const USDC = 1_000_000_000n;

/** Those that are not on by themselves, so that every route is judged; each calls nobody. */
const PLUGINS = {
  node: {
    a2a: {},
    mcp: {},
    probe: {},
    trade: { apiUrl: 'http://127.0.0.1:9' },
    webhooks: {},
    registry8004: { gate: false },
    hosting: { hostAgents: true, maxAgents: 10_000, registrationsPerMinute: 100_000 },
  },
  aggregator: { a2a: {}, mcp: {}, billing: {}, campaigns: { operatorSecret: 'the-secret-of-no-operator' } },
} as const;
/** Every name leads to this machine: a fuzzer makes up hosts, and none of them is asked for. */
const nowhere: Resolver = { addresses: async (host) => [isIP(host) === 0 ? '127.0.0.1' : host] };

export interface Subject {
  readonly profile: Profile;
  readonly url: string;
  readonly secret: string;
}

/** Runs something against an aggregator and a node with money, as anybody would start them, on files and a localnet. */
export async function withEach<T>(visit: (subject: Subject) => Promise<T>): Promise<T[]> {
  const folder = await mkdtemp(join(tmpdir(), 'mesh-conformance-'));
  const running: { stop(): Promise<unknown> }[] = [];
  try {
    const start = await localnet();
    const ledger = await start({ port: 0, dir: join(folder, 'ledger'), log: silentLog, networkId: NETWORK });
    running.push(ledger);
    const found: T[] = [];
    for (const profile of ['aggregator', 'node'] as const) {
      const node = await startMember(profile, folder, { rpcUrl: ledger.url, ...ledger.settlement });
      running.push(node);
      const { address } = node.get(Identity);
      await ledger.faucet.sol(address, LAMPORTS);
      await ledger.faucet.usdc(address, USDC);
      found.push(await visit({ profile, url: node.url, secret: node.apiSecret }));
    }
    return found;
  } finally {
    for (const part of running.reverse()) await part.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

function startMember(profile: Profile, folder: string, ledger: object): Promise<RunningNode> {
  return startNode({
    parts: { adapters, plugins, standard },
    log: silentLog,
    grace: 500,
    providers: [value(Resolver, nowhere)],
    config: {
      value: {
        profile,
        listen: '127.0.0.1:0',
        dataDir: join(folder, profile),
        network: { id: NETWORK },
        agent: { name: 'under-judgement' },
        ledger,
        // A fuzzer calls more often than anybody may.
        api: { unlimited: ['127.0.0.1'] },
        plugins: {
          ...PLUGINS[profile],
          ...(profile === 'node' && { skills: { workspace: join(folder, 'skills') } }),
        },
      },
    },
  });
}
