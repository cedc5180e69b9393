import assert from 'node:assert/strict';
import { listAgents, listLeaders } from '../../core/aggregator/agents/listing.ts';
import { addPayment, addSayings } from '../../core/aggregator/ingest/score-facts.ts';
import { agents } from '../../core/aggregator/store/agents.ts';
import { forgetNonces, noncesRef } from '../../core/aggregator/store/nonces.ts';
import { ONE_USDC } from '../../core/platform/usdc.ts';
import { newConversation, signDeal, TestAgent } from './support/agent.ts';
import { DAY, type Domain, NOON, openDomain } from './support/domain.ts';

describe('an aggregator as time passes', () => {
  let domain: Domain;
  let asker: TestAgent;
  const now = () => domain.clock.now();

  beforeEach(async () => {
    domain = await openDomain();
    asker = new TestAgent('asker', now);
  });
  afterEach(() => domain.store.close());

  async function rated(name: string, score: number, times = 1, rater = asker): Promise<TestAgent> {
    const agent = new TestAgent(name, now);
    for (let deal = 0; deal < times; deal += 1) {
      const { conversation, propose, accept, deliver } = signDeal(rater, agent, now());
      await domain.take(propose, accept, deliver, rater.feedback(agent, conversation, score));
    }
    return agent;
  }

  it('moves idle agents down the lists as their scores fade, without anybody writing', async () => {
    const good = new TestAgent('good', now);
    const buyer = new TestAgent('buyer', now);
    domain.anchors.push(buyer.id);
    await domain.take(good.beacon('good'), buyer.beacon('buyer'));
    const { space, epochs } = domain;
    await space.tx([], (tx) => {
      addPayment(tx, { requester: buyer.id, provider: good.id }, 50n * ONE_USDC, epochs);
      const saying = { kind: 'paid', mass: 50, value: 100, epoch: epochs.at(NOON) } as const;
      addSayings(tx, { from: buyer.id, to: good.id, keyChanges: 0 }, [saying], epochs);
    });
    const standing = async () => (await space.get(agents.ref(good.id)))!.standing;
    await domain.score();
    const before = await standing();
    assert.ok(before.rank > 50, `the rank is ${before.rank}`);
    domain.clock.time = NOON + 6 * DAY;
    await domain.score();
    const rested = await standing();
    assert.ok(before.rank - rested.rank < 1, 'six epochs are free but for the age of what was said');
    domain.clock.time = NOON + 20 * DAY;
    await domain.score();
    const idle = await standing();
    assert.ok(idle.rank < rested.rank * 0.95 ** 13 && idle.score < rested.score * 0.95 ** 13, JSON.stringify(idle));
  });

  it('forgets feedback that waited for a deal nobody heard of', async () => {
    const worker = new TestAgent('worker', now);
    const { conversation, propose, accept, deliver } = signDeal(asker, worker, now());
    await domain.take(asker.feedback(worker, conversation, 90));
    domain.clock.time += 25 * 3_600_000;
    assert.deepEqual(await domain.take(propose, accept, deliver), ['accepted', 'accepted', 'accepted']);
    assert.deepEqual((await domain.space.get(agents.ref(worker.id)))!.standing.scores, []);
  });

  it('makes room in the waiting area as what waits there runs out', async () => {
    const worker = new TestAgent('worker', now);
    const early = () => asker.feedback(worker, newConversation(), 10);
    assert.equal((await domain.take(...Array.from({ length: 64 }, early))).includes('rate-limited'), false);
    assert.deepEqual(await domain.take(early()), ['rate-limited']);
    domain.clock.time += 25 * 3_600_000;
    assert.deepEqual(await domain.take(early()), ['accepted']);
  });

  it('counts feedback for thirty epochs after the end, and not later', async () => {
    const worker = new TestAgent('worker', now);
    const soon = signDeal(asker, worker, now());
    const late = signDeal(asker, worker, now());
    await domain.take(soon.propose, soon.accept, soon.deliver, late.propose, late.accept, late.deliver);
    domain.clock.time += 29 * DAY;
    await domain.take(asker.feedback(worker, soon.conversation, 40));
    domain.clock.time += 2 * DAY;
    await domain.take(asker.feedback(worker, late.conversation, 80));
    assert.deepEqual((await domain.space.get(agents.ref(worker.id)))!.standing.scores, [40]);
    assert.deepEqual(domain.dropped, ['late']);
  });

  it('refuses on the mesh what it still takes as a report', async () => {
    const agent = new TestAgent('late', now);
    const beacon = agent.beacon('late', {}, now() - 10 * 60_000);
    const item = { kind: 'envelope', bytes: new Uint8Array(Buffer.from(beacon.whole.envelope_b64, 'base64')) } as const;
    const [heard] = await domain.ingest([item], { ip: '127.0.0.1', live: true });
    assert.equal(heard!.status, 'expired');
    const [reported] = await domain.ingest([item], { ip: '127.0.0.1' });
    assert.equal(reported!.status, 'accepted');
  });

  it('remembers nonces longer than envelopes are accepted, and not for ever', async () => {
    const beacon = asker.beacon('asker');
    await domain.take(beacon);
    const ref = noncesRef(asker.id, beacon.envelope.nonce);
    const forget = () => forgetNonces(domain.space, domain.epochs.at(domain.clock.now()), new AbortController().signal);
    domain.clock.time += 5 * DAY;
    assert.deepEqual(await domain.take(beacon), ['expired']);
    await forget();
    assert.ok(await domain.space.get(ref));
    domain.clock.time += 12 * DAY;
    await forget();
    assert.equal(await domain.space.get(ref), undefined);
  });

  it('ranks newcomers between the good and the bad', async () => {
    const [good, bad, newcomer] = [await rated('good', 100), await rated('bad', -100), new TestAgent('newcomer', now)];
    await domain.take(newcomer.beacon('newcomer'));
    await domain.score();
    const order = await listAgents(domain.space, { limit: 10, offset: 0, sort: 'reputation' });
    // What costs nothing lifts nobody, and lowers a little.
    const places = [good, newcomer, bad].map(({ id }) => order.findIndex((agent) => agent.agent_id === id));
    assert.deepEqual(
      places,
      [...places].sort((one, other) => one - other),
    );
    const leaders = await listLeaders(domain.space, { limit: 10, offset: 0 });
    assert.deepEqual(
      leaders.map(({ agent_id }) => agent_id),
      [good.id, bad.id],
    );
  });
});
