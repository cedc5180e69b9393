import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lowdbStorage } from '../../adapters/storage-lowdb/index.ts';
import type { StorageAdapter } from '../../core/storage/adapter.ts';
import { systemClock } from '../../core/system-clock.ts';
import { countEvents, event } from './directory.ts';

function mount(...args: string[]): boolean {
  return spawnSync('mount', ['-t', 'tmpfs', ...args], { stdio: 'ignore' }).status === 0;
}

describe('a real disk that is full, or read-only (F4; skipped without root and leave to mount a tmpfs)', function () {
  this.timeout(60_000);
  let dir: string;

  before(async function () {
    dir = await mkdtemp(join(tmpdir(), 'mesh-small-'));
    if (mount('-o', 'size=512k', 'tmpfs', dir)) return;
    await rm(dir, { recursive: true });
    this.skip();
  });
  after(async () => {
    if (spawnSync('umount', [dir], { stdio: 'ignore' }).status === 0) await rm(dir, { recursive: true });
  });

  async function open(): Promise<StorageAdapter> {
    const adapter = lowdbStorage({ dir: join(dir, 'store'), clock: systemClock, checkpointBytes: 60_000 });
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

  it('takes no write once it was full, shows what is acknowledged, and goes on when there is room', async () => {
    const adapter = await open();
    const { last, refusal } = await writeUntilRefused(adapter, 1);
    assert.equal((refusal as { fault?: string }).fault, 'poisoned');
    assert.ok(last > 100);
    assert.equal(await countEvents(adapter), last);
    await adapter.close();
    assert.ok(mount('-o', 'remount,size=8m', 'tmpfs', dir));
    const again = await open();
    const found = await countEvents(again);
    assert.ok(found >= last && found <= last + 1);
    await again.commit({ checks: [], effects: event(found + 1) });
    assert.equal(await countEvents(again), found + 1);
    await again.close();
  });

  it('says why it cannot be opened read-only, and has everything when it can be written again', async () => {
    const before = await open();
    const found = await countEvents(before);
    await before.close();
    assert.ok(mount('-o', 'remount,ro', 'tmpfs', dir));
    await assert.rejects(open(), { fault: 'unavailable', message: /EROFS|read-only/ });
    assert.ok(mount('-o', 'remount,rw', 'tmpfs', dir));
    const again = await open();
    assert.equal(await countEvents(again), found);
    await again.close();
  });
});
