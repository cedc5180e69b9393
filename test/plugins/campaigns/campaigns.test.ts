import assert from 'node:assert/strict';
import { pluginContract } from '../../../adapters/testing.ts';
import { campaignsPlugin } from '../../../plugins/campaigns/index.ts';
import { findRedis, RedisServer } from '../../support/redis-server.ts';
import { watch } from '../../support/sockets.ts';
import { PluginAggregator } from '../support/aggregator.ts';

const SECRET = 'an-operator-secret-of-tests';
const HOUR = 3_600;

for (const kind of ['lowdb', 'redis'] as const) {
  describe(`campaigns, on ${kind}`, function () {
    this.timeout(60_000);
    let redis: RedisServer | undefined;
    let at: PluginAggregator;
    before(async function () {
      if (kind === 'redis' && findRedis() === undefined) return this.skip();
      redis = kind === 'redis' ? await RedisServer.start() : undefined;
      const storage = redis ? { use: 'redis', url: `redis://127.0.0.1:${redis.port}` } : { use: 'lowdb' };
      at = await PluginAggregator.start({ storage, plugins: { campaigns: { operatorSecret: SECRET } } });
    });
    after(async () => {
      await at?.stop();
      await redis?.stop();
    });

    const soon = () => Math.floor(at.clock.now() / 1_000) + HOUR;
    const make = (more: object = {}, headers: Record<string, string> = { authorization: `Bearer ${SECRET}` }) =>
      at.call('POST /campaigns', {
        body: { data_type: 'audio', payout_usdc_micro: 50_000, expires_at: soon(), ...more },
        headers,
      });
    const ids = async (query = '') => (await at.call(`GET /campaigns${query}`)).body.map(({ id }: any) => id);

    it('are announced by the operator alone', async () => {
      assert.equal((await make({}, {})).status, 401);
      assert.equal((await make({}, { authorization: 'Bearer an-operator-secret-of-tesst' })).status, 401);
      const { status, body } = await make({ title: 'Streets', collection_params: { seconds: 10 } });
      assert.equal(status, 201, JSON.stringify(body));
      assert.match(body.id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      assert.deepEqual(
        [
          body.title,
          body.collection_params,
          body.privacy_level,
          body.max_samples_per_node,
          body.data_retention_days,
          body.active,
        ],
        ['Streets', '{"seconds":10}', 'anonymized', 10, 30, true],
      );
      assert.deepEqual((await at.call(`GET /campaigns/${body.id}`)).body, body);
      assert.equal((await at.call('GET /campaigns/unknown')).body.fields[0].pointer, '/id');
      const other = body.id.replace(/^./, (digit: string) => (digit === '0' ? '1' : '0'));
      assert.equal((await at.call(`GET /campaigns/${other}`)).status, 404);
    });

    it('are refused with their field', async () => {
      const deep = Array.from({ length: 11 }).reduce<unknown>((inner) => [inner], 1);
      for (const [more, pointer] of [
        [{ data_type: 'smell' }, '/data_type'],
        [{ expires_at: 1_600_000_000 }, '/expires_at'],
        [{ payout_usdc_micro: 0 }, '/payout_usdc_micro'],
        [{ title: 'x'.repeat(129) }, '/title'],
        [{ privacy_level: 'none' }, '/privacy_level'],
        [{ collection_params: 'x'.repeat(4_097) }, '/collection_params'],
        [{ collection_params: deep }, '/collection_params'],
      ] as const) {
        const { status, body } = await make(more);
        assert.equal(status, 400, JSON.stringify([more, body]));
        assert.equal(body.fields[0].pointer, pointer);
      }
    });

    it('are announced once for a repeated call, and told once', async () => {
      const told = watch(`${at.url}/ws/campaigns?since=0`);
      await told.until(1);
      const headers = { authorization: `Bearer ${SECRET}`, 'idempotency-key': 'once' };
      const expires_at = soon();
      const [one, two] = [await make({ expires_at }, headers), await make({ expires_at }, headers)];
      assert.equal(one.body.id, two.body.id);
      const third = await make();
      await told.until(3);
      assert.deepEqual(
        told.frames.slice(1).map(({ event, campaign }) => [event, campaign.id]),
        [
          ['created', one.body.id],
          ['created', third.body.id],
        ],
      );
      const resumed = watch(`${at.url}/ws/campaigns?since=${told.frames[1].id}`);
      await resumed.until(1);
      assert.equal(resumed.frames[0].campaign.id, third.body.id);
      for (const { socket, closed } of [told, resumed]) {
        socket.close();
        await closed;
      }
    });

    it('end, and stay readable', async () => {
      const { body } = await make({ expires_at: Math.floor(at.clock.now() / 1_000) + 60 });
      assert.ok((await ids()).includes(body.id));
      at.clock.shift(61_000);
      assert.ok(!(await ids()).includes(body.id));
      assert.ok((await ids('?include_expired=true&limit=200')).includes(body.id));
      assert.equal((await at.call(`GET /campaigns/${body.id}`)).body.active, false);
      const all = await ids('?include_expired=true');
      assert.deepEqual(
        [...(await ids('?include_expired=true&limit=1')), ...(await ids('?include_expired=true&limit=1&offset=1'))],
        all.slice(0, 2),
      );
    });
  });
}

pluginContract(
  campaignsPlugin,
  { config: { operatorSecret: SECRET }, tokens: { 'operator-secret': SECRET } },
  { describe, it },
);
