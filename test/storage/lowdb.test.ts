import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lowdbStorage } from '../../adapters/storage-lowdb/index.ts';
import { storageContract } from '../../core/testing/storage-contract.ts';

for (const [name, sizes] of [
  ['lowdb', {}],
  ['lowdb, always at a checkpoint', { checkpointBytes: 1, segmentRecords: 8, hotRecords: 4 }],
] as const) {
  storageContract(
    name,
    async ({ now }) => {
      const dir = await mkdtemp(join(tmpdir(), 'mesh-storage-'));
      const open = async () => {
        const adapter = lowdbStorage({ dir, clock: { now }, ...sizes });
        await adapter.open();
        return adapter;
      };
      let adapter = await open();
      return {
        adapter,
        async reopen() {
          await adapter.close();
          adapter = await open();
          return adapter;
        },
        async destroy() {
          await adapter.close();
          await rm(dir, { recursive: true });
        },
      };
    },
    { describe, it, beforeEach, afterEach },
  );
}
