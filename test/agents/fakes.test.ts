import assert from 'node:assert/strict';
import { fakeLocalAgents, fakeSelf, sampleDeal } from '../../adapters/testing.ts';
import { isMeshError } from '../../core/plugin.ts';

describe('fakeLocalAgents', () => {
  it('remembers what agents say, and has them hear what a test wants', async () => {
    const { service, of } = fakeLocalAgents();
    const agent = await service.add({ signer: service.signerOf(new Uint8Array(32).fill(7)), name: 'ann' });
    assert.equal(service.get(agent.id), agent);
    assert.deepEqual([...service], [agent]);
    const fake = of(agent.id)!;

    const { id } = await agent.send('MESSAGE', { text: 'hello' }, { recipient: 'b' });
    fake.messages.become(id, 'delivered');
    assert.equal(await agent.status(id), 'delivered');
    assert.equal(fake.messages.sent.length, 1);

    const { cursor } = fake.inbox.receive('MESSAGE', { text: 'hello, ann' });
    assert.equal((await agent.inbox.page()).messages.length, 1);
    await agent.inbox.acknowledge(cursor);
    assert.equal((await agent.inbox.page()).messages.length, 0);

    const deal = sampleDeal();
    await fake.deals.change(deal);
    await agent.deals.accept({ conversation_id: deal.conversation_id });
    assert.deepEqual(
      fake.deals.taken.map(({ step }) => step),
      ['accept'],
    );
    const { status } = await agent.envelope({ msg_type: 'DISCOVER', payload: { query: 'haiku' } });
    assert.equal(status, 'queued');
    await assert.rejects(
      agent.envelope({ msg_type: 'BEACON' }),
      (error) => isMeshError(error) && error.code === 'invalid_request',
    );
    assert.equal(fake.requests.length, 1);

    const amounts: bigint[] = [];
    const offer = { msg_type: 'PROPOSE', recipient: 'b', payload: { amount_usdc_micro: 5, message: 'a haiku' } };
    await agent.envelope(offer, { before: (amount) => void amounts.push(amount) });
    assert.deepEqual(amounts, [5n]);

    const { frames } = await agent.inbox.framesPage({ since: 0 });
    assert.deepEqual(frames, []);
    const stop = new AbortController();
    const live = agent.inbox.frames({}, stop.signal);
    assert.deepEqual((await live.next()).value, { type: 'inbox', cursor: 1, waiting: 0 });
    fake.inbox.receive('MESSAGE', { text: 'live' });
    const { value: frame } = await live.next();
    assert.ok(frame && 'msg_type' in frame);
    assert.deepEqual([frame.msg_type, frame.payload], ['MESSAGE', { text: 'live' }]);
    stop.abort();

    const body = Buffer.from('{}');
    assert.equal(service.signHeartbeat(body, 7).length, 64);
    assert.deepEqual(service.signHeartbeat(body, 7), service.signHeartbeat(body, 7));
    assert.notDeepEqual(service.signHeartbeat(body, 7), service.signHeartbeat(body, 8));

    assert.equal(await service.remove(agent.id), true);
    assert.equal(of(agent.id), undefined);
  });
});

describe('fakeSelf', () => {
  it('is who a test says', () => {
    const self = fakeSelf({ aggregators: ['https://aggregator.example'] });
    assert.deepEqual(
      [self.name, self.aggregators, self.url()],
      ['fake', ['https://aggregator.example'], 'http://127.0.0.1:9090'],
    );
  });
});
