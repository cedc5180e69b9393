import assert from 'node:assert/strict';
import { signDeal, TestAgent } from '../aggregator/support/agent.ts';
import { bootAggregator, type TestAggregator } from '../aggregator/support/aggregator.ts';
import { hasMembers } from './support/words.ts';

/** The specification's rows of series and flows, asked for as it writes them. */
describe("series and flows at the aggregator, in the specification's words", function () {
  this.timeout(60_000);
  const [payer, worker] = ['payer', 'worker'].map((name) => new TestAgent(`series ${name}`)) as [TestAgent, TestAgent];
  let aggregator: TestAggregator;

  before(async () => {
    aggregator = await bootAggregator();
    const { propose, accept, deliver, conversation } = signDeal(payer, worker);
    const ratings = [payer.feedback(worker, conversation, 90), worker.feedback(payer, conversation, 60)];
    await aggregator.ingest(propose.receipt, accept.receipt, deliver.receipt, ...ratings.map(({ whole }) => whole));
    await aggregator.scored('/graph/clusters', (found: any) => found.length === 1);
  });
  after(async () => {
    assert.deepEqual(aggregator.errors, []);
    await aggregator.stop();
  });

  it('GET /stats/timeseries: Time-series analytics', async () => {
    const rows = await aggregator.read<any[]>('/stats/timeseries');
    for (const row of rows) hasMembers(row, { bucket: 'integer', deal_count: 'integer', feedback_count: 'integer' });
    assert.deepEqual(
      rows.map(({ bucket }) => bucket),
      rows.map(({ bucket }) => bucket).sort((one, other) => one - other),
    );
    const sum = (name: string) => rows.reduce((all, row) => all + row[name], 0);
    assert.deepEqual([sum('deal_count'), sum('feedback_count')], [1, 2]);
  });

  it('GET /graph/flow: Capital flow network', async () => {
    const [strongest] = await aggregator.read('/graph/flow');
    hasMembers(strongest, { from_agent: [payer.id], to_agent: [worker.id], kind: ['feedback'], positive_flow: [90] });
  });

  it('GET /graph/clusters: Flow clustering', async () => {
    const [cluster, ...others] = await aggregator.read('/graph/clusters');
    assert.deepEqual([cluster.agents, others], [[payer.id, worker.id].sort(), []]);
  });

  it("GET /graph/agent/:agent_id: Agent's flow graph", async () => {
    const found = await aggregator.read(`/graph/agent/${worker.id}`);
    hasMembers(found, { agent_id: [worker.id], outgoing: 'array', incoming: 'array', total_incoming_flow: [90] });
    hasMembers(found.incoming[0], { from_agent: [payer.id], to_agent: [worker.id] });
  });
});
