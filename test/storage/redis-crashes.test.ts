import assert from 'node:assert/strict';
import { cp, mkdtemp, readdir, rm, stat, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { redisStorage } from '../../adapters/storage-redis/index.ts';
import { type Log, silentLog } from '../../core/platform/log.ts';
import { systemClock } from '../../core/platform/system-clock.ts';
import type { StorageAdapter } from '../../core/storage/adapter.ts';
import { happens } from '../support/happens.ts';
import { describeRedis, RedisServer } from '../support/redis-server.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { Dice, roundsOf } from './dice.ts';

const EVERY_SECOND = ['--appendonly', 'yes', '--appendfsync', 'everysec', '--save', ''];
const ALWAYS = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', ''];
const ROUNDS = roundsOf(12);

/** Everything that a store ever gave, so that nothing is given twice. */
class Given {
  readonly ids = new Map<number, string>();
  readonly versions = new Map<number, string>();
  acknowledged = 0;

  take(by: string, [id]: readonly number[], version: number): void {
    assert.equal(this.ids.get(id!), undefined, `id ${id} of ${by} was given before`);
    assert.equal(this.versions.get(version), undefined, `version ${version} of ${by} was given before`);
    this.ids.set(id!, by);
    this.versions.set(version, by);
    this.acknowledged++;
  }
}

/** One record, a document of its own and a counter: all three or none. */
async function put(adapter: StorageAdapter, by: string, given: Given): Promise<void> {
  const result = await adapter.commit({
    checks: [],
    effects: [
      { kind: 'append', log: 'events', value: by, postings: ['all'] },
      { kind: 'put', collection: 'by', id: by, value: by, entries: [] },
      { kind: 'add', counter: 'events', amount: 1n },
    ],
  });
  assert.ok(result.ok);
  given.take(by, result.ids, result.version);
}

/** Checks that the store is made of whole commits; gives what of all that was ever given it still holds. */
async function held(adapter: StorageAdapter, given: Given): Promise<number> {
  const rows = [];
  for (let page = await adapter.page({ log: 'events', after: 0, limit: 1_000 }); page.length > 0; ) {
    rows.push(...page);
    page = await adapter.page({ log: 'events', after: page.at(-1)!.id, limit: 1_000 });
  }
  assert.equal(new Set(rows.map(({ value }) => value)).size, rows.length);
  assert.equal((await adapter.counters(['events']))[0], BigInt(rows.length));
  assert.equal(await adapter.count('by'), rows.length);
  const refs = rows.map(({ value }) => ({ collection: 'by', id: value }));
  for (let at = 0; at < refs.length; at += 500) {
    for (const row of await adapter.read(refs.slice(at, at + 500))) assert.ok(row);
  }
  for (const { id, value } of rows) assert.ok((given.ids.get(id) ?? value) === value, `record ${id} is another one`);
  return rows.filter(({ id }) => given.ids.has(id)).length;
}

describeRedis('a Redis that crashes and loses what it acknowledged', function () {
  this.timeout(240_000);
  const open: StorageAdapter[] = [];
  const servers: RedisServer[] = [];
  afterEach(async () => {
    for (const adapter of open.splice(0)) await adapter.close();
    for (const server of servers.splice(0)) await server.stop();
  });

  async function start(settings: readonly string[]): Promise<RedisServer> {
    const server = await RedisServer.start(settings);
    servers.push(server);
    return server;
  }

  async function opened(url: string, log: Log = silentLog): Promise<StorageAdapter> {
    const adapter = redisStorage({ url, prefix: 'mesh', commandTimeout: 1_000, log });
    await adapter.open();
    open.push(adapter);
    return adapter;
  }

  it('gives no id and no version twice after two crashes within what everysec loses', async () => {
    const server = await start(EVERY_SECOND);
    const given = new Given();
    await put(await opened(server.url), 'kept', given);
    await systemClock.sleep(1_500);
    const backup = await mkdtemp(join(tmpdir(), 'mesh-redis-backup-'));
    try {
      await cp(server.dir, backup, { recursive: true });
      for (let crash = 0; crash < 4; crash++) {
        // Processes die with the server: what they were given is known to nobody any more.
        for (const adapter of open.splice(0)) await adapter.close();
        const adapter = await opened(server.url);
        for (let n = 0; n < 5; n++) await put(adapter, `${crash}.${n}`, given);
        await server.kill('SIGKILL');
        await rm(server.dir, { recursive: true });
        await cp(backup, server.dir, { recursive: true });
        await server.begin();
      }
      const ids = [...given.ids.keys()];
      assert.deepEqual(
        ids,
        [...ids].sort((a, b) => a - b),
      );
      assert.ok(ids.every(Number.isSafeInteger));
      assert.equal(await held(await opened(server.url), given), 1);
    } finally {
      await rm(backup, { recursive: true });
    }
  });

  for (const [name, settings] of [
    ['everysec', EVERY_SECOND],
    ['always', ALWAYS],
  ] as const) {
    it(`under ${name}, killed and its log cut at a random byte, holds whole commits and gives nothing twice`, async () => {
      const server = await start(settings);
      const given = new Given();
      const errors: string[] = [];
      const log: Log = { ...silentLog, error: (_, text) => void errors.push(text ?? ''), child: () => log };
      // One process lives on through all of it, another one begins anew each time.
      const lasting = await opened(server.url, log);
      const admin = new Redis(server.url);
      admin.on('error', () => {});
      let lost = 0;
      let cuts = 0;
      for (let round = 0; round < ROUNDS; round++) {
        const dice = new Dice(round);
        const passing = redisStorage({ url: server.url, prefix: 'mesh', commandTimeout: 1_000 });
        await passing.open();
        for (let n = 0; n < 20 + dice.below(60); n++) {
          await put(dice.chance(0.5) ? lasting : passing, `${round}.${n}`, given);
        }
        // So that the one that stays knows what was given last.
        await put(lasting, `${round}.last`, given);
        const before = await held(lasting, given);
        await passing.close();
        await server.kill('SIGKILL');
        const folder = join(server.dir, 'appendonlydir');
        const newest = (await readdir(folder))
          .filter((file) => file.endsWith('.incr.aof'))
          .sort()
          .at(-1)!;
        const { size } = await stat(join(folder, newest));
        const cut = dice.chance(0.8) ? dice.below(Math.min(size, 4_000)) : 0;
        await truncate(join(folder, newest), size - cut);
        if (cut > 0) cuts++;
        await server.begin();
        const after = await happens('it is there again', () => held(lasting, given).catch(unlessAssertion));
        // Half of a commit that was cut lies in the log until Redis has written a new one, which it was told to.
        await happens(
          'a new log',
          async () => /aof_rewrite_in_progress:0/.test(await admin.info('persistence')) || undefined,
        );
        lost += before - after;
        // Under everysec, a busy disk keeps Redis from handing its log to the kernel, for up to two seconds.
        if (name === 'always') assert.ok(cut > 0 || before === after, `round ${round}: ${after} of ${before}`);
      }
      admin.disconnect();
      assert.ok(lost > ROUNDS && cuts > ROUNDS / 2, `${lost} commits lost in ${cuts} cuts`);
      assert.ok(errors.filter((text) => /came back without commits that it had acknowledged/.test(text)).length > 0);
      if (process.env['MESH_TEST_ROUNDS']) {
        process.stdout.write(
          `${name}: ${ROUNDS} kills, ${cuts} cuts, ${given.acknowledged} acknowledged, ${lost} lost\n`,
        );
      }
    });
  }

  it('names half of a commit that a cut log brought back, where it may not have a new log written', async () => {
    const server = await start(ALWAYS);
    const root = new Redis(server.url);
    root.on('error', () => {});
    const named: string[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      await root.flushall();
      await root.acl('SETUSER', 'mesh', 'on', '>pw', '~*', '+@all', '-bgrewriteaof');
      await root.bgrewriteaof();
      await happens(
        'a new log',
        async () => /aof_rewrite_in_progress:0/.test(await root.info('persistence')) || undefined,
      );
      const url = `redis://mesh:pw@127.0.0.1:${server.port}`;
      const given = new Given();
      let adapter = await opened(url);
      for (let n = 0; n < 10; n++) await put(adapter, `${round}.${n}`, given);
      await adapter.close();
      for (const cut of [1 + new Dice(round).below(900), 0]) {
        await server.kill('SIGKILL');
        const folder = join(server.dir, 'appendonlydir');
        const newest = (await readdir(folder))
          .filter((file) => file.endsWith('.incr.aof'))
          .sort()
          .at(-1)!;
        await truncate(join(folder, newest), (await stat(join(folder, newest))).size - cut);
        await server.begin();
        await root.ping();
        await root.acl('SETUSER', 'mesh', 'on', '>pw', '~*', '+@all', '-bgrewriteaof');
        if (cut === 0) break;
        adapter = await opened(url);
        await put(adapter, `${round}.after`, new Given());
        await held(adapter, new Given());
        await adapter.close();
      }
      const last = redisStorage({ url, prefix: 'mesh', commandTimeout: 1_000 });
      await last.open().then(
        // The cut fell between two commits.
        () => held(last, new Given()),
        (error) => {
          assert.equal(error.fault, 'corrupt', String(error));
          assert.match(error.message, /holds half of a commit: its append-only file was cut.*mesh restore --in-place$/);
          named.push(error.message);
        },
      );
      await last.close();
    }
    root.disconnect();
    assert.ok(named.length > ROUNDS / 2, `${named.length} named`);
  });

  it('replaced by its replica under load, goes on with whole commits and gives nothing twice', async () => {
    const given = new Given();
    let primary = await start(ALWAYS);
    const proxy = await TcpProxy.to(primary.port);
    const adapter = await opened(proxy.url);
    let lost = 0;
    let refused = 0;
    try {
      for (let round = 0; round < Math.ceil(ROUNDS / 2); round++) {
        const replica = await start(ALWAYS);
        const admin = new Redis(replica.url);
        const source = new Redis(primary.url);
        await source.config('SET', 'repl-diskless-sync-delay', '0');
        source.disconnect();
        await admin.replicaof('127.0.0.1', primary.port);
        await happens('it follows', async () => /link_status:up/.test(await admin.info('replication')) || undefined);
        let stopping = false;
        const writers = Array.from({ length: 4 }, async (_, writer) => {
          for (let n = 0; !stopping; n++) {
            await put(adapter, `${round}.${writer}.${n}`, given).catch((error) => {
              unlessAssertion(error);
              refused++;
            });
          }
        });
        await systemClock.sleep(150);
        await primary.kill('SIGKILL');
        await admin.replicaof('NO', 'ONE');
        proxy.target = replica.port;
        proxy.cut();
        admin.disconnect();
        const { acknowledged } = given;
        await happens('it goes on', async () => given.acknowledged > acknowledged + 10 || undefined);
        stopping = true;
        await Promise.all(writers);
        lost = given.acknowledged - (await held(adapter, given));
        primary = replica;
      }
    } finally {
      await adapter.close();
      await proxy.close();
    }
    assert.ok(refused > 0);
    if (process.env['MESH_TEST_ROUNDS']) {
      process.stdout.write(`failover: ${given.acknowledged} acknowledged, ${lost} lost, ${refused} refused\n`);
    }
  });
});

function unlessAssertion(error: unknown): undefined {
  if (error instanceof assert.AssertionError) throw error;
}
