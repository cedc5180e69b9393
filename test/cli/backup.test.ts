import assert from 'node:assert/strict';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adapters } from '../../adapters/index.ts';
import { NodeClient } from '../../core/client/node-client.ts';
import { startNode } from '../../core/host/wiring/composition.ts';
import { JUMP } from '../../core/messaging/epoch-journal.ts';
import { silentLog } from '../../core/platform/log.ts';
import { seqOfNonce } from '../../core/protocol/envelopes/epochs.ts';
import { mesh } from './terminal.ts';

const DISCOVER = { msg_type: 'DISCOVER', payload: { query: 'x' } };

describe('mesh backup and mesh restore', function () {
  this.timeout(60_000);
  let folder: string;
  let config: string;
  const path = (...names: string[]) => join(folder, ...names);

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mesh-backup-'));
    config = path('plugins.json');
    await configure({});
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const configure = (more: object) =>
    writeFile(config, JSON.stringify({ listen: '127.0.0.1:0', dataDir: './data', plugins: {}, ...more }));
  const command = (...args: string[]) => mesh([...args, '--config', config]);

  /** Runs the node, has it sign something so often, and gives its id and the last sequence number. */
  async function live(times: number, dataDir = 'data') {
    const node = await boot(dataDir);
    try {
      const client = new NodeClient({ url: node.url, secret: node.apiSecret });
      const { agent_id } = await client.identity();
      let seq = 0;
      for (let time = 0; time < times; time++) seq = seqOfNonce((await client.send(DISCOVER)).nonce);
      return { id: agent_id, seq };
    } finally {
      await node.stop();
    }
  }

  function boot(dataDir = 'data') {
    const value = { listen: '127.0.0.1:0', dataDir: path(dataDir), network: { id: 'backup-tests' }, plugins: {} };
    return startNode({ parts: { adapters, plugins: {} }, log: silentLog, config: { value, folder } });
  }

  it('bring an agent back behind a gap, into an empty folder', async () => {
    const before = await live(3);
    const backup = await command('backup', path('backup'));
    assert.equal(backup.code, 0, backup.error);
    assert.match(backup.out, new RegExp(`^backed up agent ${before.id}: \\d+ files, \\d+ bytes, in `));
    await live(2);
    await rm(path('data'), { recursive: true });
    const restored = await command('restore', path('backup'));
    assert.equal(restored.code, 0, restored.error);
    assert.match(restored.out, /every file as it was/);
    assert.match(restored.out, /Epoch \d+ is tainted: what the agent signed after the backup is not in this journal/);
    assert.match(restored.out, new RegExp(`signs on from number ${JUMP + 4}, beyond all it may have forgotten`));
    assert.match(restored.out, /Make sure that no other process uses this key/);
    const after = await live(1);
    assert.deepEqual(after, { id: before.id, seq: JUMP + 4 });
    assert.equal((await stat(path('data', 'identity.key'))).mode & 0o777, 0o600);
    assert.deepEqual(
      (await readdir(path('data'))).filter((name) => name.startsWith('.')),
      [],
    );
  });

  it('never use a number twice, however often a backup is restored, and keep what was there', async () => {
    await live(2);
    await command('backup', path('backup'));
    let last = 2;
    for (let round = 0; round < 3; round++) {
      const { seq } = await live(1);
      assert.ok(seq > last, `${seq} after ${last}`);
      last = seq;
      const refused = await command('restore', path('backup'));
      assert.equal(refused.code, 1);
      assert.match(refused.error, /is in use; --force puts what is there aside/);
      const restored = await command('restore', path('backup'), '--force', '--json');
      assert.equal(restored.code, 0, restored.error);
      const { before, tainted } = JSON.parse(restored.out);
      assert.ok((await readdir(before)).includes('identity.key'));
      assert.ok(tainted.above >= last + JUMP);
    }
    assert.ok((await live(1)).seq > last);
  });

  it('undo a restore with what it put aside', async () => {
    await live(2);
    await command('backup', path('backup'));
    await live(5);
    const { before } = JSON.parse((await command('restore', path('backup'), '--force', '--json')).out);
    const undone = await command('restore', before, '--force');
    assert.equal(undone.code, 0, undone.error);
    assert.match(undone.out, /was not made by mesh backup: whether it is complete cannot be told/);
    assert.ok((await live(1)).seq > JUMP + 7);
  });

  it('refuse while the node runs', async () => {
    await live(1);
    await command('backup', path('backup'));
    const running = await boot();
    try {
      const backup = await command('backup', path('other'));
      assert.deepEqual([backup.code, backup.out], [1, '']);
      assert.match(backup.error, /uses this store|is open/);
      const restore = await command('restore', path('backup'), '--force');
      assert.deepEqual([restore.code, restore.out], [1, '']);
      const inPlace = await command('restore', '--in-place');
      assert.deepEqual([inPlace.code, inPlace.out], [1, '']);
    } finally {
      await running.stop();
    }
    assert.deepEqual((await readdir(folder)).sort(), ['backup', 'data', 'plugins.json']);
  });

  const damages: [string, (backup: string) => Promise<unknown>, RegExp][] = [
    [
      'a file that was changed',
      async (backup) => {
        const { files } = JSON.parse(await readFile(join(backup, 'backup.json'), 'utf8'));
        const file = join(backup, files.find(({ path: name }: any) => name.startsWith('store/journal')).path);
        const bytes = await readFile(file);
        bytes[bytes.length - 1]! ^= 1;
        await writeFile(file, bytes);
      },
      /is not what was backed up: the backup is damaged. Nothing was changed/,
    ],
    ['a file that is missing', (backup) => rm(join(backup, 'api-secret')), /api-secret/],
    ['no key', (backup) => rm(join(backup, 'identity.key')), /holds no identity\.key; it is no backup of a node/],
    ['no store', (backup) => rm(join(backup, 'store'), { recursive: true }), /holds no store/],
    ['a list that is cut', (backup) => writeFile(join(backup, 'backup.json'), '{'), /is damaged, or was written by/],
    [
      'a list that leads elsewhere',
      async (backup) => {
        const manifest = JSON.parse(await readFile(join(backup, 'backup.json'), 'utf8'));
        manifest.files[0].path = '../../etc/passwd';
        await writeFile(join(backup, 'backup.json'), JSON.stringify({ ...manifest, check: undefined }));
      },
      /is damaged, or was written by/,
    ],
    [
      'the list of another agent',
      async (backup) => {
        const manifest = JSON.parse(await readFile(join(backup, 'backup.json'), 'utf8'));
        await writeFile(
          join(backup, 'backup.json'),
          JSON.stringify({ ...manifest, agent: '1'.repeat(32), check: undefined }),
        );
      },
      /says it is of agent/,
    ],
  ];
  for (const [what, damage, reason] of damages) {
    it(`leave everything as it was when the backup has ${what}`, async () => {
      const { id, seq } = await live(1);
      await command('backup', path('backup'));
      await damage(path('backup'));
      const restored = await command('restore', path('backup'), '--force');
      assert.deepEqual([restored.code, restored.out], [1, '']);
      assert.match(restored.error, reason);
      assert.deepEqual(await live(1), { id, seq: seq + 1 });
    });
  }

  it('keep a node from starting on half a restore, and finish it', async () => {
    const { id } = await live(1);
    await command('backup', path('backup'));
    await mkdir(path('data', '.restoring'));
    await assert.rejects(boot(), /A restore into .* was interrupted\. Run mesh restore again, with --force/);
    assert.equal((await command('restore', path('backup'), '--force')).code, 0);
    assert.equal((await live(1)).id, id);
  });

  it('take the copy of a data folder that somebody made by hand, whatever its modes', async () => {
    const { id } = await live(1);
    await cp(path('data'), path('copy'), { recursive: true });
    await writeFile(path('copy', 'store', 'lock'), '{"pid":1}');
    await rm(path('data'), { recursive: true });
    const restored = await command('restore', path('copy'));
    assert.equal(restored.code, 0, restored.error);
    assert.deepEqual(await live(1), { id, seq: JUMP + 2 });
  });

  it('keep the key where plugins.json says', async () => {
    await live(1);
    await cp(path('data', 'identity.key'), path('key'));
    await rm(path('data', 'identity.key'));
    await configure({ agent: { keyFile: './key' } });
    assert.equal((await command('backup', path('backup'))).code, 0);
    await rm(path('key'));
    await rm(path('data'), { recursive: true });
    assert.equal((await command('restore', path('backup'))).code, 0);
    assert.equal((await readFile(path('key'))).length, 32);
    assert.ok(!(await readdir(path('data'))).includes('identity.key'));
  });

  it('say what to do where the data is not in the folder', async () => {
    await live(1);
    await command('backup', path('backup'));
    await configure({ storage: { use: 'memory' } });
    for (const args of [
      ['backup', path('other')],
      ['restore', path('backup'), '--force'],
    ]) {
      const { code, error } = await command(...args);
      assert.equal(code, 1);
      assert.match(error, /^storage memory keeps nothing; keep a copy of /);
    }
    assert.ok(!(await readdir(folder)).includes('other'));
  });

  it('taint a store that was put back by other means', async () => {
    const { seq } = await live(2);
    for (let round = 1; round <= 2; round++) {
      const { code, out, error } = await command('restore', '--in-place');
      assert.equal(code, 0, error);
      assert.match(out, /its data was left as it is/);
      assert.match(out, new RegExp(`from number ${seq + round * JUMP + 1}`));
    }
    assert.equal((await live(1)).seq, seq + 2 * JUMP + 1);
  });

  it('refuse what makes no sense', async () => {
    const nothing = await command('backup', path('backup'));
    assert.deepEqual([nothing.code, nothing.out], [1, '']);
    assert.match(nothing.error, /there is no key at/);
    await live(1);
    await mkdir(path('full'));
    await writeFile(path('full', 'file'), '');
    const cases: [string[], number, RegExp][] = [
      [['backup', path('full')], 1, /is not empty; name a new folder/],
      [['backup', path('data', 'backup')], 1, /not kept inside the data folder/],
      [['backup'], 2, /FOLDER is missing: the folder of the backup/],
      [['restore'], 2, /name the FOLDER of the backup, or --in-place/],
      [['restore', path('full')], 1, /holds no identity\.key/],
      [['restore', path('data'), '--force'], 1, /is the data folder itself; see --in-place/],
      [['restore', path('backup'), '--forse'], 2, /forse/],
    ];
    for (const [args, expected, reason] of cases) {
      const { code, error } = await command(...args);
      assert.equal(code, expected, error);
      assert.match(error, reason);
    }
  });
});
