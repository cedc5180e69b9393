import assert from 'node:assert/strict';
import { lowdbStorage } from '../../adapters/storage-lowdb/index.ts';
import { systemClock, systemRandom } from '../../core/platform/system-clock.ts';
import { appendLog } from '../../core/storage/declarations.ts';
import { openStore } from '../../core/storage/store.ts';
import { StoreDirectory } from './directory.ts';

const events = appendLog<{ n: number }>('events', { schema: () => [] });
const EVENTS = 1_500;

describe('a slow reader of a log in a folder (F9)', function () {
  this.timeout(60_000);

  it('holds no writer up, keeps nothing in memory, and misses nothing, also when it comes back by id', async () => {
    const directory = await StoreDirectory.make();
    const adapter = lowdbStorage({
      dir: directory.path,
      clock: systemClock,
      checkpointBytes: 8_000,
      segmentRecords: 100,
      hotRecords: 5,
    });
    const options = { validate: () => [], clock: systemClock, random: systemRandom };
    const store = await openStore(adapter, options);
    const space = store.space('core');
    const stop = new AbortController();
    const seen: number[] = [];
    const read = async (signal: AbortSignal) => {
      for await (const { id, record } of space.tail(events, seen.at(-1) ?? 0, signal)) {
        assert.equal(record.n, id);
        seen.push(id);
        if (seen.length % 10 === 0) await systemClock.sleep(1);
        if (seen.length === EVENTS) return;
      }
    };
    const leaving = read(stop.signal);
    for (let n = 1; n <= EVENTS; n += 50) {
      await Promise.all(Array.from({ length: 50 }, (_, i) => space.append(events, { n: n + i })));
      if (n > EVENTS / 2) stop.abort();
    }
    await leaving;
    assert.ok(seen.length < EVENTS);
    assert.ok((await directory.files(/^segment-\d+$/)).length > 3);
    await read(new AbortController().signal);
    assert.deepEqual(
      seen,
      Array.from({ length: EVENTS }, (_, i) => i + 1),
    );
    await store.close();
    await directory.remove();
  });
});
