import assert from 'node:assert/strict';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { SPACE } from '../../core/aggregator/providers.ts';
import { ledgerEvents } from '../../core/aggregator/store/ledger.ts';
import { Store } from '../../core/internal-services.ts';
import { TestAgent } from './support/agent.ts';
import { bootAggregator, type TestAggregator } from './support/aggregator.ts';

const CONVERSATION = '000102030405060708090a0b0c0d0e0f';
const OTHER = 'f0'.repeat(16);

describe('events of the ledger, live', () => {
  const [ann, ben, cay] = ['ann', 'ben', 'cay'].map((name) => new TestAgent(`${name} on a live ledger`)) as [
    TestAgent,
    TestAgent,
    TestAgent,
  ];
  const open = new Set<WebSocket>();
  let aggregator: TestAggregator;
  before(async () => {
    aggregator = await bootAggregator();
    await happened('escrow_locked', { conversation_id: OTHER, requester: ben.id, provider: cay.id, amount: '5' });
  });
  after(async () => {
    for (const socket of open) socket.terminate();
    assert.deepEqual(aggregator.errors, []);
    await aggregator.stop();
  });

  /** As the index stores it; the indexer itself is tested beside a real program. */
  const happened = (name: string, facts: object) =>
    aggregator
      .get(Store)
      .space(SPACE)
      .append(ledgerEvents, { name, signature: null, ordinal: 0, slot: 7, at: Date.now(), facts });
  const locked = (conversation_id: string, requester: TestAgent, provider: TestAgent) =>
    happened('escrow_locked', { conversation_id, requester: requester.id, provider: provider.id, amount: '9000000' });

  function watch(query = '') {
    const socket = new WebSocket(`${aggregator.url.replace('http', 'ws')}/ws/ledger${query}`);
    open.add(socket);
    const events: any[] = [];
    let arrived = () => {};
    socket.on('message', (data) => {
      events.push(JSON.parse(String(data)));
      arrived();
    });
    const until = async (count: number) => {
      while (events.length < count)
        await new Promise<void>((resolve) => {
          arrived = resolve;
        });
      return events;
    };
    return { socket, events, until };
  }

  it('come as they are indexed, in the shape of the pages, and those behind since first', async () => {
    const late = watch();
    await once(late.socket, 'open');
    const all = watch('?since=0');
    await locked(CONVERSATION, ann, ben);
    assert.deepEqual((await all.until(2)).toReversed(), await aggregator.read('/ledger/events'));
    assert.deepEqual((await late.until(1))[0], all.events[1]);
    assert.deepEqual([all.events[1].event, all.events[1].amount], ['escrow_locked', 9_000_000]);
    const again = watch(`?since=${all.events[0].id}`);
    assert.deepEqual(await again.until(1), [all.events[1]]);
  });

  it('are those of an agent or a conversation alone, and none between is missed', async () => {
    const [newest] = await aggregator.read('/ledger/events?limit=1');
    const of_ann = watch(`?agent_id=${ann.id}&since=${newest.id}`);
    const talk = watch(`?conversation_id=${CONVERSATION.toUpperCase()}&since=${newest.id}`);
    await Promise.all([once(of_ann.socket, 'open'), once(talk.socket, 'open')]);
    for (let step = 0; step < 5; step += 1) {
      await locked(OTHER, ben, cay);
      await locked(CONVERSATION, ann, ben);
    }
    const found = await talk.until(5);
    assert.deepEqual(await of_ann.until(5), found);
    const wanted = await aggregator.read(`/ledger/events?conversation_id=${CONVERSATION}&limit=5`);
    assert.deepEqual(found.toReversed(), wanted);
  });

  it('are those of both, where an agent and a conversation are asked for', async () => {
    const [newest] = await aggregator.read('/ledger/events?limit=1');
    const both = watch(`?agent_id=${cay.id}&conversation_id=${CONVERSATION}&since=${newest.id}`);
    await once(both.socket, 'open');
    await locked(CONVERSATION, ann, ben);
    await locked(OTHER, ben, cay);
    await locked(CONVERSATION, ann, cay);
    const [found] = await both.until(1);
    assert.deepEqual([found.conversation_id, found.provider], [CONVERSATION, cay.id]);
  });

  it('are refused behind an event that has yet to happen, and for what is no agent', async () => {
    const beyond = watch('?since=999999');
    const [code] = await once(beyond.socket, 'close');
    assert.equal(code, 1008);
    const nobody = watch('?agent_id=me');
    nobody.socket.on('error', () => {});
    const [, response] = await once(nobody.socket, 'unexpected-response');
    assert.equal(response.statusCode, 400);
    response.destroy();
  });
});
