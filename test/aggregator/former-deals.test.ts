import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lowdbStorage } from '../../adapters/storage-lowdb/index.ts';
import { redisStorage } from '../../adapters/storage-redis/index.ts';
import { epochsOf } from '../../core/aggregator/epochs.ts';
import { createIngest } from '../../core/aggregator/ingest/ingest.ts';
import { SPACE } from '../../core/aggregator/providers.ts';
import { deals, parties } from '../../core/aggregator/store/deals.ts';
import { loadContracts } from '../../core/contracts/contracts.ts';
import { Verifier } from '../../core/messaging/verification/verifier.ts';
import { silentLog } from '../../core/platform/log.ts';
import { systemRandom } from '../../core/platform/system-clock.ts';
import type { StorageAdapter } from '../../core/storage/adapter.ts';
import { openStore } from '../../core/storage/store.ts';
import { findRedis, RedisServer } from '../support/redis-server.ts';
import { network } from './support/agent.ts';
import { NOON } from './support/domain.ts';
import { StillClock } from './support/still-clock.ts';

const NAME = 'aggregator-packed';
const FORMER = join(import.meta.dirname, `../storage/formats/${NAME}.tar.gz`);
const NOTHING = () => {};

for (const use of findRedis() ? ['files', 'redis'] : ['files'])
  describe(`the store of an aggregator of format 3, on ${use}`, function () {
    this.timeout(60_000);
    const clock = new StillClock(NOON);
    const verifier = new Verifier();
    let home: string;
    let redis: RedisServer | undefined;
    let adapter: StorageAdapter;
    before(async () => {
      home = await mkdtemp(join(tmpdir(), 'mesh-former-'));
      execFileSync('tar', ['-xzf', FORMER, '-C', home]);
      const files = lowdbStorage({ dir: join(home, NAME, 'store'), clock });
      adapter = files;
      if (use === 'files') return;
      redis = await RedisServer.start();
      await files.open();
      const onRedis = () => redisStorage({ url: redis!.url, prefix: 'former', clock });
      await onRedis().load!(files.dump!());
      await files.close();
      adapter = onRedis();
    });
    after(async () => {
      verifier.close();
      await redis?.stop();
      await rm(home, { recursive: true });
    });

    it('is read as it is: nothing counts again, its deal is whole, and what changes is stored anew', async () => {
      const contracts = loadContracts();
      const validate = (schema: string, value: unknown) => contracts.problems(schema as never, value);
      const store = await openStore(adapter, { validate, clock, random: systemRandom });
      const space = store.space(SPACE);
      const told = JSON.parse(await readFile(join(home, NAME, 'told.json'), 'utf8'));
      const items = told.items.map((text: string) => ({ kind: 'envelope', bytes: Buffer.from(text, 'base64') }));
      const ingest = createIngest({
        ...{ space, network, epochs: epochsOf(network), verifier, clock, log: silentLog },
        handling: { keeps: () => false, keep: NOTHING, recorded: NOTHING },
        limits: { newKeysPerHour: 100, newKeysPerHourInAll: 100, itemsPerKeyPerMinute: 100 },
        ...{ counted: NOTHING, putOff: NOTHING, recorded: NOTHING, dropped: NOTHING },
      });
      const before = told.results.map(({ status }: { status: string }) => status);
      const again = (await ingest(items, { ip: '127.0.0.1' })).map(({ status }) => status);
      assert.deepEqual(
        again,
        before.map((status: string) => (status === 'accepted' ? 'duplicate' : status)),
      );
      const [deal] = await space.page(deals, { limit: 2 });
      const { record, rows } = deal!.value;
      assert.deepEqual([record.accepts.length, record.deliveries.length, record.rated.length], [1, 1, 2]);
      assert.deepEqual([...record.pair].sort(), [...told.agents].sort());
      assert.deepEqual(
        rows.map(({ event_type, shown }) => [event_type, shown]),
        [
          ['ACCEPT', true],
          ['DELIVER', true],
        ],
      );
      assert.equal(await space.count(parties), 2, 'they go by themselves');
      const ref = deals.ref(deal!.id);
      const stored = async () =>
        (await adapter.read([{ collection: `${SPACE}:deal-records`, id: deal!.id }]))[0]!.value;
      assert.match(await stored(), /^\{"ids":/);
      await space.tx([ref], (tx) => tx.put(ref, { ...tx.get(ref)! }));
      assert.match(await stored(), /^\["=",/);
      assert.deepEqual((await space.get(ref))!, deal!.value);
      await store.close();
    });
  });
