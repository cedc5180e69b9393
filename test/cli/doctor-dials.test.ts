import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adapters } from '../../adapters/index.ts';
import { startLocalnet } from '../../adapters/localnet/localnet.ts';
import type { RunningNode } from '../../core/host/boot/boot-node.ts';
import { startNode } from '../../core/host/wiring/composition.ts';
import { silentLog } from '../../core/platform/log.ts';
import { freePort } from '../support/mesh-process.ts';
import { describeRedis, RedisServer } from '../support/redis-server.ts';
import { mesh } from './terminal.ts';

interface Finding {
  readonly state: 'ok' | 'warn' | 'fail';
  readonly name: string;
  readonly text: string;
  readonly remedy?: string;
}

let folder = '';
let config = '';
let port = 0;
const stops: (() => Promise<unknown>)[] = [];

async function prepare(): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), 'mesh-test-'));
  config = join(folder, 'plugins.json');
  port = await freePort();
}

async function clear(): Promise<void> {
  for (const stop of stops.splice(0).reverse()) await stop();
  await rm(folder, { recursive: true, force: true });
}

/** What is found of one thing; the command ends as `code` says. */
async function doctor(settings: object, code: 0 | 1): Promise<(name: string) => Finding[]> {
  const value = { listen: `127.0.0.1:${port}`, dataDir: './data', network: { id: 'here' }, ...settings };
  await writeFile(config, JSON.stringify(value));
  const result = await mesh(['doctor', '--json', '--config', config]);
  const { ok, findings } = JSON.parse(result.out) as { ok: boolean; findings: Finding[] };
  assert.deepEqual([result.code, ok], [code, code === 0], result.out);
  return (name) => findings.filter((finding) => finding.name === name);
}

async function start(profile: 'node' | 'aggregator', settings: object = {}): Promise<RunningNode> {
  const value = {
    ...{ profile, listen: '127.0.0.1:0', dataDir: join(folder, profile), network: { id: 'here' } },
    ...{ storage: { use: 'memory' }, ...settings },
  };
  const node = await startNode({ parts: { adapters, plugins: {} }, log: silentLog, grace: 500, config: { value } });
  stops.push(() => node.stop());
  return node;
}

/** An HTTP server whose clock is wrong by so many seconds. */
async function withClock(ahead: number): Promise<string> {
  const server: Server = createServer((_, response) => {
    response.setHeader('date', new Date(Date.now() + ahead * 1_000).toUTCString());
    response.end(JSON.stringify({ network_id: 'here', envelope_version: 2, epoch_secs: 86_400, version: '9.9.0' }));
  });
  const at = await freePort();
  await new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve));
  stops.push(() => new Promise((resolve) => server.close(resolve)));
  return `http://127.0.0.1:${at}`;
}

