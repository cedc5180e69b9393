import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { lowdbStorage } from '../../adapters/storage-lowdb/index.ts';
import { systemClock } from '../../core/platform/system-clock.ts';
import type { StorageAdapter, StorageError } from '../../core/storage/adapter.ts';
import type { DumpRow } from '../../core/storage/dump.ts';
import { writeDump } from '../../core/storage/dump-writer.ts';
import { happens } from '../support/happens.ts';
import { countEvents, event } from './directory.ts';
import { Tmpfs } from './tmpfs.ts';

describe('a real disk that is full, or read-only (F4; skipped without root and leave to mount a tmpfs)', function () {
  this.timeout(60_000);
  let tmpfs: Tmpfs | undefined;
  before(async function () {
    tmpfs = await Tmpfs.mount('512k');
    if (!tmpfs) this.skip();
  });
  after(() => tmpfs?.unmount());

  async function open(): Promise<StorageAdapter> {
    const adapter = lowdbStorage({ dir: join(tmpfs!.dir, 'store'), clock: systemClock, checkpointBytes: 60_000 });
    await adapter.open();
    return adapter;
  }

  async function writeUntilRefused(adapter: StorageAdapter, from: number): Promise<{ last: number; refusal: unknown }> {
    for (let n = from; n < from + 5_000; n++) {
      const filling = { kind: 'put', collection: 'filling', id: `${n}`, value: 'x'.repeat(500), entries: [] } as const;
      try {
        await adapter.commit({ checks: [], effects: [...event(n), filling] });
      } catch (refusal) {
        return { last: n - 1, refusal };
      }
    }
    return { last: from + 4_999, refusal: undefined };
  }

  it('takes no write while it is full, shows what is acknowledged, and goes on by itself when there is room', async () => {
    const adapter = await open();
    let last = 0;
    const found = { journal: 0, checkpoint: 0 };
    for (const room of ['1200k', '2600k', '5600k']) {
      const refused = await writeUntilRefused(adapter, last + 1);
      const refusal = refused.refusal as StorageError;
      assert.deepEqual([refusal.fault, /ENOSPC.*goes on by itself/.test(refusal.message)], ['full', true]);
      assert.ok(refused.last > last, 'there was room for something');
      last = refused.last;
      found[/write/.test(refusal.message) && refusal.stack!.includes('Journal') ? 'journal' : 'checkpoint']++;
      assert.equal(await countEvents(adapter), last);
      tmpfs!.change(`size=${room}`);
      await happens('it goes on', async () =>
        adapter.commit({ checks: [], effects: event(last + 1) }).then(
          () => true,
          () => undefined,
        ),
      );
      last += 1;
      assert.equal(await countEvents(adapter), last);
    }
    assert.ok(found.checkpoint > 0, JSON.stringify(found));
    await adapter.close();
    tmpfs!.change('size=8m');
    const again = await open();
    assert.equal(await countEvents(again), last);
    await again.commit({ checks: [], effects: event(last + 1) });
    assert.deepEqual(
      (await readdir(join(tmpfs!.dir, 'store'))).filter((name) => name.endsWith('.tmp') && !name.startsWith('lock')),
      [],
    );
    await again.close();
  });

  it('says why it cannot be opened read-only, and has everything when it can be written again', async () => {
    const before = await open();
    const found = await countEvents(before);
    await before.close();
    tmpfs!.change('ro');
    await assert.rejects(open(), { fault: 'unavailable', message: /EROFS|read-only/ });
    tmpfs!.change('rw');
    const again = await open();
    assert.equal(await countEvents(again), found);
    await again.close();
  });

  it('does not export to a full disk, says so, and leaves nothing there', async () => {
    const file = join(tmpfs!.dir, 'store.jsonl');
    async function* rows(): AsyncGenerator<DumpRow> {
      for (let n = 0; n < 200; n++) yield ['record', 'log', n, 'x'.repeat(50_000), []];
    }
    await assert.rejects(
      writeDump(file, rows(), () => {}),
      { fault: 'full', message: /nothing was exported\. Give a file in a folder that .* has room$/ },
    );
    assert.deepEqual(await readdir(tmpfs!.dir), ['store']);
  });
});
