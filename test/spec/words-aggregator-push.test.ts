import assert from 'node:assert/strict';
import { newConversation, type TestAgent } from '../aggregator/support/agent.ts';
import { PluginAggregator } from '../plugins/support/aggregator.ts';
import { happens } from '../support/happens.ts';
import { startWebhook } from '../upstreams/push/services.ts';
import type { Upstream } from '../upstreams/push/upstream.ts';
import { hasMembers } from './support/words.ts';

describe("push and hosting at the aggregator, in the specification's words", () => {
  let aggregator: PluginAggregator;
  let phone: Upstream;
  let agent: TestAgent;
  let other: TestAgent;
  before(async () => {
    phone = await startWebhook();
    aggregator = await PluginAggregator.start({ plugins: { push: { webhook: { allowHttp: true } } } });
    [agent, other] = [aggregator.agent('mobile'), aggregator.agent('other')];
    await aggregator.introduce(agent, other);
  });
  after(async () => {
    assert.deepEqual(aggregator.errors, []);
    await aggregator.stop();
    phone.stop();
  });

  const sleeping = () => aggregator.read(`/agents/${agent.id}/sleeping`);
  const say = (value: boolean, as = agent) =>
    aggregator.call('POST /push/sleep', { body: { agent_id: agent.id, sleeping: value }, as });

  it('POST /push/register {agent_id, push_token}', async () => {
    const asked = { body: { agent_id: agent.id, push_token: `${phone.url}/wake` } };
    assert.equal((await aggregator.call('POST /push/register', { ...asked, as: agent })).status, 200);
    assert.equal((await aggregator.call('POST /push/register', { ...asked, as: other })).status, 403);
    assert.equal((await aggregator.call('POST /push/register', asked)).status, 401);
  });

  it('POST /push/sleep {agent_id, sleeping} and GET /agents/:agent_id/sleeping: {sleeping}', async () => {
    assert.deepEqual(await sleeping(), { sleeping: false });
    assert.equal((await say(true, other)).status, 403);
    assert.equal((await say(true)).status, 200);
    assert.deepEqual(await sleeping(), { sleeping: true });
  });

  it('while sleeping, inbound messages are held, and a silent push is sent when one arrives', async () => {
    const { whole } = other.sign('MESSAGE', {
      to: agent,
      conversation: newConversation(),
      payload: { text: 'hello' } as never,
    });
    const { status } = await aggregator.call(`POST /agents/${agent.id}/pending`, { body: whole });
    assert.equal(status, 202);
    await happens('the push', async () => (phone.requests.length === 1 ? true : undefined));
    assert.doesNotMatch(phone.requests[0]!.body, /hello|notification|alert/);
  });

  it('GET /agents/:agent_id/pending: the messages, once; the state is unchanged by the drain', async () => {
    const drain = () => aggregator.call(`GET /agents/${agent.id}/pending`, { as: agent });
    const { body } = await drain();
    assert.equal(body.length, 1);
    hasMembers(body[0], { id: 'string', from: [other.id], msg_type: ['MESSAGE'], payload: 'string', ts: 'integer' });
    await happens('it is drained', async () => ((await drain()).body.length === 0 ? true : undefined));
    assert.deepEqual(await sleeping(), { sleeping: true });
    assert.equal((await say(false)).status, 200);
    assert.deepEqual(await sleeping(), { sleeping: false });
  });

  it('POST /hosting/register and GET /hosting/nodes: array of hosting nodes', async () => {
    assert.equal((await aggregator.call('POST /hosting/register', aggregator.heartbeat(other))).status, 200);
    const nodes = await aggregator.read('/hosting/nodes');
    assert.equal(nodes.length, 1);
    hasMembers(nodes[0], {
      node_id: [other.id],
      api_url: 'string',
      fee_bps: 'integer',
      uptime_pct: 'number',
      hosted_agent_count: 'integer',
      last_seen: 'time',
    });
    aggregator.clock.shift(120_001);
    assert.deepEqual(await aggregator.read('/hosting/nodes'), [], 'two heartbeats were missed');
  });
});

describe("blobs at the aggregator, in the specification's words", () => {
  it('POST /blobs: upload (max 10 MiB), returns CID; GET /blobs/:cid: retrieve by content hash', async () => {
    const aggregator = await PluginAggregator.start();
    try {
      const agent = aggregator.agent('uploader');
      await aggregator.introduce(agent);
      const { status, body } = await aggregator.call('POST /blobs', { body: Buffer.from('hello'), as: agent });
      assert.equal(status, 201);
      hasMembers(body, { cid: ['1c8aff950685c2ed4bc3174f3472287b56d9517b9c948127319a09a7a36deac8'] });
      assert.equal((await aggregator.call(`GET /blobs/${body.cid}`)).body, 'hello');
      const large = await aggregator.call('POST /blobs', { body: new Uint8Array(10_485_761), as: agent });
      assert.equal(large.status, 413);
    } finally {
      await aggregator.stop();
    }
  });
});
