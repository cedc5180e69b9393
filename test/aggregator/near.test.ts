import assert from 'node:assert/strict';
import { TestAgent } from './support/agent.ts';
import { bootAggregator, type TestAggregator } from './support/aggregator.ts';

describe('agents near an id', () => {
  const agents = Array.from({ length: 20 }, (_, n) => new TestAgent(`near ${n}`));
  let aggregator: TestAggregator;
  before(async () => {
    aggregator = await bootAggregator();
    await aggregator.ingest(...agents.map((agent, n) => agent.beacon(`near ${n}`).whole));
  });
  after(() => aggregator.stop());

  const near = async (id: string): Promise<string[]> =>
    (await aggregator.read(`/agents/search/id?q=${id}`)).map(({ agent_id }: { agent_id: string }) => agent_id);
  const slipped = (id: string, ...places: number[]) =>
    [...id].map((letter, place) => (places.includes(place) ? (letter === 'x' ? 'y' : 'x') : letter)).join('');

  it('have another letter in one place, wherever it is', async () => {
    const { id } = agents[3]!;
    for (let place = 0; place < id.length; place += 1)
      assert.deepEqual(await near(slipped(id, place)), [id], `${place}`);
    assert.deepEqual(await near(id), [id]);
  });

  it('do not differ in two, nor in length', async () => {
    const { id } = agents[4]!;
    assert.deepEqual(await near(slipped(id, 2, 9)), []);
    assert.deepEqual(await near(slipped(id, 20, 40)), []);
    assert.deepEqual(await near(id.slice(0, -1)), []);
  });

  it('are refused for what cannot be an id, by the name of the field', async () => {
    for (const q of ['0'.repeat(44), 'abc', `${agents[0]!.id}${agents[0]!.id}`]) {
      const { status, body } = await aggregator.fetch(`/agents/search/id?q=${q}`);
      assert.deepEqual([status, body.fields[0].pointer], [400, '/q'], q);
    }
  });
});
