import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adapters } from '../../adapters/index.ts';
import type { RunningNode } from '../../core/host/boot/boot-node.ts';
import { startNode } from '../../core/host/wiring/composition.ts';
import { silentLog } from '../../core/platform/log.ts';
import { definePlugin, type Plugin } from '../../core/plugin.ts';
import { Blobs } from '../../core/services.ts';

const MIB = 1_048_576;

/** A plugin that hands its service to the test. */
function keeper(name: string, given: Map<string, Blobs>): Plugin {
  const face = {
    uses: { blobs: Blobs },
    setup({ blobs }: { blobs: Blobs }) {
      given.set(name, blobs);
      return {};
    },
  };
  return definePlugin({ name, api: '2.0', permissions: ['blobs'], node: face, aggregator: face });
}

describe('the service Blobs', () => {
  const given = new Map<string, Blobs>();
  let folder = '';
  let node: RunningNode | undefined;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mesh-'));
  });
  afterEach(async () => {
    assert.deepEqual((await node?.stop()) ?? [], []);
    node = undefined;
    await rm(folder, { recursive: true });
  });

  async function boot(storage: object = { use: 'memory' }, profile = 'node'): Promise<void> {
    await node?.stop();
    const names = ['photos', 'letters'];
    const plugins = Object.fromEntries(names.map((name) => [name, () => keeper(name, given)]));
    const listed = Object.fromEntries(names.map((name) => [name, {}]));
    const value = { profile, listen: '127.0.0.1:0', dataDir: './data', storage, plugins: listed };
    node = await startNode({ parts: { adapters, plugins }, config: { value, folder }, log: silentLog, grace: 100 });
  }
  const photos = () => given.get('photos')!;
  const letters = () => given.get('letters')!;
  const bytes = (text: string) => Buffer.from(text);

  for (const profile of ['node', 'aggregator']) {
    it(`keeps bytes under their hash and gives them back (${profile})`, async () => {
      await boot(undefined, profile);
      const put = await photos().put(bytes('a photo'));
      assert.equal(put.size, 7);
      assert.equal(Buffer.from((await photos().get(put.hash))!).toString(), 'a photo');
      assert.deepEqual(await photos().put(bytes('a photo')), put);
      assert.deepEqual(await photos().room(), { used: 4_096, most: 64 * MIB });
      const empty = await photos().put(new Uint8Array());
      assert.equal(empty.hash, 'c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470');
      assert.equal((await photos().get(empty.hash))!.length, 0);
    });
  }

  it('shows a plugin its own alone: another neither reads, lists nor deletes them, though it knows the hash', async () => {
    await boot();
    const { hash } = await photos().put(bytes('private'));
    assert.equal(await letters().get(hash), undefined);
    assert.equal(await letters().delete(hash), false);
    assert.deepEqual(await letters().page(), { blobs: [] });
    assert.deepEqual(await letters().put(bytes('private')), { hash, size: 7 });
    assert.equal(await photos().delete(hash), true);
    assert.equal(await photos().get(hash), undefined);
    assert.equal(await photos().delete(hash), false);
    assert.equal(Buffer.from((await letters().get(hash))!).toString(), 'private');
  });

  it('gives each plugin its quota, which deleting gives back, and leaves nothing of what does not fit', async () => {
    await boot({ use: 'memory', blobsPerPluginMiB: 1 });
    const large = await photos().put(new Uint8Array(MIB - 4_096));
    await photos().put(bytes('small'));
    assert.deepEqual(await photos().room(), { used: MIB, most: MIB });
    await assert.rejects(photos().put(bytes('one more')), {
      code: 'payload_too_large',
      message:
        /photos would take up 1052672 bytes and may take up 1048576: delete some, or raise storage\.blobsPerPluginMiB/,
    });
    assert.equal((await letters().put(bytes('one more'))).size, 8);
    assert.equal((await photos().page()).blobs.length, 2);
    await photos().delete(large.hash);
    assert.equal((await photos().room()).used, 4_096);
    await photos().put(bytes('one more'));
    await assert.rejects(photos().put(new Uint8Array(16 * MIB + 1)), { code: 'payload_too_large' });
  });

  it('counts right when puts and deletes of the same bytes cross', async () => {
    await boot();
    const { hash } = await photos().put(bytes('same'));
    await Promise.all([photos().delete(hash), photos().put(bytes('same')), photos().put(bytes('same'))]);
    assert.equal(Buffer.from((await photos().get(hash))!).toString(), 'same');
    assert.equal((await photos().room()).used, 4_096);
    const mine = Buffer.from('before');
    const putting = photos().put(mine);
    mine.write('after!');
    assert.equal(Buffer.from((await photos().get((await putting).hash))!).toString(), 'before');
  });

  it('pages through them, and refuses what is no page', async () => {
    await boot();
    const all = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((one) => photos().put(bytes(one))));
    const seen: string[] = [];
    let after: string | undefined;
    let pages = 0;
    do {
      const page = await photos().page({ limit: 2, ...(after && { after }) });
      seen.push(...page.blobs.map(({ hash }) => hash));
      after = page.next;
      pages += 1;
    } while (after && pages < 5);
    assert.deepEqual([seen, pages], [all.map(({ hash }) => hash).sort(), 3]);
    await assert.rejects(photos().page({ limit: 0 }), { code: 'invalid_request' });
    await assert.rejects(photos().page({ limit: 201 }), { code: 'invalid_request' });
    await assert.rejects(photos().page({ after: '../x' }), { code: 'invalid_request' });
    assert.equal(await photos().get('../../../identity.key'), undefined);
  });

  it('keeps them over a restart, and never gives bytes that were damaged', async () => {
    await boot({ use: 'lowdb' });
    const { hash } = await photos().put(bytes('a photo'));
    await boot({ use: 'lowdb' });
    assert.equal(Buffer.from((await photos().get(hash))!).toString(), 'a photo');
    const dir = join(folder, 'data/blobs/plugins/photos');
    const [file] = (await readdir(dir, { recursive: true })).filter((name) => name.endsWith(hash));
    await writeFile(join(dir, file!), 'another');
    await assert.rejects(photos().get(hash), /damaged/);
    await photos().put(bytes('a photo'));
    assert.equal(Buffer.from((await photos().get(hash))!).toString(), 'a photo');
  });
});
