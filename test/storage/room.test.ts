import assert from 'node:assert/strict';
import { memoryStorage } from '../../adapters/storage-memory/index.ts';
import { systemClock, systemRandom } from '../../core/platform/system-clock.ts';
import { type CommitBatch, StorageError } from '../../core/storage/adapter.ts';
import { collection } from '../../core/storage/declarations.ts';
import { openStore } from '../../core/storage/store.ts';
import { anything } from './redis-store.ts';

const words = collection<object>('words', { schema: anything });

describe('a store without room', () => {
  it('is not said to have some by a commit that only frees, and is as soon as there is', async () => {
    let full = false;
    const adapter = memoryStorage({ clock: systemClock });
    const commit = adapter.commit.bind(adapter);
    adapter.commit = async (batch: CommitBatch) => {
      if (full && batch.effects.some(({ kind }) => kind !== 'delete' && kind !== 'trim'))
        throw new StorageError('full', 'there is no room');
      return commit(batch);
    };
    const store = await openStore(adapter, { validate: anything, clock: systemClock, random: systemRandom });
    const space = store.space('core');
    await space.put(words.ref('one'), {});
    full = true;
    await assert.rejects(space.put(words.ref('two'), {}), /no room/);
    await space.del(words.ref('one'));
    assert.equal(store.trouble?.fault, 'full');
    await assert.rejects(store.probe(), /no room/);
    assert.equal(store.trouble?.fault, 'full');
    full = false;
    await store.probe();
    assert.equal(store.trouble, undefined);
    await store.close();
  });
});
