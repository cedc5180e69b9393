import assert from 'node:assert/strict';
import { domainBytes } from '../../../core/protocol/identity/domains.ts';
import { formatAgentId, parseAgentId } from '../../../core/protocol/identity/ids.ts';
import { keyPairOf } from '../../../core/protocol/identity/sign.ts';
import type { TestAgent } from '../../aggregator/support/agent.ts';
import { BriskClock } from '../../support/brisk-clock.ts';
import { findRedis, RedisServer } from '../../support/redis-server.ts';
import { HOSTING_SECRET, PluginAggregator } from '../support/aggregator.ts';

const STORES = findRedis() ? ['lowdb', 'redis'] : ['lowdb'];
const REGISTER = 'POST /hosting/register';

for (const use of STORES)
  describe(`the directory of hosting nodes, on ${use}`, () => {
    let aggregator: PluginAggregator;
    let redis: RedisServer | undefined;
    let host: TestAgent;
    let other: TestAgent;

    before(async () => {
      if (use === 'redis') redis = await RedisServer.start();
      const storage = redis ? { use, url: redis.url } : { use };
      aggregator = await PluginAggregator.start({ storage, settings: { mesh: { allowPrivatePeers: false } } });
      [host, other] = [aggregator.agent('host'), aggregator.agent('other host')];
    });
    after(async () => {
      assert.deepEqual(aggregator.errors, []);
      await aggregator.stop();
      await redis?.stop();
    });

    const listed = () => aggregator.read('/hosting/nodes');
    const beat = (change = {}, by = host) => aggregator.call(REGISTER, aggregator.heartbeat(by, change));
    const refusedAt = async (change: object, pointer: string) => {
      const { status, body } = await beat(change);
      assert.deepEqual([status, body.fields?.[0].pointer], [400, pointer], JSON.stringify(body));
    };

    it('lists nobody before a heartbeat came', async () => assert.deepEqual(await listed(), []));

    it('lists a node by its heartbeat', async () => {
      const { status, body } = await beat();
      assert.deepEqual([status, body.node_id], [200, host.id], JSON.stringify(body));
      const [node, ...rest] = await listed();
      assert.deepEqual(rest, []);
      const { first_seen, last_seen, ...facts } = node;
      assert.deepEqual(facts, {
        node_id: host.id,
        name: 'a host',
        api_url: 'https://93.184.216.34:8443',
        fee_bps: 50,
        uptime_pct: 100,
        hosted_agent_count: 3,
        hosted_count: 3,
        signed_agent_count: 0,
      });
      assert.equal(first_seen, last_seen);
      assert.ok(Math.abs(Date.parse(last_seen) - aggregator.clock.now()) < 5_000);
    });

    it('changes nothing for a wrong secret, a foreign signature, an old time or the same one again', async () => {
      const known = await listed();
      const signed = aggregator.heartbeat(host, { fee_bps: 9 });
      const { authorization: _, ...without } = signed.headers;
      const wrongs: [number, object][] = [
        [401, { ...signed, headers: { ...signed.headers, authorization: 'Bearer another' } }],
        [401, { ...signed, headers: without }],
        [401, aggregator.heartbeat(host, { fee_bps: 9 }, other)],
        [401, { ...signed, body: Buffer.from(signed.body.toString().replace('"fee_bps":9', '"fee_bps":8')) }],
        [400, aggregator.heartbeat(host, { time: Math.floor(aggregator.clock.now() / 1000) - 200 })],
        [400, aggregator.heartbeat(host, { time: Math.floor(aggregator.clock.now() / 1000) + 200 })],
        [409, aggregator.heartbeat(host, { time: Math.floor(Date.parse(known[0].last_seen) / 1000) - 1 })],
      ];
      for (const [status, asked] of wrongs) {
        const answer = await aggregator.call(REGISTER, asked);
        assert.equal(answer.status, status, JSON.stringify(answer.body));
      }
      assert.deepEqual(await listed(), known);
    });

    it('takes the secret in the body', async () => {
      aggregator.clock.shift(2_000);
      const { body, headers } = aggregator.heartbeat(host, { hosting_secret: HOSTING_SECRET, fee_bps: 20 });
      const { authorization: _, ...without } = headers;
      assert.equal((await aggregator.call(REGISTER, { body, headers: without })).status, 200);
      assert.equal((await listed())[0].fee_bps, 20);
      const wrong = aggregator.heartbeat(host, { hosting_secret: `${HOSTING_SECRET}!` });
      assert.equal((await aggregator.call(REGISTER, { body: wrong.body, headers: without })).status, 401);
    });

    it('takes no address that leads into a private network, and no fee above the whole', async () => {
      for (const api_url of [
        'http://127.0.0.1:9090',
        'https://[::1]/',
        'https://[fe80::1]',
        'https://10.0.0.7',
        'https://100.64.0.1',
        'ftp://93.184.216.34',
        'https://user:word@93.184.216.34',
        'not a url',
        'https://93.184.216.34/?token=x',
      ])
        await refusedAt({ api_url }, '/api_url');
      await refusedAt({ fee_bps: 10_001 }, '/fee_bps');
      await refusedAt({ node_id: 'x' }, '/node_id');
    });

    it('takes a node out when more than 120 seconds have passed, and counts what it missed', async () => {
      aggregator.clock.shift(60_000);
      for (const by of [host, other]) assert.equal((await beat({}, by)).status, 200);
      assert.deepEqual((await listed()).map(({ node_id }: any) => node_id).sort(), [other.id, host.id].sort());
      aggregator.clock.shift(110_000);
      assert.equal((await listed()).length, 2);
      assert.equal((await beat({}, other)).status, 200);
      aggregator.clock.shift(15_000);
      assert.deepEqual(
        (await listed()).map(({ node_id }: any) => node_id),
        [other.id],
      );
      aggregator.clock.shift(10 * 60_000);
      assert.deepEqual(await listed(), []);
      assert.equal((await beat()).status, 200);
      const [{ uptime_pct }] = await listed();
      assert.ok(uptime_pct > 15 && uptime_pct < 40, `${uptime_pct}`);
    });

    it('holds the number of agents against what they have signed', async () => {
      const not_after = Math.floor(aggregator.clock.now() / 1000) + 86_400;
      const hosted = [1, 2].map((n) => {
        const { key, sign } = keyPairOf(new Uint8Array(32).fill(n));
        const recovery = aggregator.agent('client');
        const fields = { host_key: parseAgentId(host.id)!, recovery_key: parseAgentId(recovery.id)!, not_after };
        const signature = sign(domainBytes('host/1', host.network.id, fields));
        return {
          agent_id: formatAgentId(key),
          recovery_key: recovery.id,
          not_after,
          signature_b64: Buffer.from(signature).toString('base64'),
        };
      });
      const items = [host.beacon('host', { hosted } as never).whole];
      const { body } = await aggregator.call('POST /ingest/envelopes', { body: { items } });
      assert.equal(body.results[0].status, 'accepted', JSON.stringify(body));
      aggregator.clock.shift(60_000);
      await beat({ hosted_agent_count: 500 });
      const [{ hosted_agent_count, signed_agent_count }] = await listed();
      assert.deepEqual([hosted_agent_count, signed_agent_count], [2, 2]);
    });

    it('pages', async () => {
      aggregator.clock.shift(5_000);
      await beat({}, other);
      assert.equal((await aggregator.read('/hosting/nodes?limit=1')).length, 1);
      assert.equal((await aggregator.read('/hosting/nodes?limit=1&offset=1'))[0].node_id, host.id);
    });

    if (use === 'lowdb')
      it('keeps the directory over a restart', async () => {
        const known = await listed();
        await aggregator.halt();
        await aggregator.begin();
        const again = await listed();
        assert.deepEqual(
          again.map(({ node_id }: any) => node_id),
          known.map(({ node_id }: any) => node_id),
        );
      });
  });

describe('the directory of hosting nodes without a secret', () => {
  it('lists nobody and takes no heartbeat', async () => {
    const aggregator = await PluginAggregator.start({ plugins: { hosting: {} }, clock: new BriskClock() });
    try {
      const host = aggregator.agent('host');
      assert.equal((await aggregator.call(REGISTER, aggregator.heartbeat(host))).status, 401);
      const { body, headers } = aggregator.heartbeat(host, { hosting_secret: 'undefined' });
      const { authorization: _, ...without } = headers;
      assert.equal((await aggregator.call(REGISTER, { body, headers: without })).status, 401);
      assert.deepEqual(await aggregator.read('/hosting/nodes'), []);
    } finally {
      await aggregator.stop();
    }
  });
});
