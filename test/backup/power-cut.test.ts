import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adapters } from '../../adapters/index.ts';
import { loadContracts } from '../../core/contracts/contracts.ts';
import { makeBackup } from '../../core/host/backup/backup.ts';
import { digest, UNFINISHED } from '../../core/host/backup/files.ts';
import { readManifest } from '../../core/host/backup/manifest.ts';
import { restoreBackup } from '../../core/host/backup/restore.ts';
import { StoppedNode } from '../../core/host/backup/stopped-node.ts';
import { openKeyFile } from '../../core/host/key-file.ts';
import { makeFolder } from '../../core/platform/new-file.ts';
import { systemClock, systemRandom } from '../../core/platform/system-clock.ts';
import { collection } from '../../core/storage/declarations.ts';
import { Dice, roundsOf } from '../storage/dice.ts';
import { RecordedFs } from '../support/recorded-fs.ts';

const ROUNDS = roundsOf(250);
const MEMORY = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
const notes = collection<{ text: string }>('notes', { schema: () => [] });

describe('power cuts under mesh backup and mesh restore, by seed', function () {
  this.timeout(120_000);
  let home: string;
  beforeEach(async () => {
    home = await mkdtemp(join(MEMORY, 'mesh-backup-cut-'));
    await mkdir(join(home, 'live'));
  });
  afterEach(() => rm(home, { recursive: true, force: true }));

  const nodeIn = (folder: string) =>
    new StoppedNode({
      settings: {
        profile: 'node',
        dataDir: join(folder, 'data'),
        agent: {},
        network: {},
        storage: {},
      } as never,
      folder,
      contracts: loadContracts(),
      adapters,
      clock: systemClock,
    });

  async function note(folder: string, text: string): Promise<void> {
    const store = await nodeIn(folder).open();
    await store.space('node').put(notes.ref('last'), { text });
    await store.close();
  }

  async function noted(folder: string): Promise<string | undefined> {
    const store = await nodeIn(folder).open();
    try {
      return (await store.space('node').get(notes.ref('last')))?.text;
    } finally {
      await store.close();
    }
  }

  it('an agent that was restored is whole, as it was, or unfinished and restored once more; a backup is whole or none', async () => {
    const live = join(home, 'live');
    const disk = RecordedFs.start(live);
    const key = join('data', 'identity.key');
    let address: string;
    try {
      makeFolder(join(live, 'data'));
      address = openKeyFile(join(live, key), systemRandom).address;
      await note(live, 'old');
      await writeFile(join(live, 'data', 'settings.json'), 'kept', { flush: true });
      disk.mark('living');
      await makeBackup(nodeIn(live), join(live, 'backup'), 1_000);
      disk.mark('backed up');
      await note(live, 'new');
      disk.mark('new');
      await restoreBackup(nodeIn(live), join(live, 'backup'), true, 2_000);
      disk.mark('restored');
    } finally {
      disk.stop();
    }
    const found = { unfinished: 0, old: 0, new: 0, none: 0 };
    for (let round = 0; round < ROUNDS; round++) {
      const into = join(home, 'after');
      await mkdir(into);
      const dice = new Dice(round);
      const at = dice.below(disk.length + 1);
      disk.replay(at, dice, into);
      const marks = disk.marks(at);
      const what = `round ${round}, cut after step ${at} of ${disk.length}, ${marks.at(-1)}`;
      const manifest = existsSync(join(into, 'backup')) ? readManifest(join(into, 'backup')) : undefined;
      if (marks.includes('backed up')) assert.ok(manifest, what);
      for (const { path, sha256 } of manifest?.files ?? []) {
        assert.equal((await digest(join(into, 'backup', path))).sha256, sha256, `${what}: ${path}`);
      }
      if (marks.includes('backed up')) {
        const unfinished = existsSync(join(into, 'data', UNFINISHED));
        if (unfinished) {
          // A node does not start beside it, and says to restore again.
          await restoreBackup(nodeIn(into), join(into, 'backup'), true, 3_000);
        }
        assert.equal(nodeIn(into).identity().address, address, what);
        const text = await noted(into);
        if (unfinished || marks.includes('restored')) assert.equal(text, 'old', what);
        else if (marks.includes('new')) assert.ok(text === 'new' || text === 'old', `${what}: ${text}`);
        found[unfinished ? 'unfinished' : (text as 'old' | 'new')]++;
      } else found.none++;
      await rm(into, { recursive: true });
    }
    assert.ok(
      Object.values(found).every((count) => count > 0),
      JSON.stringify(found),
    );
  });
});
