import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adapters } from '../../adapters/index.ts';
import { lowdbStorage } from '../../adapters/storage-lowdb/index.ts';
import { STORE_FORMAT } from '../../core/aggregator/store/format.ts';
import { AggregatorClient } from '../../core/client/aggregator-client.ts';
import { NodeClient } from '../../core/client/node-client.ts';
import type { RunningNode } from '../../core/host/boot/boot-node.ts';
import { openKeyFile } from '../../core/host/key-file.ts';
import { startNode } from '../../core/host/wiring/composition.ts';
import { silentLog } from '../../core/platform/log.ts';
import { systemClock, systemRandom } from '../../core/platform/system-clock.ts';
import { collection } from '../../core/storage/declarations.ts';
import { openStore } from '../../core/storage/store.ts';

const FORMATS = join(import.meta.dirname, '../storage/formats');

describe('data folders of earlier builds', function () {
  this.timeout(60_000);
  let home: string;
  let running: RunningNode | undefined;
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'mesh-older-'));
  });
  afterEach(async () => {
    await running?.stop();
    running = undefined;
    await rm(home, { recursive: true });
  });

  function unpack(name: string): string {
    execFileSync('tar', ['-xzf', join(FORMATS, `${name}.tar.gz`), '-C', home]);
    return join(home, name);
  }

  async function start(dataDir: string, profile = 'node'): Promise<RunningNode> {
    await running?.stop();
    const value = { profile, listen: '127.0.0.1:0', dataDir, network: { id: 'mesh-tests' }, plugins: {} };
    running = await startNode({ parts: { adapters, plugins: {} }, log: silentLog, config: { value, folder: home } });
    return running;
  }

  async function states(node: RunningNode): Promise<Record<string, number>> {
    const { deals } = await new NodeClient({ url: node.url, secret: node.apiSecret }).deals({});
    const found: Record<string, number> = {};
    for (const { state } of deals) found[state] = (found[state] ?? 0) + 1;
    return found;
  }

  it('a node whose deals of before messages showed who pays are over is taken; its offers lapse, its key signs on', async () => {
    const folder = unpack('node-untied-ended');
    const { address } = openKeyFile(join(folder, 'identity.key'), systemRandom);
    for (let round = 0; round < 2; round++) {
      const node = await start(folder);
      const client = new NodeClient({ url: node.url, secret: node.apiSecret });
      assert.equal((await client.identity()).agent_id, address);
      assert.deepEqual(await states(node), { rejected: 1, expired: 1 });
      const { deals } = await client.deals({});
      assert.deepEqual(
        deals.map(({ allowed_actions }) => allowed_actions),
        [[], []],
      );
      for (const deal of deals) assert.equal(deal.counterparty.length > 30 && deal.history.length > 0, true);
      const sent = await client.send({ msg_type: 'DISCOVER', payload: { query: 'x' } });
      assert.ok(sent.envelope_id);
    }
  });

  it('one with deals under way is refused with their ids and states, and is left as it is', async () => {
    for (const [name, said] of [
      ['node-untied-open', /[0-9a-f]{32} \(accepted\)\. Nothing was changed\. Finish them.*docs\/upgrade\.md/],
      ['node-untied-money', /[0-9a-f]{32} \(accepted, in escrow\)\. Nothing was changed\. Finish them/],
    ] as const) {
      const folder = unpack(name);
      const before = await readFile(join(folder, 'store', 'journal-1'));
      await assert.rejects(start(folder), said);
      const after = await readFile(join(folder, 'store', 'journal-1'));
      // A clean end adds an empty frame, which holds nothing.
      assert.deepEqual(after.subarray(0, before.length), before);
      assert.ok(after.length - before.length < 200, `${after.length - before.length} bytes were added`);
    }
  });

  it('a node of the present format goes on with all its deals', async () => {
    const node = await start(unpack('node-today'));
    const { deals } = await new NodeClient({ url: node.url, secret: node.apiSecret }).deals({});
    assert.equal(deals.length, 3);
    assert.equal(deals.filter(({ state }) => state === 'rejected').length, 1);
  });

  for (const [profile, fixture, collectionName, id, change] of [
    ['node', 'node-today', 'keeper', 'agent', { format: 3 }],
    ['aggregator', 'aggregator-untied', 'format', 'store', { number: STORE_FORMAT + 1 }],
  ] as const)
    it(`one that a newer release has written is refused by a${profile === 'node' ? ' node' : 'n aggregator'}, and left as it is`, async () => {
      const folder = unpack(fixture);
      await start(folder, profile);
      await running!.stop();
      const rows = collection<object>(collectionName, { schema: () => [] });
      const ref = rows.ref(id);
      const open = async () => {
        const adapter = lowdbStorage({ dir: join(folder, 'store'), clock: systemClock });
        const store = await openStore(adapter, { clock: systemClock, random: systemRandom, validate: () => [] });
        return { store, space: store.space(profile) };
      };
      const written = await open();
      const newer = { ...(await written.space.get(ref)), ...change };
      await written.space.put(ref, newer);
      await written.store.close();
      running = undefined;
      await assert.rejects(start(folder, profile), /format \d, and this release reads formats up to \d/);
      const after = await open();
      assert.deepEqual(await after.space.get(ref), newer);
      await after.store.close();
    });

  it('an aggregator of before keeps its agents', async () => {
    const folder = unpack('aggregator-untied');
    const node = await start(folder, 'aggregator');
    const agents = await new AggregatorClient({ url: node.url }).agents();
    assert.equal(agents.length, 2);
    assert.ok((await readdir(join(folder, 'store'))).some((name) => name.startsWith('journal-')));
  });
});
