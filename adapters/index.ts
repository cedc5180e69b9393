/// <reference types="node" preserve="true" />

import { declaring, type StoreLook } from '../core/host/wiring/adapter-settings.ts';
import type { Adapters } from '../core/host/wiring/adapters.ts';
import type { ProgramTools } from '../core/ledger/program-deployment.ts';
import { systemClock } from '../core/platform/system-clock.ts';

const REDIS_URL = 'redis://127.0.0.1:6379';
const SIZE = { type: 'integer', minimum: 1, maximum: 2 ** 40 };
const LOWDB_SETTINGS = { checkpointBytes: SIZE, segmentRecords: SIZE, hotRecords: SIZE, cacheBytes: SIZE };
const REDIS_SETTINGS = {
  url: { type: 'string', minLength: 1 },
  prefix: {
    description: '1 to 64 letters, digits, dots, underscores and hyphens',
    type: 'string',
    pattern: '^[A-Za-z0-9._-]{1,64}$',
  },
};
const SOLANA_SETTINGS = { maxPriorityFee: { type: 'integer', minimum: 0, maximum: 1_000_000_000 } };

async function dialRedis({ url = REDIS_URL }: Readonly<Record<string, unknown>>): Promise<StoreLook> {
  const redis = await import('./storage-redis/dial.ts');
  return redis.dialRedis(String(url));
}

/** The adapters of this package by name. Each is imported when it is used, so a file deployment never loads Redis. */
export const adapters: Adapters = {
  storage: {
    lowdb: declaring({ settings: LOWDB_SETTINGS }, async ({ folder, clock, settings }) => {
      const { lowdbStorage } = await import('./storage-lowdb/index.ts');
      return lowdbStorage({ ...settings, dir: folder, clock });
    }),
    async memory({ clock }) {
      const { memoryStorage } = await import('./storage-memory/index.ts');
      return memoryStorage({ clock });
    },
    redis: declaring({ settings: REDIS_SETTINGS, dial: dialRedis }, async ({ settings, log }) => {
      const { redisStorage } = await import('./storage-redis/index.ts');
      const { url = REDIS_URL, prefix = 'mesh', ...others } = settings;
      // A prefix that was misspelt would be another store.
      const unknown = Object.keys(others).join(', ');
      if (unknown) throw new TypeError(`storage redis knows url and prefix, not ${unknown}`);
      return redisStorage({ url: String(url), prefix: String(prefix), log });
    }),
  },
  ledger: {
    solana: declaring({ settings: SOLANA_SETTINGS }, async ({ rpcUrls, settlement, settings, clock, log, metrics }) => {
      const { openSolanaLedger } = await import('./ledger-solana/ledger.ts');
      const { maxPriorityFee } = settings as { maxPriorityFee?: number };
      const chosen = { ...(settlement && { settlement }), ...(maxPriorityFee !== undefined && { maxPriorityFee }) };
      return openSolanaLedger({ url: rpcUrls, ...chosen, clock, log, metrics });
    }),
  },
  async transports() {
    const { createWsTransport } = await import('./mesh-ws/ws-transport.ts');
    return [createWsTransport()];
  },
};

/** The embedded cluster of `mesh dev`, with the settlement program. */
export async function localnet() {
  const { startSettledLocalnet } = await import('./localnet-settlement.ts');
  return startSettledLocalnet;
}

/** Deploys and verifies the settlement program, for `mesh program`. */
export async function program(): Promise<ProgramTools> {
  const [{ deploySettlement }, { verifySettlement }] = await Promise.all([
    import('./ledger-solana/deployment/deploy.ts'),
    import('./ledger-solana/deployment/verify.ts'),
  ]);
  return {
    deploy: (options) => deploySettlement(options, systemClock),
    verify: (options) => verifySettlement(options, systemClock),
  };
}
