import assert from 'node:assert/strict';
import { newConversation, signDeal, TestAgent } from './support/agent.ts';
import { bootAggregator, type Item, statuses, type TestAggregator } from './support/aggregator.ts';

let made = 0;
function agents<const N extends string>(...names: N[]): Record<N, TestAgent> {
  made += 1;
  return Object.fromEntries(names.map((name) => [name, new TestAgent(`${name} ${made}`)])) as Record<N, TestAgent>;
}

function permutations<T>(all: readonly T[]): T[][] {
  if (all.length < 2) return [[...all]];
  return all.flatMap((one, index) => permutations(all.toSpliced(index, 1)).map((rest) => [one, ...rest]));
}

describe('feedback at an aggregator', () => {
  let aggregator: TestAggregator;
  before(async () => {
    aggregator = await bootAggregator();
  });
  after(async () => {
    assert.deepEqual(aggregator.errors, []);
    await aggregator.stop();
  });

  async function take(...items: Item[]): Promise<void> {
    for (const item of items) assert.deepEqual(statuses(await aggregator.ingest(item)), ['accepted']);
  }
  async function ratings(agent: TestAgent): Promise<number[]> {
    const { status, body } = await aggregator.fetch(`/reputation/${agent.id}`);
    return status === 404 ? [] : body.recent_scores;
  }
  async function kinds(agent: TestAgent): Promise<string[]> {
    const events = await aggregator.read('/activity?limit=200');
    const own = events.filter((event: any) => event.agent_id === agent.id || event.target_agent_id === agent.id);
    return own.map((event: any) => event.event_type).reverse();
  }
  async function dropped(reason: string): Promise<number> {
    const text = await (await fetch(`${aggregator.url}/metrics`)).text();
    const line = text
      .split('\n')
      .find((one) => one.startsWith('mesh_feedback_dropped_total') && one.includes(`"${reason}"`));
    return Number(line?.split(' ').at(-1) ?? 0);
  }

  it('comes to the same in whatever order receipts and feedback arrive', async () => {
    const outcomes = new Set<string>();
    for (const order of permutations([0, 1, 2, 3])) {
      const { asker, worker } = agents('asker', 'worker');
      const { conversation, propose, accept, deliver } = signDeal(asker, worker);
      const items = [propose.receipt, accept.receipt, deliver.receipt, asker.feedback(worker, conversation, 70).whole];
      await take(...order.map((index) => items[index]!));
      const { score, feedback_count, lower_bound } = await aggregator.scored(
        `/reputation/${worker.id}`,
        ({ rater_count }) => rater_count === 1,
      );
      outcomes.add(JSON.stringify([score, feedback_count, lower_bound, (await kinds(worker)).sort()]));
    }
    assert.deepEqual([...outcomes].length, 1, [...outcomes].join('\n'));
    assert.match([...outcomes][0]!, /\[1,1,-28.62,.*\["ACCEPT","DELIVER","FEEDBACK"\]/);
  });

  it('comes to the same when all arrive at once', async () => {
    const { asker, worker } = agents('asker', 'worker');
    const { conversation, propose, accept, deliver } = signDeal(asker, worker);
    const feedback = asker.feedback(worker, conversation, 70);
    const all = [feedback.whole, deliver.receipt, accept.receipt, propose.receipt];
    await Promise.all(all.map((item) => aggregator.ingest(item)));
    assert.deepEqual(await ratings(worker), [70]);
  });

  it('is dropped when it rates its own sender', async () => {
    const { asker, worker } = agents('asker', 'worker');
    const { conversation, propose, accept, deliver } = signDeal(asker, worker);
    await take(propose.receipt, accept.receipt, deliver.receipt);
    const before = await dropped('self');
    await take(worker.feedback(worker, conversation, 100).whole);
    assert.deepEqual(await ratings(worker), []);
    assert.equal(await dropped('self'), before + 1);
  });

  it('has no effect without an ACCEPT', async () => {
    const { asker, worker } = agents('asker', 'worker');
    const { conversation, propose, deliver } = signDeal(asker, worker);
    await take(propose.receipt, deliver.receipt, asker.feedback(worker, conversation, -100).whole);
    assert.deepEqual(await ratings(worker), []);
    assert.deepEqual(await kinds(worker), []);
  });

  it('has no effect in a conversation nobody heard of, and makes its target no agent', async () => {
    const { asker, worker } = agents('asker', 'worker');
    await take(asker.feedback(worker, newConversation(), -100).whole);
    assert.equal((await aggregator.fetch(`/reputation/${worker.id}`)).status, 404);
  });

  it('has no effect from a stranger to the deal', async () => {
    const { asker, worker, stranger } = agents('asker', 'worker', 'stranger');
    const { conversation, propose, accept, deliver } = signDeal(asker, worker);
    await take(propose.receipt, accept.receipt, deliver.receipt);
    await take(stranger.feedback(worker, conversation, -100).whole, worker.feedback(stranger, conversation, 100).whole);
    assert.deepEqual(await ratings(worker), []);
    assert.deepEqual(await ratings(stranger), []);
  });

  it('has no effect on the word of one side alone', async () => {
    const { asker, worker } = agents('asker', 'worker');
    const conversation = newConversation();
    const payload = { amount_usdc_micro: 0n, message: 'x', max_rounds: 2 };
    const propose = asker.sign('PROPOSE', { to: worker, conversation, payload });
    const accept = asker.sign('ACCEPT', {
      to: worker,
      conversation,
      payload: { amount_usdc_micro: 0n, offer_id: propose.id },
    });
    const reject = asker.sign('REJECT', { to: worker, conversation, payload: { reason: 'no' } });
    const dispute = asker.sign('DISPUTE', { to: worker, conversation, payload: { reason: 'bad' } });
    await take(
      propose.receipt,
      accept.receipt,
      reject.receipt,
      dispute.whole,
      asker.feedback(worker, conversation, -100).whole,
    );
    assert.deepEqual(await kinds(asker), ['REJECT']);
    assert.deepEqual(await kinds(worker), []);
    assert.equal((await aggregator.fetch(`/agents/${worker.id}/profile`)).status, 404);
  });

  it('waits for the end of its deal', async () => {
    const { asker, worker } = agents('asker', 'worker');
    const { conversation, propose, accept, deliver } = signDeal(asker, worker);
    await take(propose.receipt, accept.receipt, asker.feedback(worker, conversation, 50).whole);
    assert.deepEqual(await ratings(worker), []);
    await take(deliver.receipt);
    assert.deepEqual(await ratings(worker), [50]);
  });

  it('counts once for each rater and target, and both ways', async () => {
    const { asker, worker } = agents('asker', 'worker');
    const { conversation, propose, accept, deliver } = signDeal(asker, worker);
    await take(propose.receipt, accept.receipt, deliver.receipt);
    const before = await dropped('duplicate');
    await take(asker.feedback(worker, conversation, 50).whole, asker.feedback(worker, conversation, 100).whole);
    await take(worker.feedback(asker, conversation, -20).whole);
    assert.deepEqual([await ratings(worker), await ratings(asker)], [[50], [-20]]);
    assert.equal(await dropped('duplicate'), before + 1);
  });

  it('is counted by the sign of its score where its outcome says the opposite', async () => {
    const { asker, worker } = agents('asker', 'worker');
    const { conversation, propose, accept, deliver } = signDeal(asker, worker);
    await take(
      propose.receipt,
      accept.receipt,
      deliver.receipt,
      asker.feedback(worker, conversation, -40, { outcome: 2 }).whole,
    );
    const [event] = await aggregator.read('/activity?limit=1');
    assert.deepEqual([event.event_type, event.score, event.outcome], ['FEEDBACK', -40, 'negative']);
    const agent = (await aggregator.read(`/agents/search?q=${worker.id}`))[0];
    assert.deepEqual([agent.positive_count, agent.negative_count], [0, 1]);
  });

  it('waits within bounds: the sender is told when there is too much', async () => {
    const { asker, worker } = agents('asker', 'worker');
    const early = Array.from({ length: 65 }, () => asker.feedback(worker, newConversation(), 10).whole);
    const results = statuses(await aggregator.ingest(...early));
    assert.deepEqual(results.filter((status) => status === 'accepted').length, 64);
    assert.equal(results.at(-1), 'rate-limited');
    assert.deepEqual(statuses(await aggregator.ingest(early[64]!)), ['rate-limited']);
  });

  it('shows a rejection to both once the other side has made an offer', async () => {
    const { asker, worker } = agents('asker', 'worker');
    const { conversation, propose } = signDeal(asker, worker);
    const reject = worker.sign('REJECT', { to: asker, conversation, payload: { reason: 'too little' } });
    await take(reject.receipt);
    assert.deepEqual(await kinds(worker), []);
    await take(propose.receipt);
    assert.deepEqual(await kinds(worker), ['REJECT']);
    assert.deepEqual(await kinds(asker), ['REJECT']);
  });

  it('shows the withdrawal of an offer that nobody answered, and names nobody but who withdrew it', async () => {
    const { asker, worker } = agents('asker', 'worker');
    const { conversation, propose, accept } = signDeal(asker, worker);
    const withdrawn = asker.sign('REJECT', { to: worker, conversation, payload: { reason: 'not now' } });
    await take(withdrawn.receipt);
    assert.deepEqual(await kinds(asker), []);
    await take(propose.receipt);
    const [event, ...others] = await aggregator.read(`/activity?agent_id=${asker.id}&type=REJECT`);
    assert.deepEqual([event.agent_id, event.conversation_id, others], [asker.id, conversation, []]);
    assert.deepEqual(['target_agent_id' in event, 'target_id' in event], [false, false]);
    assert.deepEqual(await kinds(worker), []);
    await take(accept.receipt);
    assert.deepEqual((await kinds(asker)).sort(), ['ACCEPT', 'REJECT'], 'an ACCEPT that crossed it makes the deal');
  });

  it('shows disputes in the profile of whom they are against', async () => {
    const { asker, worker } = agents('asker', 'worker');
    const { conversation, propose, accept, deliver } = signDeal(asker, worker);
    const dispute = asker.sign('DISPUTE', { to: worker, conversation, payload: { reason: 'page 12 is missing' } });
    await take(dispute.whole, propose.receipt, accept.receipt, deliver.receipt);
    const profile = await aggregator.read(`/agents/${worker.id}/profile`);
    assert.deepEqual(
      profile.disputes.map((one: any) => [one.sender, one.conversation_id]),
      [[asker.id, conversation]],
    );
    assert.deepEqual((await kinds(worker)).sort(), ['ACCEPT', 'DELIVER', 'DISPUTE']);
    assert.equal((await aggregator.read(`/agents/search?q=${worker.id}`))[0].dispute_count, 1);
  });

  it('lists the disputes of an agent by its role, newest first, in pages', async () => {
    const { asker, worker } = agents('asker', 'worker');
    const raised: string[] = [];
    for (const [one, other] of [
      [asker, worker],
      [worker, asker],
      [asker, worker],
    ] as const) {
      const { conversation, propose, accept, deliver } = signDeal(one, other);
      const dispute = one.sign('DISPUTE', { to: other, conversation, payload: { reason: 'bad' } });
      await take(dispute.whole, propose.receipt, accept.receipt, deliver.receipt);
      raised.unshift(conversation);
    }
    const list = async (query = ''): Promise<any[]> => aggregator.read(`/disputes/${worker.id}${query}`);
    const all = await list();
    assert.deepEqual(
      all.map(({ conversation_id, role }) => [conversation_id, role]),
      [
        [raised[0], 'disputed'],
        [raised[1], 'disputer'],
        [raised[2], 'disputed'],
      ],
    );
    assert.deepEqual(await list('?role=disputer'), [all[1]]);
    assert.deepEqual(await list('?role=disputed'), [all[0], all[2]]);
    assert.deepEqual(await list('?limit=1'), [all[0]]);
    assert.deepEqual(await list(`?before=${all[0].id}`), all.slice(1));
  });

  it('ends a deal by the verdict of the notary both assigned, in whatever order it is heard of', async () => {
    const outcomes = new Set<string>();
    for (const order of permutations([0, 1, 2, 3])) {
      const { asker, worker, judge } = agents('asker', 'worker', 'judge');
      const { conversation, propose, accept } = signDeal(asker, worker);
      await take(propose.receipt);
      const assignment = { verifier: judge.id, opaque_b64: '' };
      const items = [
        accept.receipt,
        asker.sign('NOTARIZE_ASSIGN', { to: judge, conversation, payload: assignment }).whole,
        worker.sign('NOTARIZE_ASSIGN', { to: judge, conversation, payload: assignment }).whole,
        judge.sign('VERDICT', { to: worker, conversation, payload: { outcome: 'approve' } }).whole,
      ];
      await take(...order.map((index) => items[index]!));
      await take(asker.feedback(worker, conversation, 40).whole, asker.feedback(judge, conversation, 90).whole);
      const rating = { target_agent: worker.id, score: 30, outcome: 2, is_dispute: false, role: 1 } as const;
      const payload = { conversation_id: conversation, ...rating };
      await take(judge.sign('FEEDBACK', { conversation, payload }).whole);
      const agent = (await aggregator.read(`/agents/search?q=${worker.id}`))[0];
      outcomes.add(
        JSON.stringify([
          await ratings(worker),
          await ratings(judge),
          agent.verdict_count,
          (await kinds(worker)).sort(),
        ]),
      );
    }
    assert.deepEqual(
      [...outcomes],
      [JSON.stringify([[30, 40], [90], 1, ['ACCEPT', 'FEEDBACK', 'FEEDBACK', 'VERDICT']])],
    );
  });

  it('does not let a judge in whom one side alone assigned, or nobody', async () => {
    const { asker, worker, judge } = agents('asker', 'worker', 'judge');
    const { conversation, propose, accept } = signDeal(asker, worker);
    await take(propose.receipt, accept.receipt);
    await take(judge.sign('VERDICT', { to: worker, conversation, payload: { outcome: 'approve' } }).whole);
    const payload = { verifier: judge.id, opaque_b64: '' };
    await take(asker.sign('NOTARIZE_ASSIGN', { to: judge, conversation, payload }).whole);
    await take(asker.feedback(worker, conversation, -100).whole, judge.feedback(worker, conversation, -100).whole);
    assert.deepEqual(await ratings(worker), []);
    assert.deepEqual(await kinds(worker), ['ACCEPT']);
  });

  it('is of a notary only where a notary of the deal has signed it', async () => {
    const { asker, worker, judge } = agents('asker', 'worker', 'judge');
    const { conversation, propose, accept, deliver } = signDeal(asker, worker);
    await take(propose.receipt, accept.receipt, deliver.receipt);
    const before = await dropped('not_a_notary');
    await take(asker.feedback(worker, conversation, 90, { role: 1 }).whole);
    assert.deepEqual([await ratings(worker), await dropped('not_a_notary')], [[], before + 1]);
    const payload = { verifier: judge.id, opaque_b64: '' };
    for (const side of [asker, worker])
      await take(side.sign('NOTARIZE_ASSIGN', { to: judge, conversation, payload }).whole);
    await take(judge.feedback(worker, conversation, -40, { role: 1 }).whole);
    assert.deepEqual(await ratings(worker), [], 'named by both, and has signed nothing');
    await take(judge.sign('VERDICT', { to: worker, conversation, payload: { outcome: 'reject' } }).whole);
    await take(asker.feedback(worker, conversation, 30).whole);
    assert.deepEqual((await ratings(worker)).sort(), [-40, 30]);
    const shown = await aggregator.read(`/interactions?to=${worker.id}`);
    assert.deepEqual(shown.map(({ score, role }: any) => [score, role]).sort(), [
      [-40, 'notary'],
      [30, 'participant'],
    ]);
  });
});
