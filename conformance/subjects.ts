import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adapters, localnet } from '../adapters/index.ts';
import type { RunningNode } from '../core/host/boot/boot-node.ts';
import { startNode } from '../core/host/wiring/composition.ts';
import { Identity } from '../core/internal-services.ts';
import { silentLog } from '../core/platform/log.ts';
import type { Profile } from '../core/plugin.ts';
import { plugins, standard } from '../plugins/index.ts';

const NETWORK = 'local';
const LAMPORTS = 1_000_000_000n;
const USDC = 1_000_000_000n;

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
        plugins: {},
      },
    },
  });
}
