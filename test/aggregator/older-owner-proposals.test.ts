import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adapters } from '../../adapters/index.ts';
import { memoryStorage } from '../../adapters/storage-memory/index.ts';
import { value } from '../../core/host/boot/boot-node.ts';
import { startNode } from '../../core/host/wiring/composition.ts';
import { Store } from '../../core/internal-services.ts';
import { silentLog } from '../../core/platform/log.ts';
import { systemClock, systemRandom } from '../../core/platform/system-clock.ts';
import type { Profile } from '../../core/plugin.ts';
import { collection } from '../../core/storage/declarations.ts';
import { openStore, type Store as StoreValue } from '../../core/storage/store.ts';
import { plugins, standard } from '../../plugins/index.ts';
import type { SchemaTypes } from '../../schemas/types.ts';
import { newWallet } from '../support/wallet.ts';
import { TestAgent } from './support/agent.ts';

type Row = SchemaTypes['stored-owner-link'];

/** As releases declared them in which core had the owners. */
const older = collection<Row>('ownership', {
  schema: 'stored-owner-link',
  indexes: {
    owner: ({ link, agent_id }: Row) => (link ? [link.owner, agent_id] : undefined),
    claiming: ({ claim }: Row) => (claim ? [claim.at] : undefined),
  },
});
const budget = collection<SchemaTypes['stored-link-budget']>('link-budget', { schema: 'stored-link-budget' });
const proposed = collection<SchemaTypes['stored-proposal']>('owner', { schema: 'stored-proposal' }).ref('proposed');

describe('a store in which core had the owners of agents', function () {
  this.timeout(30_000);
  let folder = '';
  let store: StoreValue;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mesh-older-'));
    const validate = () => [];
    store = await openStore(memoryStorage({ clock: systemClock }), {
      validate,
      clock: systemClock,
      random: systemRandom,
    });
  });
  afterEach(async () => {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function start(profile: Profile) {
    const settings = { profile, listen: '127.0.0.1:0', dataDir: folder, storage: { use: 'memory' }, plugins: {} };
    return startNode({
      parts: { adapters, plugins, standard },
      providers: [value(Store, store)],
      config: { value: settings },
      log: silentLog,
      grace: 200,
    });
  }

  const later = Math.floor(Date.now() / 1_000) + 86_400;
  const proposal = (owner: string) => ({ owner, nonce: '0011223344556677', expires: later, proposed_at: Date.now() });

  it('keeps the proposals, claims, links and the budget of an aggregator', async () => {
    const wallet = newWallet().address;
    const agents = Array.from({ length: 120 }, (_, i) => new TestAgent(`older ${i}`).id).sort();
    const core = store.space('aggregator');
    for (const [index, key] of agents.entries()) {
      const link = index % 3 === 0 ? { owner: wallet, claimed_at: 1_700_000_000_000 } : null;
      const status = link ? 'claimed' : 'pending';
      const made = index % 3 === 2 ? null : proposal(wallet);
      await core.put(older.ref(key), { key, agent_id: key, status, proposal: made, claim: null, link });
    }
    await core.put(budget.ref('links'), { day: 7, spent: 9 });
    for (let turn = 0; turn < 2; turn++) {
      const node = await start('aggregator');
      try {
        const read = async (path: string) => (await fetch(node.url + path)).json() as Promise<any>;
        for (const index of [0, 1, 2, 117, 118, 119]) {
          const { status, owner, proposed_owner } = await read(`/agents/${agents[index]}/owner`);
          const expected = [
            ['claimed', wallet],
            ['pending', wallet],
            ['none', undefined],
          ][index % 3];
          assert.deepEqual([status, owner ?? proposed_owner], expected, `agent ${index}`);
        }
        assert.equal((await read(`/agents/by-owner/${wallet}?limit=200`)).length, 40);
      } finally {
        assert.deepEqual(await node.stop(), []);
      }
      assert.deepEqual(await store.space('ownership').get(budget.ref('links')), { day: 7, spent: 9 });
    }
  });

  it('keeps what a node proposed, and moves it once', async () => {
    const row = {
      owner: newWallet().address,
      nonce: '0011223344556677',
      expires: later,
      aggregators: ['http://a.example'],
    };
    await store.space('node').put(proposed, row);
    for (let turn = 0; turn < 2; turn++) {
      const node = await start('node');
      assert.deepEqual(await node.stop(), []);
      assert.deepEqual(await store.space('ownership').get(proposed), row);
      assert.equal(await store.space('node').get(proposed), undefined);
    }
  });
});
