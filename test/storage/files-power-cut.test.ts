import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataFolder } from '../../adapters/localnet/data-folder.ts';
import { lowdbStorage } from '../../adapters/storage-lowdb/index.ts';
import { apiSecretOf } from '../../core/host/config/api-secret.ts';
import { openKeyFile } from '../../core/host/key-file.ts';
import { makeFolder } from '../../core/platform/new-file.ts';
import { systemClock, systemRandom } from '../../core/platform/system-clock.ts';
import { openBlobDirectory } from '../../core/storage/blob-directory.ts';
import type { DumpRow } from '../../core/storage/dump.ts';
import { readDump } from '../../core/storage/dump-file.ts';
import { writeDump } from '../../core/storage/dump-writer.ts';
import { RecordedFs } from '../support/recorded-fs.ts';
import { Dice, roundsOf } from './dice.ts';
import { verify, write } from './workload.ts';

const ROUNDS = roundsOf(240);
/** Where syncing costs nothing: what would be lost is up to the recording. */
const MEMORY = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** A run that notes what was acknowledged, and how one tells that it is all there; both may throw. */
interface Kind {
  readonly rounds: number;
  run(folder: string, disk: RecordedFs): Promise<void> | void;
  check(folder: string, acknowledged: readonly never[]): Promise<void> | void;
}

const KINDS: Record<string, Kind> = {
  'the key of an agent': {
    rounds: ROUNDS / 4,
    run(folder, disk) {
      makeFolder(join(folder, 'data'));
      disk.mark(openKeyFile(join(folder, 'data/identity.key'), systemRandom).address);
    },
    check(folder, [address]) {
      makeFolder(join(folder, 'data'));
      const found = openKeyFile(join(folder, 'data/identity.key'), systemRandom).address;
      if (address) assert.equal(found, address);
    },
  },
  'the API secret': {
    rounds: ROUNDS / 4,
    async run(folder, disk) {
      disk.mark(await apiSecretOf(join(folder, 'data'), undefined, systemRandom));
    },
    async check(folder, [secret]) {
      const found = await apiSecretOf(join(folder, 'data'), undefined, systemRandom);
      if (secret) assert.equal(found, secret);
    },
  },
  blobs: {
    rounds: ROUNDS,
    async run(folder, disk) {
      const blobs = await openBlobDirectory({
        dir: join(folder, 'data/blobs'),
        clock: systemClock,
        random: systemRandom,
      });
      for (let n = 0; n < 6; n++) {
        const content = Buffer.alloc(1 + n * 700, `blob ${n}`);
        const { cid } = await blobs.put(one(content), 10_000);
        disk.mark({ cid, content });
      }
    },
    async check(folder, acknowledged: readonly { readonly cid: string; readonly content: Buffer }[]) {
      const blobs = await openBlobDirectory({
        dir: join(folder, 'data/blobs'),
        clock: systemClock,
        random: systemRandom,
      });
      for (const { cid, content } of acknowledged) {
        const parts = [];
        for await (const part of (await blobs.get(cid))!.content) parts.push(part);
        assert.deepEqual(Buffer.concat(parts), content);
      }
    },
  },
  'an exported store': {
    rounds: ROUNDS / 4,
    async run(folder, disk) {
      await writeDump(join(folder, 'store.jsonl'), rows(40), () => {});
      disk.mark('exported');
    },
    async check(folder, [exported]) {
      if (!existsSync(join(folder, 'store.jsonl'))) return assert.equal(exported, undefined);
      let count = 0;
      for await (const _ of readDump(join(folder, 'store.jsonl'), () => {})) count++;
      assert.equal(count, 40);
    },
  },
  'the chain of a localnet': {
    rounds: ROUNDS,
    run(folder, disk) {
      const chain = new DataFolder(join(folder, 'ledger'));
      chain.keep(snapshotAt(0), 0);
      chain.open(0, () => {});
      for (let n = 0; n < 24; n++) {
        chain.append(lineOf(n));
        disk.mark(n);
        if (n % 7 === 6) chain.keep(snapshotAt(n + 1), Math.max(0, n - 9));
      }
    },
    check(folder, acknowledged) {
      const chain = new DataFolder(join(folder, 'ledger'));
      try {
        const seq = chain.snapshot()?.seq;
        if (seq === undefined) return assert.equal(acknowledged.length, 0);
        const lines: string[] = [];
        chain.open(seq, (text) => void lines.push(text));
        const last = lines.length > 0 ? Number(/\d+/.exec(lines.at(-1)!)) + 1 : seq;
        assert.ok(Math.max(last, seq) >= acknowledged.length, `${last}, ${seq} of ${acknowledged.length}`);
        assert.deepEqual(
          lines,
          Array.from({ length: lines.length }, (_, i) => lineOf(last - lines.length + i)),
        );
        chain.append(lineOf(Math.max(last, seq)));
      } finally {
        chain.close();
      }
    },
  },
  'a store in a folder': {
    rounds: ROUNDS / 4,
    async run(folder, disk) {
      const adapter = store(folder);
      await adapter.open();
      await write(adapter, [1, 30], new Dice(1), (n) => disk.mark(n));
      await adapter.close();
    },
    async check(folder, acknowledged) {
      const adapter = store(folder);
      await adapter.open();
      try {
        assert.ok((await verify(adapter)) >= (acknowledged.at(-1) ?? 0));
      } finally {
        await adapter.close();
      }
    },
  },
};

describe('power cuts under every file that a node writes, on the real file system, by seed', function () {
  this.timeout(120_000);
  let home: string;
  beforeEach(async () => {
    home = await mkdtemp(join(MEMORY, 'mesh-cut-'));
  });
  afterEach(() => rm(home, { recursive: true, force: true }));

  for (const [name, { rounds, run, check }] of Object.entries(KINDS)) {
    it(`${name}: what was acknowledged is there, and it goes on (${rounds} cuts)`, async () => {
      const live = join(home, 'live');
      await mkdir(live);
      const disk = RecordedFs.start(live);
      try {
        await run(live, disk);
      } finally {
        disk.stop();
      }
      const into = join(home, 'after');
      for (let round = 0; round < rounds; round++) {
        const dice = new Dice(round);
        const at = dice.below(disk.length + 1);
        await mkdir(into);
        disk.replay(at, dice, into);
        try {
          await check(into, disk.marks(at) as never[]);
        } catch (error) {
          throw new Error(`round ${round}, cut after step ${at} of ${disk.length}: ${String(error)}`, { cause: error });
        }
        await rm(into, { recursive: true });
      }
    });
  }
});

function store(folder: string) {
  const sizes = { checkpointBytes: 1_500, segmentRecords: 8, hotRecords: 3 };
  return lowdbStorage({ dir: join(folder, 'data/store'), clock: systemClock, ...sizes });
}

async function* one(content: Buffer): AsyncGenerator<Uint8Array> {
  yield content;
}

async function* rows(count: number): AsyncGenerator<DumpRow> {
  for (let n = 1; n <= count; n++) yield ['record', 'log', n, 'x'.repeat(100), []];
}

function lineOf(n: number): string {
  return JSON.stringify({ seq: n, text: `entry @ ${'x '.repeat((n * 37) % 400)}` });
}

function snapshotAt(seq: number) {
  const stamp = { slot: seq, time: seq } as never;
  return { genesisHash: 'hash', seq, tick: seq, stamp, programs: {}, state: Buffer.alloc(900, `state ${seq}`) };
}
