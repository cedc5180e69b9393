import assert from 'node:assert/strict';
import { lowdbStorage } from '../../adapters/storage-lowdb/index.ts';
import { systemClock } from '../../core/platform/system-clock.ts';
import type { StorageAdapter } from '../../core/storage/adapter.ts';
import { countEvents, event, StoreDirectory } from './directory.ts';
import { type Loss, SimulatedDisk } from './simulated-disk.ts';

const EVENTS = 40;
const SMALL = { checkpointBytes: 400, segmentRecords: 5, hotRecords: 2 };

/** What a disk may do to the steps that were not synced: everything, each one alone, all but one. */
const LOSSES: Record<string, Loss> = {
  'loses all': { names: () => false, data: () => 'lost' },
  'keeps all': { names: () => true, data: () => 'whole' },
  'keeps names, loses data': { names: () => true, data: () => 'lost' },
  'keeps data, loses names': { names: () => false, data: () => 'whole' },
  'tears the last write': { names: () => true, data: (i, count) => (i === count - 1 ? 'torn' : 'whole') },
  'fills the last write with zeros': { names: () => true, data: (i, count) => (i === count - 1 ? 'zeros' : 'whole') },
  'loses the first': { names: (i) => i > 0, data: (i) => (i > 0 ? 'whole' : 'lost') },
  'keeps the first only': { names: (i) => i === 0, data: (i) => (i === 0 ? 'whole' : 'lost') },
  'loses the last name': { names: (i, count) => i < count - 1, data: () => 'whole' },
  'keeps the last only': {
    names: (i, count) => i === count - 1,
    data: (i, count) => (i === count - 1 ? 'whole' : 'lost'),
  },
};

describe('a power cut, at every step of a run and for everything a disk may lose (F2)', function () {
  this.timeout(240_000);
  let home: StoreDirectory;
  beforeEach(async () => {
    home = await StoreDirectory.make();
  });
  afterEach(() => home.remove());

  async function open(disk: SimulatedDisk): Promise<StorageAdapter> {
    const adapter = lowdbStorage({ dir: home.path, clock: systemClock, disk, ...SMALL });
    await adapter.open();
    return adapter;
  }

  /** Writes events until there are so many, marking on the disk which are acknowledged. */
  async function run(disk: SimulatedDisk): Promise<void> {
    const adapter = await open(disk);
    for (let n = 1; n <= EVENTS; n++) {
      await adapter.commit({ checks: [], effects: event(n) });
      disk.mark(n);
    }
    await adapter.close();
  }

  /** Opens what is left, checks that it holds whole events and all acknowledged ones, and that it goes on. */
  async function check(disk: SimulatedDisk, acknowledged: number, what: string): Promise<void> {
    let adapter: StorageAdapter;
    try {
      adapter = await open(disk);
    } catch (error) {
      throw new Error(`${what}: ${String(error)}`);
    }
    const found = await countEvents(adapter);
    assert.ok(found >= acknowledged && found <= EVENTS + 1, `${what}: ${found} events, ${acknowledged} acknowledged`);
    const result = await adapter.commit({ checks: [], effects: event(found + 1) });
    assert.deepEqual(result.ok && result.ids, [found + 1], what);
    await adapter.close();
  }

  it('everything acknowledged is there, nothing is there by half, and the store goes on', async () => {
    const disk = new SimulatedDisk();
    await run(disk);
    const snapshots = disk.steps.filter((step) => step.kind === 'rename').length;
    assert.ok(snapshots > 4, `${snapshots} checkpoints`);
    let states = 0;
    let acknowledged = 0;
    for (const [at, step] of disk.steps.entries()) {
      if (step.kind === 'mark') acknowledged = step.value;
      const seen = new Set<string>();
      for (const [name, loss] of Object.entries(LOSSES)) {
        const content = disk.after(at + 1, loss);
        const print = [...content].map(([path, bytes]) => `${path} ${bytes.toString('latin1')}`).join('\n');
        if (seen.has(print)) continue;
        seen.add(print);
        states++;
        await check(new SimulatedDisk(content), acknowledged, `step ${at} (${step.kind}), the disk ${name}`);
      }
    }
    assert.ok(states > 500, `${states} states`);
  });

  it('and the same when the power goes again while the store recovers', async () => {
    const disk = new SimulatedDisk();
    await run(disk);
    let acknowledged = 0;
    let states = 0;
    for (const [at, step] of disk.steps.entries()) {
      if (step.kind === 'mark') acknowledged = step.value;
      if (at % 9 !== 0) continue;
      const first = new SimulatedDisk(disk.after(at + 1, LOSSES['tears the last write']!));
      await (await open(first)).close();
      for (let again = 0; again <= first.steps.length; again++) {
        for (const name of ['loses all', 'keeps the last only', 'tears the last write']) {
          const second = new SimulatedDisk(first.after(again, LOSSES[name]!));
          await check(second, acknowledged, `step ${at}, then ${again}, the disk ${name}`);
          states++;
        }
      }
    }
    assert.ok(states > 100, `${states} states`);
  });
});

describe('a disk that fails (F4)', () => {
  for (const [code, faults] of [
    ['ENOSPC', ['write']],
    ['EIO', ['datasync']],
    ['EROFS', ['open', 'name', 'write', 'rename', 'remove']],
  ] as const) {
    it(`with ${code}: takes no write meanwhile, shows what is acknowledged, and has all of it after a restart`, async () => {
      const home = await StoreDirectory.make();
      let faulty = 0;
      for (let healthy = 1; healthy < 120; healthy += 7) {
        const disk = new SimulatedDisk();
        let left = healthy;
        disk.fault = (kind, path) => {
          if (!(faults as readonly string[]).includes(kind) || (kind === 'open' && !path.endsWith('.tmp'))) return;
          if (left-- <= 0) throw Object.assign(new Error(`${code}: ${path}`), { code });
        };
        const adapter = lowdbStorage({ dir: home.path, clock: systemClock, disk, ...SMALL });
        await adapter.open().catch(() => {});
        let acknowledged = 0;
        const failure = await (async () => {
          for (let n = 1; n <= EVENTS; n++) {
            await adapter.commit({ checks: [], effects: event(n) });
            acknowledged = n;
          }
        })().catch((error) => error);
        if (failure && acknowledged > 0) {
          faulty++;
          // What found no room was taken back, also what a checkpoint had written by then.
          assert.equal(failure.fault, code === 'ENOSPC' ? 'full' : 'poisoned');
          const { fault } = await adapter.commit({ checks: [], effects: event(0) }).catch((error) => error);
          assert.equal(fault, failure.fault);
          assert.equal(await countEvents(adapter), acknowledged);
          if (fault === 'full') {
            disk.fault = undefined;
            await systemClock.sleep(260);
            await adapter.commit({ checks: [], effects: event(acknowledged + 1) });
            acknowledged += 1;
            assert.equal(await countEvents(adapter), acknowledged);
          }
        }
        await adapter.close().catch(() => {});
        disk.fault = undefined;
        const again = lowdbStorage({ dir: home.path, clock: systemClock, disk, ...SMALL });
        await again.open();
        const found = await countEvents(again);
        assert.ok(found >= acknowledged && found <= acknowledged + 1, `${found} of ${acknowledged}`);
        await again.close();
      }
      assert.ok(faulty > 3, `${faulty} runs failed`);
      await home.remove();
    });
  }
});
