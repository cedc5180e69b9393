import assert from 'node:assert/strict';
import { signDeal, TestAgent } from './support/agent.ts';
import { bootAggregator, statuses, type TestAggregator } from './support/aggregator.ts';

describe('the last signed round trip of an agent', () => {
  const [asker, worker, friend, idle] = ['asker', 'worker', 'friend', 'idle'].map(
    (name) => new TestAgent(`${name} of round trips`),
  ) as [TestAgent, TestAgent, TestAgent, TestAgent];
  let aggregator: TestAggregator;
  before(async () => {
    const ingest = { newKeysPerHour: 10_000, itemsPerKeyPerMinute: 10_000 };
    aggregator = await bootAggregator({ core: { ingest, agents: { probes: [asker.id] } } });
  });
  after(() => aggregator.stop());

  const take = async (...items: object[]) => {
    for (const item of items) assert.deepEqual(statuses(await aggregator.ingest(item as any)), ['accepted']);
  };
  const trip = async (agent: TestAgent) => (await aggregator.read(`/agents/${agent.id}/profile`)).last_round_trip;

  it('has the times that both sides signed, and says whether a probe buyer asked', async () => {
    const at = Date.now() - 20_000;
    const { conversation, propose, accept, deliver } = signDeal(asker, worker, at);
    await take(deliver.receipt, accept.receipt);
    assert.equal(await trip(worker), undefined);
    await take(propose.receipt);
    const expected = {
      ...{ with: asker.id, probe: true, conversation_id: conversation, envelope_id: deliver.id },
      ...{ asked_at: new Date(at).toISOString(), answered_at: new Date(at + 2).toISOString(), seconds: 0.002 },
    };
    assert.deepEqual(await trip(worker), expected);
    const [listed] = (await aggregator.read('/agents?limit=200')).filter(({ agent_id }: any) => agent_id === worker.id);
    assert.deepEqual(listed.last_round_trip, expected);
    const { timeline } = await aggregator.read(`/conversations/${conversation}`);
    assert.ok(timeline.some(({ event }: any) => event === 'DELIVER'));
  });

  it('stays when one of before becomes known, and belongs to the side that worked', async () => {
    const late = signDeal(friend, worker, Date.now() - 25_000);
    await take(late.propose.receipt, late.accept.receipt, late.deliver.receipt);
    assert.equal((await trip(worker)).with, asker.id);
    const fresh = signDeal(friend, worker, Date.now() - 5_000);
    await take(fresh.propose.receipt, fresh.accept.receipt, fresh.deliver.receipt);
    const { with: who, probe } = await trip(worker);
    assert.deepEqual([who, probe], [friend.id, false]);
    assert.equal(await trip(friend), undefined);
  });

  it('is absent for an agent that delivered nothing, or only what nobody asked for', async () => {
    await take(idle.beacon('idle').whole, signDeal(asker, idle).deliver.receipt);
    assert.equal(await trip(idle), undefined);
  });
});
