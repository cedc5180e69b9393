import assert from 'node:assert/strict';
import { PluginAggregator } from '../plugins/support/aggregator.ts';
import { watch } from '../support/sockets.ts';
import { hasMembers } from './support/words.ts';

const SECRET = 'an-operator-secret-of-the-specification';

/** The specification's rows of campaigns; the secret is the one that the operator configures. */
describe("campaigns at the aggregator, in the specification's words", function () {
  this.timeout(60_000);
  let aggregator: PluginAggregator;
  before(async () => {
    aggregator = await PluginAggregator.start({ plugins: { campaigns: { operatorSecret: SECRET } } });
  });
  after(async () => {
    assert.deepEqual(aggregator.errors, []);
    await aggregator.stop();
  });

  it('POST /campaigns: Create campaign; requires `operator_secret`; WS /ws/campaigns: Campaign event broadcast', async () => {
    const told = watch(`${aggregator.url}/ws/campaigns`);
    await new Promise((open) => told.socket.once('open', open));
    const expires_at = Math.floor(aggregator.clock.now() / 1_000) + 3_600;
    const body = { data_type: 'audio', payout_usdc_micro: 50_000, expires_at };
    assert.equal((await aggregator.call('POST /campaigns', { body })).status, 401);
    const headers = { authorization: `Bearer ${SECRET}` };
    const made = await aggregator.call('POST /campaigns', { body, headers });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    await told.until(1);
    told.socket.close();
    await told.closed;
    hasMembers(told.frames[0], { event: ['created'], campaign: 'object' });
    assert.equal(told.frames[0].campaign.id, made.body.id);
  });

  it('GET /campaigns: List active campaigns, and GET /campaigns/:id: Campaign details', async () => {
    const active = await aggregator.read('/campaigns');
    assert.equal(active.length, 1);
    hasMembers(active[0], { id: 'string', data_type: ['audio'], payout_usdc_micro: [50_000], active: [true] });
    assert.deepEqual(await aggregator.read(`/campaigns/${active[0].id}`), active[0]);
    aggregator.clock.shift(3_601_000);
    assert.deepEqual(await aggregator.read('/campaigns'), []);
  });

  it('are feature-gated: an aggregator without them has no such path', async () => {
    const plain = await PluginAggregator.start({ plugins: { campaigns: false } });
    try {
      assert.equal((await plain.call('GET /campaigns')).status, 404);
    } finally {
      await plain.stop();
    }
  });
});
