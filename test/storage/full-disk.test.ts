import assert from 'node:assert/strict';
import { adapters } from '../../adapters/index.ts';
import { type Disk, localDisk, type OpenFile } from '../../adapters/storage-lowdb/disk.ts';
import { lowdbStorage } from '../../adapters/storage-lowdb/index.ts';
import { type Log, silentLog } from '../../core/platform/log.ts';
import { TestAgent } from '../aggregator/support/agent.ts';
import { happens } from '../support/happens.ts';
import { type Mesh, startMesh } from '../support/mesh.ts';
import { network } from '../support/stranger.ts';

/** This machine's disk, which takes half of a write and then has no room while `full`, and cannot undo it while `stuck`. */
class NarrowDisk {
  full = false;
  stuck = false;
  readonly disk: Disk = { ...localDisk, open: async (path, mode) => this.#narrow(await localDisk.open(path, mode)) };

  #narrow(file: OpenFile): OpenFile {
    return {
      read: (length, position) => file.read(length, position),
      datasync: () => file.datasync(),
      size: () => file.size(),
      close: () => file.close(),
      truncate: async (length) => {
        if (this.stuck) throw Object.assign(new Error('EIO: i/o error, ftruncate'), { code: 'EIO' });
        await file.truncate(length);
      },
      write: async (bytes, position) => {
        if (!this.full) return file.write(bytes, position);
        await file.write(bytes.subarray(0, bytes.length >> 1), position);
        throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
      },
    };
  }
}

describe('a node whose disk is full', function () {
  this.timeout(60_000);
  let mesh: Mesh<'node'>;
  let narrow: NarrowDisk;
  let errors: string[];
  const log: Log = { ...silentLog, error: (_, text) => void errors.push(text ?? ''), child: () => log };
  beforeEach(async () => {
    narrow = new NarrowDisk();
    errors = [];
    mesh = await startMesh({
      nodes: ['node'],
      log,
      storage: 'lowdb',
      adapters: (name) => ({
        ...adapters,
        storage: {
          lowdb: async ({ folder, clock }) =>
            lowdbStorage({ dir: folder, clock, ...(name === 'node' && { disk: narrow.disk }) }),
        },
      }),
    });
  });
  afterEach(() => mesh.stop());

  const propose = () => {
    const recipient = new TestAgent('somebody', Date.now, network).id;
    return mesh.nodes.node.call('POST', '/negotiate/propose', { recipient, amount_usdc: '1', message: 'Count.' });
  };
  const ready = async () => {
    const { status, body } = await mesh.nodes.node.call('GET', '/ready');
    return { status, text: JSON.stringify(body) };
  };

  it('says so at /ready and once in the log, and goes on by itself when there is room', async () => {
    const { node } = mesh.nodes;
    assert.equal((await propose()).status, 200);
    narrow.full = true;
    for (let index = 0; index < 5; index += 1) {
      assert.deepEqual([(await propose()).status, (await propose()).body.code], [503, 'storage_unavailable']);
    }
    const { status, text } = await ready();
    assert.equal(status, 503);
    assert.match(text, /ENOSPC: no space left on device.*Make room: it goes on by itself/);
    assert.equal(errors.filter((line) => line === 'the store takes no writes').length, 1);
    narrow.full = false;
    await happens('it is ready again although nobody wrote', async () => (await ready()).status === 200 || undefined);
    assert.equal((await propose()).status, 200);
    assert.equal((await node.client.deals({})).deals.length, 2);
    await node.restart();
    assert.equal((await node.client.deals({})).deals.length, 2);
  });

  it('shows it within a second although nobody writes', async () => {
    assert.equal((await ready()).status, 200);
    narrow.full = true;
    const began = performance.now();
    let { status, text } = await ready();
    while (status === 200 && performance.now() - began < 1_000) ({ status, text } = await ready());
    assert.equal(status, 503);
    assert.ok(performance.now() - began < 1_000);
    const { services, status: said } = JSON.parse(text);
    assert.equal(said, 'unavailable');
    assert.deepEqual([services.store.state, services.store.unready], ['degraded', true]);
    assert.match(services.store.remedy, /^Make room: it goes on by itself/);
    narrow.full = false;
    await happens('it is ready again', async () => (await ready()).status === 200 || undefined);
  });

  it('says that only a restart helps when what was half written cannot be taken back', async () => {
    const { node } = mesh.nodes;
    assert.equal((await propose()).status, 200);
    Object.assign(narrow, { full: true, stuck: true });
    assert.equal((await propose()).status, 503);
    Object.assign(narrow, { full: false, stuck: false });
    assert.equal((await propose()).status, 503);
    const { status, text } = await ready();
    assert.equal(status, 503);
    assert.match(text, /EIO.*a restart recovers all that was acknowledged/);
    await node.restart();
    assert.equal((await ready()).status, 200);
    assert.equal((await node.client.deals({})).deals.length, 1);
    assert.equal((await propose()).status, 200);
  });
});