describe('mesh doctor dials what is configured', function () {
  this.timeout(120_000);
  beforeEach(prepare);
  afterEach(clear);

  it('an aggregator: it answers, shakes hands as a hub, is of the same network and version, and tells the time', async () => {
    const { url } = await start('aggregator');
    const found = await doctor({ mesh: { aggregators: [url] } }, 0);
    assert.deepEqual(
      ['aggregator', 'version', 'hub', 'clock'].flatMap((name) => found(name).map(({ state }) => state)),
      ['ok', 'ok', 'ok', 'ok'],
    );
    assert.equal(found('aggregator')[0]!.text, `${url} answers, network here`);
  });

  it('an aggregator that is away, once, also where the running node says so', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const found = await doctor({ mesh: { aggregators: [url] } }, 1);
    const [away] = found('aggregator');
    assert.equal(away!.state, 'fail');
    assert.match(away!.text, new RegExp(`^${url} is away: .*ECONNREFUSED`));
    assert.match(away!.remedy!, /--aggregator-url/);
    assert.equal(found('clock')[0]!.state, 'warn');
    await start('node', { listen: `127.0.0.1:${port}`, mesh: { aggregators: [url] } });
    const beside = await doctor({ mesh: { aggregators: [url] } }, 1);
    for (const told of [found, beside]) {
      const naming = ['aggregator', 'hub', 'running'].flatMap(told).filter(({ text }) => text.includes(url.slice(7)));
      assert.deepEqual(
        naming.map(({ name }) => name),
        ['aggregator'],
      );
    }
  });

  it('an aggregator of another network, by both names', async () => {
    const { url } = await start('aggregator', { network: { id: 'there' } });
    const found = await doctor({ mesh: { aggregators: [url] } }, 1);
    const [other] = found('aggregator');
    assert.equal(other!.text, `${url} is of the network "there", this node of "here"`);
    assert.match(other!.remedy!, /--network-id\) "there"/);
    assert.equal(found('hub')[0]!.state, 'fail');
  });

  it('a hub, alive and dead', async () => {
    const { url } = await start('node', { mesh: { relayServer: true } });
    const gone = `http://127.0.0.1:${await freePort()}`;
    const found = await doctor({ mesh: { hubs: [url, gone] } }, 1);
    assert.deepEqual(
      found('hub').map(({ state }) => state),
      ['ok', 'fail'],
    );
    assert.match(found('hub')[1]!.text, /is not reached/);
  });

  it('has a hub dial the public URL, and says when none reaches it or none could', async () => {
    const { url } = await start('aggregator');
    const aggregators = [url];
    const right = await doctor({ mesh: { aggregators }, api: { publicUrl: `http://127.0.0.1:${port}` } }, 0);
    assert.deepEqual(right('public url'), [
      { state: 'ok', name: 'public url', text: `a hub reached http://127.0.0.1:${port} from outside` },
    ]);
    const publicUrl = `http://127.0.0.1:${await freePort()}`;
    const [wrong] = (await doctor({ mesh: { aggregators }, api: { publicUrl } }, 1))('public url');
    assert.equal(wrong!.text, `no hub reaches ${publicUrl} from outside`);
    assert.match(wrong!.remedy!, /port forwarding/);
    const [nobody] = (await doctor({ api: { publicUrl } }, 0))('public url');
    assert.deepEqual([nobody!.state, /no hub is configured that could dial it/.test(nobody!.text)], ['warn', true]);
  });

  it('a clock that is wrong, against whoever tells the time, and another version', async () => {
    const far = await doctor({ mesh: { aggregators: [await withClock(120)] } }, 1);
    assert.equal(far('clock')[0]!.state, 'fail');
    assert.match(far('clock')[0]!.text, /the clock of this machine is 1(19|20) s behind that of 127\.0\.0\.1/);
    assert.match(far('version')[0]!.text, /runs 9\.9\.0, this is/);
    assert.equal(far('version')[0]!.state, 'warn');
    const near = await doctor({ mesh: { aggregators: [await withClock(-12)] } }, 1);
    assert.equal(near('clock')[0]!.state, 'warn');
    assert.match(near('clock')[0]!.text, /1[12] s ahead of/);
  });

  it('the wallet behind an RPC, empty and not', async () => {
    const net = await startLocalnet({ log: silentLog });
    stops.push(() => net.stop());
    const node = await start('node', { dataDir: join(folder, 'data') });
    const { agent_id } = (await (await fetch(`${node.url}/identity`)).json()) as { agent_id: string };
    await stops.pop()!();
    const ledger = { rpcUrl: net.url };
    const [empty] = (await doctor({ ledger }, 0))('wallet');
    assert.deepEqual([empty!.state, empty!.text], ['warn', `${agent_id} holds 0 SOL for fees`]);
    assert.match(empty!.remedy!, /send it some SOL/);
    await net.faucet.sol(agent_id, 2_000_000_000n);
    const found = await doctor({ ledger }, 0);
    assert.deepEqual([found('wallet')[0]!.state, found('clock')[0]!.state], ['ok', 'ok']);
    assert.equal(found('wallet')[0]!.text, `${agent_id} holds 2 SOL for fees`);
  });

  it('the running node, which says how it is', async () => {
    const gone = `http://127.0.0.1:${await freePort()}`;
    await start('node', { listen: `127.0.0.1:${port}`, mesh: { aggregators: [gone] } });
    let found = await doctor({}, 0);
    assert.match(found('port')[0]!.text, /is taken by a node that runs there/);
    found = await doctor({}, 0);
    const [told] = found('running').filter(({ text }) => text.startsWith('aggregators: '));
    assert.deepEqual([told!.state, told!.text.includes(gone)], ['warn', true]);
  });
});

describeRedis('mesh doctor dials a Redis', function () {
  this.timeout(120_000);
  let redis: RedisServer;
  beforeEach(async () => {
    await prepare();
    redis = await RedisServer.start();
  });
  afterEach(async () => {
    await redis.stop();
    await clear();
  });

  it('and says what it promises, or that it is dead', async () => {
    const storage = { use: 'redis', url: redis.url, prefix: 'doctor' };
    const [well] = (await doctor({ storage }, 0))('store');
    assert.deepEqual([well!.state, well!.text], ['ok', `Redis at 127.0.0.1:${redis.port} answers, durability strict`]);
    assert.equal(await redis.tell('DBSIZE'), 0);
    await redis.kill('SIGKILL');
    const [dead] = (await doctor({ storage }, 1))('store');
    assert.equal(dead!.state, 'fail');
    assert.match(dead!.text, /^Redis at 127\.0\.0\.1:\d+ cannot be reached: .*; see that it runs/);
  });
});
