import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { Redis } from 'ioredis';
import { adapters } from '../../adapters/index.ts';
import { redisStorage } from '../../adapters/storage-redis/index.ts';
import { silentLog } from '../../core/platform/log.ts';
import { systemClock } from '../../core/platform/system-clock.ts';
import type { Guarantees, StorageAdapter } from '../../core/storage/adapter.ts';
import { describeRedis, RedisServer } from '../support/redis-server.ts';
import { fault } from './redis-store.ts';

const SETTINGS: readonly [string, string[], Guarantees['durability'], RegExp][] = [
  ['every write on the disk', ['--appendonly', 'yes', '--appendfsync', 'always'], 'strict', /^$/],
  ['a write a second', ['--appendonly', 'yes', '--appendfsync', 'everysec'], 'relaxed', /"appendfsync always"/],
  [
    'no fsync during rewrites',
    ['--appendonly', 'yes', '--appendfsync', 'always', '--no-appendfsync-on-rewrite', 'yes'],
    'relaxed',
    /"no-appendfsync-on-rewrite no"/,
  ],
  ['snapshots', ['--save', '60 1'], 'relaxed', /"appendonly yes"/],
  ['nothing on the disk', ['--save', ''], 'none', /"appendonly yes"/],
];

describe('where a Redis store is', () => {
  it('is told by a URL and a prefix, and nothing else will do', () => {
    for (const url of ['', 'localhost', 'http://localhost', 'redis://', 'redis://host/name', 'redis://u:secret@/0']) {
      assert.throws(
        () => redisStorage({ url, prefix: 'mesh' }),
        (error) => {
          return error instanceof TypeError && !error.message.includes('secret');
        },
      );
    }
    for (const prefix of ['', 'a b', '{a}', 'a*', 'x'.repeat(65)]) {
      assert.throws(() => redisStorage({ url: 'redis://127.0.0.1', prefix }), TypeError);
    }
  });

  it('is not guessed when a setting is misspelt', async () => {
    const settings = { url: 'redis://127.0.0.1', perfix: 'mine' };
    await assert.rejects(
      async () => adapters.storage['redis']!({ settings, folder: '', clock: systemClock, log: silentLog }),
      /storage redis knows url and prefix, not perfix/,
    );
  });

  it('is said, without its password, when nobody answers there', async () => {
    const adapter = redisStorage({ url: 'redis://user:secret@127.0.0.1:1', prefix: 'mesh', openTimeout: 100 });
    await assert.rejects(adapter.open(), (error: Error) => {
      assert.match(error.message, /^Redis at 127\.0\.0\.1:1 cannot be reached: .*ECONNREFUSED.*; see that it runs/);
      assert.ok(!error.message.includes('secret'));
      return fault('unavailable')(error);
    });
  });
});

/** What a server may answer to everything, and what has to be done then. */
const REFUSALS: readonly [reply: string, advice: RegExp][] = [
  ['-NOAUTH Authentication required.', /wants a password; give .*redis:\/\/user:password@host:port/],
  ['-WRONGPASS invalid username-password pair', /refuses the user name or password.*; give .*user:password@/],
  ['-DENIED Redis is running in protected mode', /protected mode.* Give it a password/],
  ['-NOPERM this user has no permissions', /; let it: ACL SETUSER/],
  ['-CLUSTERDOWN Hash slot not served', /--cluster fix/],
  ['-MOVED 1 10.0.0.1:6379', /give the address of the one that holds its prefix/],
  ['-READONLY You can’t write', /give the address of its primary/],
  ['-MISCONF Errors writing to the AOF file', /its own log says why/],
  ['SSH-2.0-OpenSSH_9.6', /see that a Redis listens there, and whether it speaks TLS.*rediss:/],
];

