import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataFolder } from '../../adapters/localnet/data-folder.ts';
import { deploymentKeys } from '../../core/cli/keypairs.ts';
import { readManifest, writeManifest } from '../../core/host/backup/manifest.ts';
import { apiSecretOf } from '../../core/host/config/api-secret.ts';
import { openKeyFile } from '../../core/host/key-file.ts';
import { systemClock, systemRandom } from '../../core/platform/system-clock.ts';
import { openBlobDirectory } from '../../core/storage/blob-directory.ts';
import type { DumpRow } from '../../core/storage/dump.ts';
import { readDump } from '../../core/storage/dump-file.ts';
import { writeDump } from '../../core/storage/dump-writer.ts';
import { Dice, roundsOf } from './dice.ts';

const ROUNDS = roundsOf(1_000);
const MEMORY = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

interface Kind {
  /** Writes the files. */
  make(folder: string): Promise<void> | void;
  /** What the program makes of them. Throws when it refuses. */
  read(folder: string): unknown;
  /** Files that can be made again from the others, so that no flip in them counts. */
  readonly spare?: RegExp;
}

const KINDS: Record<string, Kind> = {
  'the key of an agent': {
    make: (folder) => void openKeyFile(join(folder, 'identity.key'), systemRandom),
    read: (folder) => openKeyFile(join(folder, 'identity.key'), systemRandom).address,
    spare: /\.id$/,
  },
  'the API secret': {
    async make(folder) {
      await apiSecretOf(folder, undefined, systemRandom);
    },
    read: (folder) => apiSecretOf(folder, undefined, systemRandom),
  },
  'the keys of a deployment': {
    make: (folder) => void deploymentKeys(join(folder, 'keys.json')),
    read(folder) {
      const { buffer, program, config } = deploymentKeys(join(folder, 'keys.json'));
      return [buffer.address, program.address, config.address];
    },
  },
  'the list of a backup': {
    make(folder) {
      const about = { agent: 'a', profile: 'node', network: 'localnet', storage: 'lowdb', made_at: 1_234_567 };
      const file = { path: 'store/journal-1', bytes: 12, sha256: '0123456789abcdef'.repeat(4) };
      writeManifest(folder, { ...about, files: [file, { ...file, path: 'store/lock-1' }] });
    },
    read(folder) {
      const { agent, profile, network, storage, made_at, files } = readManifest(folder)!;
      return { agent, profile, network, storage, made_at, files };
    },
  },
  'an exported store': {
    async make(folder) {
      await writeDump(join(folder, 'store.jsonl'), rows(20), () => {});
    },
    async read(folder) {
      const found: DumpRow[] = [];
      for await (const row of readDump(join(folder, 'store.jsonl'), () => {})) found.push(row);
      return found;
    },
  },
  blobs: {
    async make(folder) {
      await (await blobsIn(folder)).put(one(Buffer.alloc(3_000, 'content')), 10_000);
    },
    async read(folder) {
      const blobs = await blobsIn(folder);
      const [cid] = filesIn(folder).map((path) => path.slice(-64));
      const parts = [];
      for await (const part of (await blobs.get(cid!))!.content) parts.push(part);
      return Buffer.concat(parts).toString();
    },
  },
  'the chain of a localnet': {
    make(folder) {
      const chain = new DataFolder(folder);
      chain.keep(snapshotAt(0), 0);
      chain.open(0, () => {});
      for (let n = 0; n < 12; n++) {
        chain.append(lineOf(n));
        if (n === 6) chain.keep(snapshotAt(7), 0);
      }
      chain.close();
    },
    read(folder) {
      const chain = new DataFolder(folder);
      try {
        const snapshot = chain.snapshot()!;
        const lines: string[] = [];
        chain.open(snapshot.seq, (text) => void lines.push(text));
        const { genesisHash, seq, tick, stamp, programs, state } = snapshot;
        return { genesisHash, seq, tick, stamp, programs, state: Buffer.from(state).toString(), lines };
      } finally {
        chain.close();
      }
    },
  },
};

describe('flipped bits in every other file that a node writes, by seed', function () {
  this.timeout(120_000);
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(MEMORY, 'mesh-flip-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  for (const [name, { make, read, spare }] of Object.entries(KINDS)) {
    it(`${name}: harmless, or refused by the name of the file (${ROUNDS} flips)`, async () => {
      await make(folder);
      const paths = filesIn(folder);
      const files = paths.map((path) => [path, readFileSync(path)] as const);
      const whole = await read(folder);
      let refused = 0;
      for (let round = 0; round < ROUNDS; round++) {
        const dice = new Dice(round);
        const [path, bytes] = dice.of(files);
        const flipped = Buffer.from(bytes);
        const at = dice.below(bytes.length);
        flipped[at]! ^= 1 << dice.below(8);
        writeFileSync(path, flipped);
        const what = `round ${round}, byte ${at} of ${path}`;
        let found: unknown;
        let refusal: unknown;
        try {
          found = await read(folder);
        } catch (error) {
          refusal = error;
        }
        if (refusal) {
          refused++;
          assert.ok(!(refusal instanceof TypeError || refusal instanceof SyntaxError), `${what}: ${refusal}`);
          assert.ok(String(refusal).includes(path), `${what}: ${refusal}`);
          assert.ok(!spare?.test(path), `${what}: ${refusal}`);
        } else assert.deepEqual(found, whole, what);
        for (const left of filesIn(folder)) if (!paths.includes(left)) rmSync(left);
        for (const [place, content] of files) writeFileSync(place, content);
      }
      assert.ok(refused > ROUNDS / 4, `${refused} were refused`);
    });
  }
});

function filesIn(folder: string): string[] {
  const found = readdirSync(folder, { recursive: true }) as string[];
  return found.map((name) => join(folder, name)).filter((path) => statSync(path).isFile());
}

function blobsIn(folder: string) {
  return openBlobDirectory({ dir: folder, clock: systemClock, random: systemRandom });
}

async function* one(content: Buffer): AsyncGenerator<Uint8Array> {
  yield content;
}

async function* rows(count: number): AsyncGenerator<DumpRow> {
  for (let n = 1; n <= count; n++) yield ['record', 'log', n, 'x'.repeat(30), []];
}

function lineOf(n: number): string {
  return JSON.stringify({ seq: n, text: `entry @ ${'x '.repeat((n * 37) % 60)}` });
}

function snapshotAt(seq: number) {
  const stamp = { slot: seq, time: seq } as never;
  return { genesisHash: 'hash', seq, tick: seq, stamp, programs: {}, state: Buffer.alloc(300, `state ${seq}`) };
}
