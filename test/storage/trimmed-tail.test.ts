import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lowdbStorage } from '../../adapters/storage-lowdb/index.ts';
import { memoryStorage } from '../../adapters/storage-memory/index.ts';
import { systemClock as clock } from '../../core/platform/system-clock.ts';

for (const name of ['memory', 'lowdb']) {
  it(`a watcher of a log of ${name} that was trimmed empty sleeps until a record comes`, async () => {
    const dir = await mkdtemp(join(tmpdir(), 'tail-'));
    const adapter = name === 'lowdb' ? lowdbStorage({ dir, clock }) : memoryStorage({ clock });
    await adapter.open();
    const append = { kind: 'append', log: 'events', value: '1', postings: [] } as const;
    await adapter.commit({ checks: [], effects: [append, append] });
    await adapter.commit({ checks: [], effects: [{ kind: 'trim', log: 'events', upTo: 2 }] });
    let woken = false;
    const waiting = adapter.changed('events', 0, new AbortController().signal).then(() => {
      woken = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(woken, false);
    await adapter.commit({ checks: [], effects: [append] });
    await waiting;
    await adapter.close();
    await rm(dir, { recursive: true });
  });
}
