import assert from 'node:assert/strict';
import { memoryStorage } from '../../adapters/storage-memory/index.ts';
import { startJob } from '../../core/host/boot/jobs.ts';
import { createMetrics } from '../../core/host/boot/metrics-registry.ts';
import { Alarm } from '../../core/platform/alarm.ts';
import type { Job } from '../../core/platform/job.ts';
import { silentLog } from '../../core/platform/log.ts';
import { systemRandom } from '../../core/platform/system-clock.ts';
import { ONLY_PROCESS, type Writership } from '../../core/platform/writership.ts';
import { collection } from '../../core/storage/declarations.ts';
import { openStore, type Store } from '../../core/storage/store.ts';
import { storeJob } from '../../core/storage/store-job.ts';
import { SetClock } from '../mesh/virtual-clock.ts';

const letters = collection<{ readonly due: number }, 'due'>('letters', {
  schema: () => [],
  indexes: { due: ({ due }) => [due] },
});
const HOUR = 3_600_000;

describe('a job that rests', () => {
  let clock: SetClock;
  let stop: AbortController;
  /** Seconds from the start at which it ran. */
  let runs: number[];
  let began: number;

  beforeEach(() => {
    clock = new SetClock();
    began = clock.now();
    stop = new AbortController();
    runs = [];
  });
  afterEach(() => stop.abort());

  function start(job: Omit<Job, 'name' | 'every'>, writership: Writership = ONLY_PROCESS, log = silentLog) {
    const tools = { clock, random: systemRandom, metrics: createMetrics(), signal: stop.signal, writership };
    return startJob('plugin', { name: 'job', every: 1_000, jitter: 0, ...job }, log, tools);
  }

  function ran(): void {
    runs.push((clock.now() - began) / 1_000);
  }

  it('runs at its moment or at a ring, never twice within its pause, and sets no timer where there is no moment', async () => {
    const alarm = new Alarm(clock);
    let moment = began + 60_000;
    const job = start({ due: (signal) => alarm.until(moment, signal), run: ran });
    await clock.advance(59_000);
    assert.deepEqual(runs, [1]);
    moment = Number.POSITIVE_INFINITY;
    await clock.advance(10_000);
    assert.deepEqual(runs, [1, 60]);
    assert.equal(clock.timers, 0);
    await clock.advance(HOUR);
    alarm.ring();
    alarm.ring();
    await clock.advance(0);
    assert.deepEqual(runs, [1, 60, 3_669]);
    alarm.ring();
    await clock.advance(500);
    assert.equal(runs.length, 3);
    await clock.advance(HOUR);
    assert.deepEqual(runs.slice(3), [3_670]);
    assert.equal(job.trouble(), undefined, 'a job that rests does not run for ten minutes');
    stop.abort();
    await job.ended;
  });

  it('notices a clock that is set forward within seconds', async () => {
    const alarm = new Alarm(clock);
    start({ due: (signal) => alarm.until(began + 24 * HOUR, signal), run: ran });
    await clock.advance(HOUR);
    clock.ahead = 30 * HOUR;
    await clock.advance(5_000);
    assert.ok(runs.length > 1, 'it ran again');
  });

  it('tries a run that failed again after its pause, and says so when it cannot tell when it is due', async () => {
    const thrown: unknown[] = [];
    const log = { ...silentLog, error: (fields: any) => thrown.push(String(fields.err)) };
    let isBroken = true;
    const job = start(
      {
        due: () => (isBroken ? Promise.reject(new Error('no index')) : new Promise(() => {})),
        run() {
          ran();
          if (runs.length < 3) throw new Error('no store');
        },
      },
      ONLY_PROCESS,
      log as typeof silentLog,
    );
    await clock.advance(2_500);
    assert.deepEqual(runs, [1, 2]);
    assert.equal(job.trouble(), 'failed');
    await clock.advance(1_000);
    assert.deepEqual([runs.at(-1), job.trouble()], [3, undefined]);
    await clock.advance(1_000);
    assert.equal(job.trouble(), 'failed');
    isBroken = false;
    await clock.advance(HOUR);
    assert.deepEqual(runs, [1, 2, 3, 5]);
    assert.deepEqual(thrown, ['Error: no store', 'Error: no store', 'Error: no index']);
  });

  it('looks anew when this process becomes the writer again, whatever it rested for', async () => {
    let term = new AbortController();
    let begin = () => {};
    const writership = { isWriter: true, term: async () => (term.signal.aborted ? await next() : term.signal) };
    const next = () =>
      new Promise<AbortSignal>((resolve) => {
        begin = () => {
          term = new AbortController();
          resolve(term.signal);
        };
      });
    const alarm = new Alarm(clock);
    start({ once: true, due: (signal) => alarm.until(Number.POSITIVE_INFINITY, signal), run: ran }, writership);
    await clock.advance(10_000);
    term.abort();
    await clock.advance(10_000);
    assert.deepEqual(runs, [1]);
    begin();
    await clock.advance(HOUR);
    assert.deepEqual(runs, [1, 20]);
  });

  describe('on a store', () => {
    let store: Store;
    let shared: boolean;

    async function onStore(): Promise<ReturnType<Store['space']>> {
      const adapter = memoryStorage({ clock });
      if (shared) Object.assign(adapter, { guarantees: { ...adapter.guarantees, processes: 'many' } });
      store = await openStore(adapter, { clock, random: systemRandom, validate: () => [] });
      const space = store.space('post');
      const job = storeJob(space, clock, {
        ...{ name: 'job', every: 1_000, jitter: 0 },
        async run() {
          ran();
          const due = await space.page(letters, { index: 'due', to: [clock.now() + 1], limit: 10 });
          for (const { id } of due) await space.del(letters.ref(id));
          const [first] = await space.page(letters, { index: 'due', limit: 1 });
          return first?.value.due ?? Number.POSITIVE_INFINITY;
        },
      });
      start(job);
      await clock.advance(1_500);
      return space;
    }

    beforeEach(() => {
      shared = false;
    });
    afterEach(() => store.close());

    it('runs at the moment that its last run gave and when the store changes, in whatever space', async () => {
      const space = await onStore();
      await clock.advance(HOUR);
      assert.deepEqual(runs, [1]);
      await store.space('elsewhere').put(letters.ref('a'), { due: 1 });
      await clock.advance(500);
      assert.deepEqual(runs, [1, 3_601.5]);
      await clock.advance(HOUR);
      assert.equal(runs.length, 2);
      await space.put(letters.ref('b'), { due: clock.now() + 7_000 });
      await clock.advance(0);
      assert.deepEqual(runs.slice(2), [7_202]);
      await clock.advance(HOUR);
      // At the moment of the letter, and once more, since the run itself has changed the store.
      assert.deepEqual(runs.slice(3), [7_209, 7_210]);
      assert.equal(clock.timers, 0);
    });

    it('looks each pause where other processes change it too', async () => {
      shared = true;
      await onStore();
      await clock.advance(5_000);
      assert.deepEqual(runs, [1, 2, 3, 4, 5, 6]);
    });
  });
});
