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
import { collection } from '../../core/storage/declarations.ts';
import { openStore } from '../../core/storage/store.ts';
import { plugins, standard } from '../../plugins/index.ts';
import type { SchemaTypes } from '../../schemas/types.ts';
import { happens } from '../support/happens.ts';
import { newWallet } from '../support/wallet.ts';

type Row = SchemaTypes['notary-case'];

/** As releases declared them in which core had the notary. */
const older = collection<Row>('notary-cases', {
  schema: 'notary-case',
  ttl: 120 * 86_400_000,
  indexes: { recent: ({ opened_at }: Row) => [opened_at], watched: ({ opened_at }: Row) => [opened_at] },
});

describe('a store in which core had the cases of the notary', function () {
  this.timeout(30_000);

  it('keeps them all, whether the plugin is on at first or not', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mesh-older-'));
    const tools = { validate: () => [], clock: systemClock, random: systemRandom };
    const store = await openStore(memoryStorage({ clock: systemClock }), tools);
    const core = store.space('node');
    const [requester, provider] = [newWallet().address, newWallet().address];
    const ids = Array.from({ length: 120 }, (_, index) => index.toString(16).padStart(32, '0'));
    for (const [index, conversation] of ids.entries())
      await core.put(older.ref(conversation), {
        ...{ conversation, requester, provider, assigned_by: [requester], opened_at: 1_700_000_000_000 + index },
        verdict:
          index % 2 ? { outcome: 'approve', at: 1, sent: { [requester]: 'ab'.repeat(32) }, escrow: 'due' } : null,
      });
    const start = (lines: object) =>
      startNode({
        parts: { adapters, plugins, standard },
        providers: [value(Store, store)],
        config: { value: { listen: '127.0.0.1:0', dataDir: folder, storage: { use: 'memory' }, plugins: lines } },
        log: silentLog,
        grace: 200,
      });
    try {
      for (const lines of [{ notary: false }, {}, {}]) {
        const node = await start(lines);
        try {
          assert.equal(await core.count(older), 0);
          const headers = { authorization: `Bearer ${node.apiSecret}` };
          const ask = () => fetch(`${node.url}/notarize/cases`, { headers });
          assert.equal((await ask()).status, 'notary' in lines ? 404 : 200);
          if ('notary' in lines) continue;
          const shown: any[] = await happens('those that were judged are told apart', async () => {
            const rows = (await (await ask()).json()) as any[];
            return rows.filter(({ known }) => known).length === ids.length / 2 ? rows : undefined;
          });
          const conversations = shown.map(({ conversation_id }) => conversation_id);
          const newest = [...ids].reverse();
          const judged = newest.filter((_, index) => index % 2 === 0);
          assert.deepEqual(conversations, [...judged, ...newest.filter((one) => !judged.includes(one))]);
          assert.deepEqual(shown[0].verdict.envelopes[0], 'ab'.repeat(32));
        } finally {
          assert.deepEqual(await node.stop(), []);
        }
      }
    } finally {
      await store.close();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
