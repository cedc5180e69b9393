import assert from 'node:assert/strict';
import type { Payloads } from '../../core/protocol/envelopes/payloads/payloads.ts';
import { BriskClock } from '../support/brisk-clock.ts';
import { newConversation, signDeal, TestAgent } from './support/agent.ts';
import { bootAggregator, statuses, type TestAggregator } from './support/aggregator.ts';

describe('bounties at an aggregator', () => {
  const clock = new BriskClock();
  let aggregator: TestAggregator;
  let count = 0;

  before(async () => {
    aggregator = await bootAggregator({ clock });
  });
  after(async () => {
    assert.deepEqual(aggregator.errors, []);
    await aggregator.stop();
  });

  function newAgent(): TestAgent {
    count += 1;
    return new TestAgent(`bounties ${count}`, () => clock.now());
  }

  function bounty(by: TestAgent, conversation: string, more: Partial<Payloads['BOUNTY']> = {}, at?: number) {
    const wanted = { required_capability: 'Translate', max_budget_usd: 10, task_summary: 'x', deadline_secs: 3_600 };
    const payload = { ...wanted, conversation_id: conversation, ...more };
    return by.sign('BOUNTY', { conversation, payload, ...(at !== undefined && { at }) }).whole;
  }

  const openOf = async (by: TestAgent, query = 'limit=200') =>
    (await aggregator.read(`/bounties?${query}`)).filter(({ agent_id }: any) => agent_id === by.id);

  it('are open until their deadline, newest first, and found by capability', async () => {
    const agent = newAgent();
    const [short, long] = [newConversation(), newConversation()];
    await aggregator.ingest(bounty(agent, short, { deadline_secs: 60 }, clock.now() - 2_000), bounty(agent, long));
    const found = await openOf(agent);
    assert.deepEqual(
      found.map(({ conversation_id }: any) => conversation_id),
      [long, short],
    );
    assert.equal((await openOf(agent, 'capability=translate')).length, 2);
    assert.deepEqual(await openOf(agent, 'capability=juggle'), []);
    clock.shift(61_000);
    assert.deepEqual(
      (await openOf(agent)).map(({ conversation_id }: any) => conversation_id),
      [long],
    );
  });

  it('are closed by a deal in their conversation, and by nothing that others do', async () => {
    const [agent, worker, meddler] = [newAgent(), newAgent(), newAgent()];
    const deal = signDeal(agent, worker, clock.now());
    const { conversation } = deal;
    await aggregator.ingest(bounty(agent, conversation), deal.propose.receipt);
    assert.equal((await openOf(agent)).length, 1);
    const payload = { amount_usdc_micro: 0n, message: 'mine', max_rounds: 2 };
    await aggregator.ingest(meddler.sign('PROPOSE', { to: agent, conversation, payload }).receipt);
    assert.equal((await openOf(agent)).length, 1);
    await aggregator.ingest(deal.accept.receipt);
    assert.deepEqual(await openOf(agent), []);
  });

  it('name the conversation of their envelope', async () => {
    const agent = newAgent();
    const payload = { required_capability: 'a', max_budget_usd: 1, task_summary: '', deadline_secs: 60 };
    const named = { ...payload, conversation_id: newConversation() };
    const [result] = await aggregator.ingest(
      agent.sign('BOUNTY', { conversation: newConversation(), payload: named }).whole,
    );
    assert.equal(result?.status, 'invalid');
    assert.match(result?.detail ?? '', /names another conversation/);
    assert.deepEqual(await openOf(agent), []);
  });

  it('are replaced by a newer one of the conversation, in whatever order they come', async () => {
    const agent = newAgent();
    const conversation = newConversation();
    const [older, newer] = [
      bounty(agent, conversation, { task_summary: 'older' }, clock.now() - 1_000),
      bounty(agent, conversation, { task_summary: 'newer' }, clock.now()),
    ];
    await aggregator.ingest(newer, older);
    assert.deepEqual(
      (await openOf(agent)).map(({ task_summary }: any) => task_summary),
      ['newer'],
    );
  });

  it('are sixteen for each key: one more is refused, until one is over', async () => {
    const agent = newAgent();
    const many = Array.from({ length: 17 }, () => newConversation());
    const results = await aggregator.ingest(...many.map((one) => bounty(agent, one, { deadline_secs: 120 })));
    assert.deepEqual(statuses(results), [...Array(16).fill('accepted'), 'rate-limited']);
    assert.match(results[16]!.detail ?? '', /16 open bounties/);
    clock.shift(121_000);
    assert.deepEqual(statuses(await aggregator.ingest(bounty(agent, newConversation()))), ['accepted']);
    assert.equal((await openOf(agent)).length, 1);
  });

  it('and DISCOVER are counted, and make their sender heard of', async () => {
    const agent = newAgent();
    const counted = async () => {
      const text = await (await fetch(`${aggregator.url}/metrics`)).text();
      return Number(/^mesh_recorded_total\{msg_type="DISCOVER"\} (\d+)$/m.exec(text)?.[1] ?? 0);
    };
    const before = await counted();
    await aggregator.ingest(agent.sign('DISCOVER', { payload: { query: 'translate' } }).whole);
    assert.equal(await counted(), before + 1);
    assert.equal((await aggregator.read(`/agents/${agent.id}/profile`)).agent_id, agent.id);
  });
});
