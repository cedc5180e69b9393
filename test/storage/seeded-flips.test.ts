import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { lowdbStorage } from '../../adapters/storage-lowdb/index.ts';
import { systemClock } from '../../core/platform/system-clock.ts';
import { type StorageAdapter, StorageError } from '../../core/storage/adapter.ts';
import { Dice, roundsOf } from './dice.ts';
import { StoreDirectory } from './directory.ts';
import { type Loss, SimulatedDisk } from './simulated-disk.ts';
import { verify, write } from './workload.ts';

const FLIPS = roundsOf(250);
const FLIPS_PER_STORE = 100;
const COMMITS = 120;
const EVERYTHING: Loss = { names: () => true, data: () => 'whole' };

describe(`${FLIPS} flipped bits in the files of a store, by seed`, function () {
  this.timeout(FLIPS * 500);
  let home: StoreDirectory;
  beforeEach(async () => {
    home = await StoreDirectory.make();
  });
  afterEach(() => home.remove());

  function make(disk: SimulatedDisk, checkpointBytes: number): StorageAdapter {
    const sizes = { checkpointBytes, segmentRecords: 20, hotRecords: 5, cacheBytes: 64 * 1024 };
    return lowdbStorage({ dir: home.path, clock: systemClock, disk, ...sizes });
  }

  /** A store as a clean end or a kill left it: with layers, segments, sidecars, a snapshot and a journal. */
  async function filled(dice: Dice): Promise<ReadonlyMap<string, Buffer>> {
    const disk = new SimulatedDisk();
    const adapter = make(disk, dice.of([2_000, 6_000]));
    await adapter.open();
    await write(adapter, [1, COMMITS], dice);
    const killed = disk.after(disk.steps.length, EVERYTHING);
    await adapter.close();
    return dice.chance(0.5) ? killed : disk.after(disk.steps.length, EVERYTHING);
  }

  /** Everything the store can be asked, then more commits with checkpoints, then everything again. */
  async function use(adapter: StorageAdapter): Promise<void> {
    await adapter.open();
    assert.equal(await verify(adapter), COMMITS);
    for await (const _ of adapter.dump!()) {
      // A dump reads every byte that counts.
    }
    await write(adapter, [COMMITS + 1, COMMITS + 40], new Dice(0));
    assert.equal(await verify(adapter), COMMITS + 40);
  }

  it('are harmless, or named with file, byte, content and the way out; no answer is ever wrong', async () => {
    const found: Record<string, { harmless: number; named: number }> = {};
    for (let flip = 0; flip < FLIPS; ) {
      const store = await filled(new Dice(flip));
      for (let end = Math.min(FLIPS, flip + FLIPS_PER_STORE); flip < end; flip++) {
        const dice = new Dice(1_000_000 + flip);
        const file = dice.of([...store.keys()].filter((path) => store.get(path)!.length > 0).sort());
        const bytes = Buffer.from(store.get(file)!);
        const at = dice.below(bytes.length);
        bytes[at]! ^= 1 << dice.below(8);
        const adapter = make(new SimulatedDisk(new Map([...store, [file, bytes]])), 3_000);
        const examined = await adapter.examine!();
        const error = await use(adapter).then(
          () => undefined,
          (refusal: unknown) => refusal,
        );
        await adapter.close().catch(() => {});
        const name = basename(file);
        const kind = name.replace(/\d+/, 'N');
        found[kind] ??= { harmless: 0, named: 0 };
        found[kind][error ? 'named' : 'harmless']++;
        assert.ok(
          examined.every((text) => text.includes(`${name}, which holds`)),
          `flip ${flip}: ${examined}`,
        );
        if (!error) continue;
        assert.equal(examined.length, 1, `flip ${flip} in ${name} was not found by looking`);
        const what = `flip ${flip}, byte ${at} of ${name}: ${error}`;
        assert.ok(error instanceof StorageError && ['corrupt', 'poisoned'].includes(error.fault), what);
        assert.match(error.message, new RegExp(`${name}, which holds .+, is damaged at byte \\d+`), what);
        assert.match(error.message, /Restore .* from a backup \(mesh restore FOLDER --force\)/, what);
      }
    }
    for (const kind of ['journal-N', 'layer-N', 'segment-N', 'snapshot-N']) {
      assert.ok(found[kind]!.named > FLIPS / 50, JSON.stringify(found));
    }
    assert.equal(found['segment-N.index']!.named, 0, 'what can be made again is made again');
    if (process.env['MESH_TEST_ROUNDS']) process.stdout.write(`${JSON.stringify(found)}\n`);
  });
});
