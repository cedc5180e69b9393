/**
 * A whole aggregator in a process of its own: `aggregator.js <settings as JSON>`. Says `{ url }` to its parent once it
 * is ready, and answers each `usage` with what it has used so far.
 */
import { adapters } from '../../adapters/index.ts';
import { startNode } from '../../core/host/wiring/composition.ts';
import { silentLog } from '../../core/platform/log.ts';
import { network } from './agents.ts';

export interface AggregatorSettings {
  readonly dataDir: string;
  readonly storage: object;
  /** Further settings of its API. */
  readonly api?: object;
}

/** What it says once it is ready. */
export interface Said {
  readonly url: string;
}

/** What it has used; its garbage is left where it is, as it is in use. */
export interface Usage {
  /** Microseconds. */
  readonly cpu: NodeJS.CpuUsage;
  /** Bytes. */
  readonly memory: NodeJS.MemoryUsage;
}

/** Bytes of its heap without garbage. */
export interface Live {
  readonly live: number;
}

const { dataDir, storage, api } = JSON.parse(process.argv[2]!) as AggregatorSettings;
const plenty = 1_000_000_000;
const node = await startNode({
  parts: { adapters, plugins: {} },
  log: silentLog,
  checkReplies: false,
  grace: 500,
  config: {
    folder: dataDir,
    value: {
      profile: 'aggregator',
      listen: '127.0.0.1:0',
      dataDir,
      network: { id: network.name },
      storage,
      api: { unlimited: ['127.0.0.1'], ...api },
      plugins: {},
      core: { ingest: { newKeysPerHour: plenty, newKeysPerHourInAll: plenty, itemsPerKeyPerMinute: plenty } },
    },
  },
});
process.on('message', (asked) => {
  if (asked === 'live') {
    gc!();
    process.send!({ live: process.memoryUsage().heapUsed } satisfies Live);
  }
  if (asked !== 'usage') return;
  const cpu = process.cpuUsage();
  process.send!({ cpu, memory: process.memoryUsage() } satisfies Usage);
});
process.once('disconnect', () => process.exit());
process.send!({ url: node.url } satisfies Said);
process.once('SIGTERM', async () => {
  await node.stop();
  process.exit();
});
