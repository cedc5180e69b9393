import assert from 'node:assert/strict';
import { type TestNode, testNode } from '../../adapters/testing.ts';
import { Network } from '../../core/internal-services.ts';
import { definePlugin } from '../../core/plugin.ts';
import { type Agent, type AgentQuery, Agents } from '../../core/services.ts';
import { TestAgent } from '../aggregator/support/agent.ts';

const PEOPLE = [
  { name: 'Ada Lovelace', capabilities: ['translate'], country: 'GB' },
  { name: 'Ada Yonath', capabilities: ['ocr', 'translate'], country: 'IL' },
  { name: 'Grace', capabilities: ['ocr'], country: 'GB' },
  { name: 'Countess Ada', capabilities: [], country: 'GB' },
  { name: 'Alan', capabilities: ['translate'] },
];

describe('the service Agents', () => {
  let node: TestNode;
  let agents: Agents;
  const ids: Record<string, string> = {};
  const reader = definePlugin({
    name: 'reader',
    api: '2.0',
    aggregator: {
      uses: { agents: Agents },
      setup(services) {
        agents = services.agents;
        return {};
      },
    },
  });

  before(async () => {
    node = await testNode(reader);
    const network = node.get(Network);
    let at = Date.now() - 60_000;
    const items = PEOPLE.flatMap(({ name, capabilities, country }) => {
      const agent = new TestAgent(name, () => (at += 1_000), network);
      ids[name] = agent.id;
      return [
        agent.sign('BEACON', { payload: { name, hubs: [], url: `wss://${name.split(' ')[0]}.test/mesh` } }).whole,
        agent.sign('ADVERTISE', { payload: { capabilities, ...(country && { geo: { country } }) } }).whole,
      ];
    });
    const { body } = await node.call('POST /ingest/envelopes', { body: { items } });
    assert.deepEqual(new Set(body.results.map(({ status }: { status: string }) => status)), new Set(['accepted']));
  });
  after(async () => assert.deepEqual(await node.stop(), []));

  const names = (rows: readonly Agent[]) => rows.map(({ name }) => name);
  const list = async (query: AgentQuery) => names((await agents.page(query)).agents);

  it('gives one row, by id in either form, and nothing for strangers', async () => {
    const row = (await agents.get(ids['Ada Lovelace']!))!;
    const { firstSeen, lastSeen, lastBeacon, score, rank, ...rest } = row;
    assert.deepEqual(rest, {
      id: ids['Ada Lovelace'],
      name: 'Ada Lovelace',
      url: 'wss://Ada.test/mesh',
      hubs: [],
      capabilities: ['translate'],
      country: 'GB',
      ratings: { positive: 0, neutral: 0, negative: 0 },
      disputes: 0,
    });
    assert.deepEqual([firstSeen < lastSeen, lastBeacon, score], [true, firstSeen, 0]);
    assert.equal(typeof rank, 'number');
    assert.equal(await agents.get('nobody'), undefined);
    assert.equal(await agents.get(new TestAgent('stranger').id), undefined);
  });

  it('lists them by rank, by when they were heard, by country and capability', async () => {
    const everybody = PEOPLE.map(({ name }) => name);
    assert.deepEqual(await list({ by: 'rank' }), everybody);
    assert.deepEqual(await list({ by: 'recent' }), [...everybody].reverse());
    assert.deepEqual(await list({ by: 'beacon' }), [...everybody].reverse());
    assert.deepEqual(await list({ by: 'rank', country: 'gb' }), ['Ada Lovelace', 'Grace', 'Countess Ada']);
    assert.deepEqual(await list({ by: 'recent', capability: 'OCR' }), ['Grace', 'Ada Yonath']);
    assert.deepEqual(await list({ by: 'rank', capability: 'ocr', country: 'GB' }), ['Grace']);
    assert.deepEqual(await list({ by: 'rated' }), []);
  });

  it('finds them by the beginning of a name or of a word in it', async () => {
    assert.deepEqual(await list({ by: 'name', startsWith: 'ADA' }), ['Countess Ada', 'Ada Lovelace', 'Ada Yonath']);
    assert.deepEqual(await list({ by: 'name', startsWith: 'lov' }), ['Ada Lovelace']);
    await assert.rejects(agents.page({ by: 'name', startsWith: ' ' }), { code: 'invalid_request' });
  });

  it('goes on where a page ended, in every list, and takes no cursor of another', async () => {
    const queries: AgentQuery[] = [
      { by: 'rank' },
      { by: 'recent', country: 'GB' },
      { by: 'name', startsWith: 'a' },
      { by: 'beacon' },
      { by: 'id' },
    ];
    for (const query of queries) {
      const whole = await list(query);
      const met: string[] = [];
      let cursor: string | undefined;
      for (let pages = 0; pages < 10; pages++) {
        const page = await agents.page({ ...query, limit: 2, ...(cursor && { cursor }) });
        met.push(...names(page.agents));
        cursor = page.next;
        if (!cursor) break;
      }
      assert.deepEqual(met, whole, query.by);
    }
    const { next } = await agents.page({ by: 'rank', limit: 1 });
    const wrong: AgentQuery[] = [
      { by: 'recent', cursor: next! },
      { by: 'rank', country: 'GB', cursor: next! },
      { by: 'rank', cursor: 'nonsense' },
      { by: 'rank', limit: 0 },
      { by: 'rank', limit: 201 },
      { by: 'karma' } as unknown as AgentQuery,
    ];
    for (const query of wrong) {
      await assert.rejects(agents.page(query), { code: 'invalid_request' }, JSON.stringify(query));
    }
  });
});
