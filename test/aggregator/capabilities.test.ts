import assert from 'node:assert/strict';
import { recount } from '../../core/aggregator/capabilities/counting.ts';
import { SPACE } from '../../core/aggregator/providers.ts';
import { capabilities, counted, recounting } from '../../core/aggregator/store/capabilities.ts';
import { Store } from '../../core/internal-services.ts';
import { BriskClock } from '../support/brisk-clock.ts';
import { TestAgent } from './support/agent.ts';
import { bootAggregator, type TestAggregator } from './support/aggregator.ts';

describe('GET /capabilities', () => {
  const clock = new BriskClock();
  let aggregator: TestAggregator;
  const [ada, ben, cem] = ['ada', 'ben', 'cem'].map((name) => new TestAgent(`capable ${name}`, () => clock.now()));

  before(async () => {
    aggregator = await bootAggregator({ clock });
  });
  after(() => aggregator.stop());

  const say = async (agent: TestAgent, ...words: string[]) => {
    clock.shift(1_000);
    const [result] = await aggregator.ingest(agent.sign('ADVERTISE', { payload: { capabilities: words } }).whole);
    assert.equal(result?.status, 'accepted', JSON.stringify(result));
  };
  const listed = async (query = '') =>
    (await aggregator.read(`/capabilities${query}`)).map(({ capability, agents }: any) => [capability, agents]);

  it('counts each agent once for what it says now, the most common first', async () => {
    await say(ada!, 'Translate', 'translate', 'Summarize');
    await say(ben!, 'translate', 'not a capability');
    await say(cem!, 'transcribe');
    assert.deepEqual(await listed(), [
      ['translate', 2],
      ['summarize', 1],
      ['transcribe', 1],
    ]);
    await say(ada!, 'transcribe');
    await say(ben!, 'translate');
    assert.deepEqual(await listed(), [
      ['transcribe', 2],
      ['translate', 1],
    ]);
    await say(cem!);
    assert.deepEqual(await listed(), [
      ['transcribe', 1],
      ['translate', 1],
    ]);
  });

  it('finds them by the beginning of their name, page by page', async () => {
    assert.deepEqual(await listed('?q=TRANS&limit=1'), [['transcribe', 1]]);
    assert.deepEqual(await listed('?q=trans&limit=1&offset=1'), [['translate', 1]]);
    assert.deepEqual(await listed('?q=x'), []);
  });

  it('counts the agents of a store that had no counts, once', async () => {
    const space = aggregator.get(Store).space(SPACE);
    const before = await listed();
    await space.tx([], (tx) => {
      for (const [name] of before) tx.del(capabilities.ref(name));
      for (const { id } of [ada!, ben!, cem!]) tx.del(counted.ref(id));
      tx.del(recounting);
    });
    assert.deepEqual(await listed(), []);
    await say(ben!, 'translate');
    await Promise.all([recount(space, new AbortController().signal), recount(space, new AbortController().signal)]);
    assert.deepEqual(await listed(), before);
    await recount(space, new AbortController().signal);
    assert.deepEqual(await listed(), before);
  });
});