describe('a Redis that cannot be used', () => {
  let server: Server;
  let reply: string;
  const sockets = new Set<Socket>();
  beforeEach(async () => {
    server = createServer((socket) => {
      sockets.add(socket.on('error', () => {}));
      socket.on('data', (data) => {
        const commands = data.toString().split(/^\*/m).length - 1;
        socket.write(`${reply}\r\n`.repeat(Math.max(1, commands)));
      });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  async function refusal(url: string): Promise<string> {
    const adapter = redisStorage({ url, prefix: 'mesh', commandTimeout: 400, openTimeout: 400 });
    const error = await adapter.open().catch((problem) => problem);
    assert.equal(error?.fault, 'unavailable', String(error));
    return error.message;
  }

  const place = () => `127.0.0.1:${(server.address() as AddressInfo).port}`;

  for (const [answer, advice] of REFUSALS) {
    it(`says what to do when it answers ${answer.slice(0, 12)}`, async () => {
      reply = answer;
      const said = await refusal(`redis://user:secret@${place()}`);
      assert.match(said, advice);
      assert.ok(!said.includes('secret'));
    });
  }

  it('says what to do when it speaks no TLS, or has no name', async () => {
    reply = '-ERR';
    assert.match(await refusal(`rediss://${place()}`), /and that it speaks TLS: without, the URL begins with redis:/);
    assert.match(await refusal('redis://nowhere.invalid'), /see that the host of the URL is spelt right/);
  });
});

describeRedis('opening a Redis store', () => {
  let server: RedisServer;
  const opened: StorageAdapter[] = [];

  afterEach(async () => {
    for (const adapter of opened.splice(0)) await adapter.close();
    await server.stop();
  });

  async function open(url: string): Promise<StorageAdapter> {
    const adapter = redisStorage({ url, prefix: 'mesh' });
    await adapter.open();
    opened.push(adapter);
    return adapter;
  }

  for (const [name, settings, durability, warning] of SETTINGS) {
    it(`says what is kept: ${name}`, async () => {
      server = await RedisServer.start(settings);
      const { guarantees } = await open(server.url);
      assert.equal(guarantees.durability, durability);
      assert.match(guarantees.warnings.join(), warning);
      assert.equal(guarantees.processes, 'many');
    });
  }

  it('says it again when the server comes back with other settings', async () => {
    server = await RedisServer.start();
    const adapter = await open(server.url);
    await server.kill('SIGTERM');
    await server.begin({ settings: ['--appendonly', 'yes', '--appendfsync', 'no'] });
    await adapter.counters(['a']);
    assert.equal(adapter.guarantees.durability, 'relaxed');
  });

  it('takes user and password from the URL, refuses wrong ones at once', async () => {
    server = await RedisServer.start(['--requirepass', 'a/b:c@d', '--appendonly', 'yes', '--appendfsync', 'always']);
    const at = `127.0.0.1:${server.port}`;
    const adapter = await open(`redis://:${encodeURIComponent('a/b:c@d')}@${at}/3`);
    assert.equal(adapter.guarantees.durability, 'strict');
    for (const [url, said] of [
      [`redis://${at}`, /wants a password/],
      [`redis://:wrong@${at}`, /user name or password/],
    ] as const) {
      const started = performance.now();
      await assert.rejects(open(url), said);
      assert.ok(performance.now() - started < 1_500);
    }
  });

  it('works for a user who may not ask for settings, and says that it does not know them', async () => {
    server = await RedisServer.start();
    const admin = new Redis(server.url);
    await admin.acl('SETUSER', 'mesh', 'on', '>pw', '~{mesh}*', '+@all', '-@admin', '-@dangerous', '-client');
    admin.disconnect();
    const adapter = await open(`redis://mesh:pw@127.0.0.1:${server.port}`);
    assert.equal(adapter.guarantees.durability, 'relaxed');
    assert.match(adapter.guarantees.warnings.join(), /INFO/);
    const changed = adapter.changed('events', 0, new AbortController().signal);
    await adapter.commit({ checks: [], effects: [{ kind: 'append', log: 'events', value: '1', postings: [] }] });
    await changed;
  });

  it('expires by the clock of the server, whatever the time is here, and says when they differ (F10)', async () => {
    server = await RedisServer.start();
    const adapter = await open(server.url);
    const admin = new Redis(server.url);
    const [seconds] = await admin.time();
    admin.disconnect();
    const real = Date.now;
    try {
      for (const jump of [-3_600_000, 3_600_000]) {
        Date.now = () => real() + jump;
        const [warning] = (await open(server.url)).guarantees.warnings;
        assert.match(warning ?? '', new RegExp(`clock here is ${jump < 0 ? '-' : ''}(3599|3600|3601) s`));
        const expires = Number(seconds) * 1_000 + 60_000;
        await adapter.commit({
          checks: [],
          effects: [{ kind: 'put', collection: 'a', id: `${jump}`, value: '1', entries: [], expires }],
        });
        assert.ok((await adapter.read([{ collection: 'a', id: `${jump}` }]))[0]);
      }
    } finally {
      Date.now = real;
    }
    assert.equal(await adapter.count('a'), 2);
  });
});
