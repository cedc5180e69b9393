import assert from 'node:assert/strict';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { VERSION } from '../../core/platform/version.ts';
import { signDeal, TestAgent } from '../aggregator/support/agent.ts';
import { bootAggregator, type TestAggregator } from '../aggregator/support/aggregator.ts';
import { hasMembers, lacks } from './support/words.ts';

/**
 * The rows of the specification's tables of the aggregator, asked for in its own words and judged by what it says of the
 * answers, not by our document.
 */
describe("the aggregator, in the specification's words", () => {
  const [requester, provider, quiet] = ['requester', 'provider', 'quiet'].map(
    (name) => new TestAgent(`words ${name}`),
  ) as [TestAgent, TestAgent, TestAgent];
  let aggregator: TestAggregator;
  let conversation: string;

  before(async () => {
    aggregator = await bootAggregator();
    await aggregator.ingest(
      requester.beacon('my-requester').whole,
      provider.beacon('my-provider', { url: 'wss://provider.example/mesh' }).whole,
      provider.sign('ADVERTISE', {
        payload: { capabilities: ['translate'], geo: { country: 'NG', city: 'Lagos' } },
      }).whole,
      quiet.beacon('quiet').whole,
    );
    const deal = signDeal(requester, provider);
    conversation = deal.conversation;
    await aggregator.ingest(deal.propose.receipt, deal.accept.receipt, deal.deliver.receipt);
    await aggregator.ingest(
      requester.sign('DISPUTE', { to: provider, conversation, payload: { reason: 'late' } }).whole,
      requester.feedback(provider, conversation, 80).whole,
    );
    await aggregator.scored(`/reputation/${provider.id}`, ({ score }: any) => score > 0);
  });
  after(async () => {
    assert.deepEqual(aggregator.errors, []);
    await aggregator.stop();
  });

  it('GET /health: Service health', async () => {
    assert.equal((await aggregator.read('/health')).status, 'ok');
  });

  it('GET /version: Current SDK/node version', async () => {
    const { sdk, node } = await aggregator.read('/version');
    assert.deepEqual([sdk, node], [VERSION, VERSION]);
  });

  it('GET /agents: country (two-letter), limit, offset; sort by reputation or recent', async () => {
    const all = await aggregator.read('/agents?limit=50&offset=0&sort=reputation');
    assert.deepEqual(new Set(all.map(({ name }: any) => name)), new Set(['my-requester', 'my-provider', 'quiet']));
    hasMembers(all[0], { agent_id: 'base58', name: 'string', score: 'integer' });
    const recent = await aggregator.read('/agents?sort=recent&limit=2');
    assert.equal(recent.length, 2);
    assert.deepEqual((await aggregator.read('/agents?sort=recent&limit=2&offset=2')).length, 1);
    for (const country of ['NG', 'ng']) {
      const [only, ...others] = await aggregator.read(`/agents?country=${country}`);
      assert.deepEqual([only.agent_id, only.country, only.city, others.length], [provider.id, 'NG', 'Lagos', 0]);
    }
    assert.deepEqual(await aggregator.read('/agents?country=DE'), []);
  });

  it('GET /agents/search?q=: Search by agent ID', async () => {
    for (const q of [provider.id, provider.id.slice(0, 8)]) {
      const found = await aggregator.read(`/agents/search?q=${q}`);
      assert.deepEqual(
        found.map(({ agent_id }: any) => agent_id),
        [provider.id],
      );
    }
  });

  it('GET /agents/search/name?q=: Search by name', async () => {
    const found = await aggregator.read('/agents/search/name?q=my-pro');
    assert.deepEqual(
      found.map(({ agent_id }: any) => agent_id),
      [provider.id],
    );
  });

  it('GET /agents/:agent_id/profile: Agent profile', async () => {
    const profile = await aggregator.read(`/agents/${provider.id}/profile`);
    hasMembers(profile, {
      agent_id: [provider.id],
      name: ['my-provider'],
      score: 'integer',
      country: ['NG'],
      city: ['Lagos'],
      stake_lamports: 'integer',
      lease_status: 'string',
      latency: 'regions',
      capabilities: 'array',
      disputes: 'array',
    });
    assert.deepEqual(profile.capabilities, ['translate']);
    assert.equal(profile.disputes[0].conversation_id, conversation);
    lacks(await aggregator.read(`/agents/${quiet.id}/profile`), 'country', 'city', 'geo_consistent');
  });

  it('GET /reputation/:agent_id: Aggregated reputation scores', async () => {
    const reputation = await aggregator.read(`/reputation/${provider.id}`);
    hasMembers(reputation, { agent_id: [provider.id], score: 'integer' });
    assert.ok(reputation.score > 0);
  });

  it('GET /leaderboard?limit=: Top agents by reputation', async () => {
    const [best, ...others] = await aggregator.read('/leaderboard?limit=50');
    hasMembers(best, { agent_id: [provider.id], name: ['my-provider'], score: 'integer' });
    assert.deepEqual(others, []);
  });

  it('GET /activity?limit=&before=:id: Array of activity events, newest first', async () => {
    const events = await aggregator.read('/activity?limit=50');
    assert.deepEqual(
      events.map(({ event_type }: any) => event_type),
      ['FEEDBACK', 'DISPUTE', 'DELIVER', 'ACCEPT', 'JOIN', 'JOIN', 'JOIN'],
    );
    for (const event of events)
      hasMembers(event, {
        id: 'integer',
        event_type: 'string',
        agent_id: 'base58',
        slot: 'integer',
        created_at: 'time',
      });
    hasMembers(events[0], {
      agent_id: [requester.id],
      target_agent_id: [provider.id],
      score: [80],
      outcome: ['positive'],
    });
    lacks(events.at(-1), 'target_agent_id', 'score', 'outcome');
    const first = await aggregator.read('/activity?limit=3');
    const next = await aggregator.read(`/activity?limit=50&before=${first.at(-1).id}`);
    assert.deepEqual([...first, ...next], events);
  });

  it('WS /ws/activity: One JSON activity event per frame', async () => {
    const socket = new WebSocket(`${aggregator.url.replace('http', 'ws')}/ws/activity`);
    await once(socket, 'open');
    const next = once(socket, 'message');
    const late = new TestAgent('words late');
    await aggregator.ingest(late.beacon('late').whole);
    const [data] = await next;
    const event = JSON.parse(String(data));
    assert.deepEqual([event.event_type, event.agent_id], ['JOIN', late.id]);
    assert.deepEqual(event, (await aggregator.read('/activity?limit=1'))[0]);
    socket.close();
    await once(socket, 'close');
  });

  it('GET /bounties: Open bounties broadcast to the mesh', async () => {
    const wanted = { required_capability: 'translate', max_budget_usd: 12.5, task_summary: '40 pages from Korean' };
    const work = '000102030405060708090a0b0c0d0e0f';
    const payload = { ...wanted, deadline_secs: 3600, conversation_id: work };
    await aggregator.ingest(requester.sign('BOUNTY', { conversation: work, payload }).whole);
    const [bounty, ...others] = await aggregator.read('/bounties');
    assert.equal(others.length, 0);
    hasMembers(bounty, {
      required_capability: ['translate'],
      max_budget_usd: [12.5],
      deadline_at: 'time',
      task_summary: ['40 pages from Korean'],
    });
    const ahead = Date.parse(bounty.deadline_at) - Date.now();
    assert.ok(ahead > 3_500_000 && ahead <= 3_600_000, bounty.deadline_at);
  });

  it('GET /interactions: All feedback events', async () => {
    const [rating, ...others] = await aggregator.read('/interactions');
    hasMembers(rating, { score: [80], outcome: ['positive'], role: ['participant'] });
    assert.deepEqual([rating.sender, rating.target_agent, others], [requester.id, provider.id, []]);
  });

  it('GET /interactions/by/:agent_id: Feedback involving an agent', async () => {
    for (const { id } of [requester, provider]) {
      const found = await aggregator.read(`/interactions/by/${id}`);
      assert.deepEqual(
        found.map(({ score }: any) => score),
        [80],
      );
    }
    assert.deepEqual(await aggregator.read(`/interactions/by/${quiet.id}`), []);
  });

  it('GET /disputes/:agent_id: Disputes for an agent', async () => {
    const [dispute, ...others] = await aggregator.read(`/disputes/${provider.id}`);
    assert.deepEqual([dispute.sender, dispute.conversation_id, others], [requester.id, conversation, []]);
    const [raised, ...more] = await aggregator.read(`/disputes/${requester.id}`);
    assert.deepEqual([raised, more], [{ ...dispute, role: 'disputer' }, []]);
    assert.equal(dispute.role, 'disputed');
    assert.deepEqual(await aggregator.read(`/disputes/${quiet.id}`), []);
  });

  it('GET /stats/network: Network-wide stats', async () => {
    const stats = await aggregator.read('/stats/network');
    hasMembers(stats, { agent_count: 'integer', interaction_count: [1], started_at: 'time' });
    assert.ok(stats.agent_count >= 3);
  });

  it('GET /stake/required/:agent_id: Required stake for an agent', async () => {
    const required = await aggregator.read(`/stake/required/${provider.id}`);
    hasMembers(required, { agent_id: [provider.id], required_stake_usdc: [10], deficit_usdc: [10] });
  });

  it('GET /epochs/:agent_id/:epoch/envelopes: Envelopes in an epoch', async () => {
    const epoch = Math.floor(Date.now() / 86_400_000);
    const found = await aggregator.read(`/epochs/${provider.id}/${epoch}/envelopes`);
    assert.ok(found.length >= 4, `${found.length}`);
    hasMembers(found[0], { seq: [1], leaf_hash: 'string', bytes_b64: 'string' });
  });

  it('GET /registry: Registry of all beaconing agents', async () => {
    const names = (await aggregator.read('/registry')).map(({ name }: any) => name);
    for (const name of ['my-requester', 'my-provider', 'quiet']) assert.ok(names.includes(name), name);
  });
});
