import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { storageContract } from 'agent-mesh/testing';
import makeStorage from './index.js';

storageContract(
  'mesh-storage-example',
  async ({ now }) => {
    const folder = await mkdtemp(join(tmpdir(), 'mesh-storage-example-'));
    const open = async () => {
      const adapter = makeStorage({ folder, clock: { now } });
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
        await rm(folder, { recursive: true });
      },
    };
  },
  { describe, it, before, after, beforeEach, afterEach },
);
