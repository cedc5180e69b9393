import { memoryStorage } from '../../adapters/storage-memory/index.ts';
import { storageContract } from '../../core/testing/storage-contract.ts';

storageContract(
  'memory',
  async ({ now }) => {
    const adapter = memoryStorage({ clock: { now } });
    await adapter.open();
    return { adapter, destroy: () => adapter.close() };
  },
  { describe, it, beforeEach, afterEach },
);
