import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adapters } from '../../adapters/index.ts';
import type { RunningNode } from '../../core/host/boot/boot-node.ts';
import { startNode } from '../../core/host/wiring/composition.ts';
import { type Log, silentLog } from '../../core/platform/log.ts';
import type { Profile } from '../../core/plugin.ts';
import { plugins } from '../../plugins/index.ts';

/** The address whose calls no limit counts: there are more of them than any caller may make. */
export const UNLIMITED = '10.0.0.1';

export interface TestProcess {
  readonly node: RunningNode;
  /** What was logged as an error. */
  readonly errors: readonly unknown[];
  stop(): Promise<void>;
}

/** A node or aggregator as anybody would start it, on memory, without a ledger, asking for its secret on reads too. */
export async function startProcess(profile: Profile): Promise<TestProcess> {
  const dataDir = await mkdtemp(join(tmpdir(), `mesh-${profile}-`));
  const errors: unknown[] = [];
  const log: Log = { ...silentLog, error: (fields) => void errors.push(fields), child: () => log };
  const node = await startNode({
    parts: { adapters, plugins },
    log,
    grace: 500,
    config: {
      value: {
        profile,
        listen: '127.0.0.1:0',
        dataDir,
        network: { id: 'local' },
        agent: { name: 'under-test' },
        storage: { use: 'memory' },
        api: { readAuth: true, trustProxy: 1, unlimited: [UNLIMITED] },
        plugins: {},
      },
    },
  });
  return {
    node,
    errors,
    async stop() {
      await node.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
