import assert from 'node:assert/strict';
import { signDeal, TestAgent } from './support/agent.ts';
import { bootAggregator, type TestAggregator } from './support/aggregator.ts';

describe('the flow graph and the series at an aggregator', function () {
  this.timeout(60_000);
  const [alice, bob, carol] = ['alice', 'bob', 'carol'].map((name) => new TestAgent(`graph ${name}`)) as [
    TestAgent,
    TestAgent,
    TestAgent,
  ];
  let aggregator: TestAggregator;
  let last = '';

  before(async () => {
    aggregator = await bootAggregator();
    for (const [asker, worker, score, back] of [
      [alice, bob, 90, 60],
      [alice, carol, 30, -20],
    ] as const) {
      const { propose, accept, deliver, conversation } = signDeal(asker, worker);
      last = conversation;
      const given = asker.feedback(worker, conversation, score).whole;
      const got = worker.feedback(asker, conversation, back).whole;
      await aggregator.ingest(propose.receipt, accept.receipt, deliver.receipt, given, got);
    }
    await aggregator.scored('/graph/clusters', (found: any) => found.length === 1);
    await aggregator.scored('/graph/flow', (found: any) => found.length === 4);
  });
  after(async () => {
    assert.deepEqual(aggregator.errors, []);
    await aggregator.stop();
  });

  it('GET /graph/flow says that these edges are of feedback, the strongest first', async () => {
    const found = await aggregator.read('/graph/flow');
    assert.deepEqual(
      found.map(({ from_agent, to_agent, kind, positive_flow, total_abs_flow, avg_score }: any) => [
        ...[from_agent, to_agent, kind, positive_flow, total_abs_flow, avg_score],
      ]),
      [
        [alice.id, bob.id, 'feedback', 90, 90, 90],
        [bob.id, alice.id, 'feedback', 60, 60, 60],
        [alice.id, carol.id, 'feedback', 30, 30, 30],
        [carol.id, alice.id, 'feedback', 0, 20, -20],
      ],
    );
    for (const window of ['24h', '7d', 'all'])
      assert.deepEqual(await aggregator.read(`/graph/flow?window=${window}`), found);
    assert.deepEqual(await aggregator.read('/graph/flow?kind=settled'), []);
    assert.deepEqual(await aggregator.read('/graph/flow?limit=1&offset=1'), found.slice(1, 2));
    assert.equal((await aggregator.fetch('/graph/flow?window=1y')).status, 400);
  });

  it('GET /graph/clusters has those whose praise is mutual', async () => {
    const agents = [alice.id, bob.id].sort();
    const [cluster, ...others] = await aggregator.read('/graph/clusters');
    assert.deepEqual(others, []);
    assert.deepEqual(cluster, {
      ...{ cluster_id: agents[0], agents, agent_count: 2, link_count: 1 },
      ...{ cluster_suspicion: 0.1, c_coefficient: 0.1, total_mutual_flow: 150 },
      ...{ mutual_usdc: 0, mutual_usdc_micro: 0, mutual_praise: 150 },
    });
  });

  it('GET /graph/agent/:agent_id has the flows of one agent, as docs/graph.md computes them', async () => {
    const found = await aggregator.read(`/graph/agent/${alice.id}`);
    assert.equal(found.kind, 'feedback');
    assert.equal(found.cluster_id, [alice.id, bob.id].sort()[0]);
    assert.deepEqual([found.total_outgoing_flow, found.total_incoming_flow], [120, 60]);
    assert.deepEqual([found.unique_counterparties, found.unique_payers, found.concentration_ratio], [2, 2, 1]);
    assert.deepEqual(found.top_counterparties, [
      { agent_id: bob.id, kind: 'feedback', flow: 90 },
      { agent_id: carol.id, kind: 'feedback', flow: 30 },
    ]);
    assert.deepEqual([found.outgoing.length, found.incoming.length], [2, 2]);
    assert.equal((await aggregator.fetch(`/graph/agent/${new TestAgent('graph nobody').id}`)).status, 404);
    assert.equal((await aggregator.fetch('/graph/agent/nobody')).status, 400);
  });

  it('GET /stats/timeseries shows every bucket, those without events too', async () => {
    const rows = await aggregator.read('/stats/timeseries');
    assert.equal(rows.length, 24);
    const sum = (field: string) => rows.reduce((all: number, row: any) => all + row[field], 0);
    assert.deepEqual(
      ['deal_count', 'deliver_count', 'feedback_count', 'positive_count', 'negative_count', 'dispute_count'].map(sum),
      [2, 2, 4, 3, 1, 0],
    );
    assert.deepEqual(
      rows.map(({ bucket }: any) => bucket - rows[0].bucket),
      Array.from({ length: 24 }, (_, hour) => hour * 3_600),
    );
    const days = await aggregator.read('/stats/timeseries?window=30d');
    assert.deepEqual([days.length, days.at(-1).bucket % 86_400], [30, 0]);
    for (const query of [
      'from=2031-01-01T00:00:00Z',
      'to=2020-01-01T00:00:00Z',
      'window=24h&from=2020-01-01T00:00:00Z',
      'from=x',
      'bucket=year',
    ]) {
      const { status, body } = await aggregator.fetch(`/stats/timeseries?${query}`);
      assert.equal(status, 400, query);
      assert.ok(JSON.stringify(body).includes('"pointer"'), query);
    }
  });

  it('GET /conversations/:conversation_id tells one conversation, the newest first, and no other', async () => {
    const found = await aggregator.read(`/conversations/${last.toUpperCase()}`);
    assert.equal(found.conversation_id, last);
    assert.deepEqual(found.agents, [alice.id, carol.id].sort());
    assert.deepEqual(found.timeline.map(({ event }: any) => event).sort(), [
      'ACCEPT',
      'DELIVER',
      'FEEDBACK',
      'FEEDBACK',
    ]);
    const moments = found.timeline.map(({ at }: any) => Date.parse(at));
    assert.deepEqual(
      moments,
      [...moments].sort((one, other) => other - one),
    );
    const linked = await aggregator.read(found.links.activity);
    assert.deepEqual(
      found.timeline.map(({ activity }: any) => activity.id).sort(),
      linked.map(({ id }: any) => id).sort(),
    );
    assert.equal((await aggregator.read(`/conversations/${last}?limit=1`)).timeline.length, 1);
    assert.equal((await aggregator.fetch(`/conversations/${'0'.repeat(32)}`)).status, 404);
    assert.equal((await aggregator.fetch('/conversations/x')).status, 400);
  });
});
