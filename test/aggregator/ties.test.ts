import assert from 'node:assert/strict';
import { toBase64 } from '../../core/platform/bytes.ts';
import { encodeEnvelope } from '../../core/protocol/envelopes/codec.ts';
import type { PublicPart } from '../../core/protocol/envelopes/public-part.ts';
import { proofBytesOf } from '../../core/protocol/envelopes/receipt.ts';
import { encodeReceipt, receiptOf } from '../support/receipt.ts';
import { newConversation, type SignedDeal, signDeal, TestAgent, type Wire } from './support/agent.ts';
import { bootAggregator, type Item, statuses, type TestAggregator } from './support/aggregator.ts';

const AMOUNT = 1_500_000n;
let made = 0;
function agent(name: string): TestAgent {
  made += 1;
  return new TestAgent(`${name} of ties ${made}`);
}

const ID = /^[0-9a-f]{64}$/;
function shows(payer: TestAgent, answers?: string): PublicPart {
  assert.ok(answers === undefined || ID.test(answers));
  return {
    payer: payer.identity.key,
    answers: answers === undefined ? undefined : new Uint8Array(Buffer.from(answers, 'hex')),
  };
}

describe('what one side says alone', () => {
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
  async function scores(of: TestAgent): Promise<number[]> {
    const { status, body } = await aggregator.fetch(`/reputation/${of.id}`);
    return status === 404 ? [] : body.recent_scores;
  }
  async function kinds(of: TestAgent): Promise<string[]> {
    const events = await aggregator.read('/activity?limit=200');
    return events
      .filter((event: any) => [event.agent_id, event.target_agent_id].includes(of.id))
      .map((event: any) => event.event_type);
  }

  /** The victim has been asked, and has answered with a counter; nothing else is signed by it. */
  async function counterOf(victim: TestAgent, attacker: TestAgent) {
    const conversation = newConversation();
    const offer = { amount_usdc_micro: AMOUNT, message: 'Count.', max_rounds: 2 };
    const propose = attacker.sign('PROPOSE', { to: victim, conversation, payload: offer });
    const counter = victim.sign('COUNTER', {
      to: attacker,
      conversation,
      payload: { amount_usdc_micro: AMOUNT, round: 1 },
    });
    await take(propose.receipt, counter.receipt);
    return { conversation, counter };
  }

  const deliverable = (conversation: string) => ({
    conversation_id: conversation,
    inline_b64: toBase64(Buffer.from('x')),
  });

  const lies: [
    string,
    (victim: TestAgent, attacker: TestAgent, counter: string) => [PublicPart, (accept: string) => PublicPart],
  ][] = [
    ['with a made-up offer', (_, attacker) => [shows(attacker, '00'.repeat(32)), (accept) => shows(attacker, accept)]],
    [
      'with the counter, and delivers although it pays',
      (_, attacker, counter) => [shows(attacker, counter), (accept) => shows(attacker, accept)],
    ],
    [
      'with the counter, and says the other side pays',
      (victim, _, counter) => [shows(victim, counter), (accept) => shows(victim, accept)],
    ],
    [
      'with the counter, and delivers as if the other side paid',
      (victim, attacker, counter) => [shows(attacker, counter), (accept) => shows(victim, accept)],
    ],
  ];
  for (const [name, lie] of lies)
    it(`moves nothing when the asker accepts ${name}`, async () => {
      const [victim, attacker] = [agent('victim'), agent('attacker')];
      const { conversation, counter } = await counterOf(victim, attacker);
      const [acceptShows, deliverShows] = lie(victim, attacker, counter.id);
      const offer_id = Buffer.from(acceptShows.answers!).toString('hex');
      const accept = attacker.sign('ACCEPT', {
        ...{ to: victim, conversation, shows: acceptShows },
        payload: { amount_usdc_micro: AMOUNT, offer_id },
      });
      const named = deliverShows(accept.id);
      const payload = deliverable(conversation) as never;
      const deliver = attacker.sign('DELIVER', { to: victim, conversation, payload, shows: named });
      const rating = { conversation_id: conversation, target_agent: victim.id, score: -100, outcome: 0 } as const;
      const feedback = attacker.sign('FEEDBACK', {
        ...{ conversation, shows: named },
        payload: { ...rating, is_dispute: false, role: 0 },
      });
      await take(accept.receipt, deliver.receipt, feedback.whole);
      assert.deepEqual(await scores(victim), []);
      assert.equal((await kinds(victim)).includes('DELIVER'), false);
      assert.equal((await kinds(victim)).includes('FEEDBACK'), false);
    });

  it('takes the same steps when the other side signs its part of them', async () => {
    const [worker, asker] = [agent('worker'), agent('asker')];
    const { conversation, counter } = await counterOf(worker, asker);
    const accept = asker.sign('ACCEPT', {
      to: worker,
      conversation,
      payload: { amount_usdc_micro: AMOUNT, offer_id: counter.id },
    });
    const deliver = worker.sign('DELIVER', { to: asker, conversation, payload: deliverable(conversation) as never });
    await take(accept.receipt, deliver.receipt, asker.feedback(worker, conversation, -100).whole);
    assert.deepEqual(await scores(worker), [-100]);
  });

  it('keeps a rating that names another ACCEPT waiting', async () => {
    const [asker, worker] = [agent('asker'), agent('worker')];
    const { conversation, propose, accept, deliver } = signDeal(asker, worker);
    const rating = { conversation_id: conversation, target_agent: worker.id, score: 40, outcome: 2 } as const;
    const feedback = asker.sign('FEEDBACK', {
      ...{ conversation, shows: shows(asker, propose.id) },
      payload: { ...rating, is_dispute: false, role: 0 },
    });
    await take(propose.receipt, accept.receipt, deliver.receipt, feedback.whole);
    assert.deepEqual(await scores(worker), []);
    await take(asker.feedback(worker, conversation, 30).whole);
    assert.deepEqual(await scores(worker), [30]);
  });

  async function rated({ conversation }: SignedDeal, asker: TestAgent, worker: TestAgent): Promise<void> {
    await take(asker.feedback(worker, conversation, -70).whole);
    assert.deepEqual(await scores(worker), [-70]);
  }

  const noise = (
    agents: { asker: TestAgent; worker: TestAgent },
    deal: SignedDeal,
    n: number,
  ): Record<string, Wire> => {
    const { asker, worker } = agents;
    const { conversation } = deal;
    const madeUp = n.toString(16).padStart(64, 'e');
    const at = Date.now() - 60_000 - n;
    const to = asker;
    return {
      'earlier ACCEPTs of nothing': worker.sign('ACCEPT', {
        ...{ to, conversation, at, shows: shows(asker, madeUp) },
        payload: { amount_usdc_micro: AMOUNT, offer_id: madeUp },
      }),
      'earlier ACCEPTs of the same offer': worker.sign('ACCEPT', {
        ...{ to, conversation, at, shows: shows(asker, deal.propose.id) },
        payload: { amount_usdc_micro: AMOUNT, offer_id: deal.propose.id },
      }),
      'earlier DELIVERs of nothing': worker.sign('DELIVER', {
        ...{ to, conversation, at, shows: shows(asker, madeUp), payload: deliverable(conversation) as never },
      }),
      'ACCEPTs that say it pays itself': worker.sign('ACCEPT', {
        ...{ to, conversation, at, shows: shows(worker, deal.propose.id) },
        payload: { amount_usdc_micro: AMOUNT, offer_id: deal.propose.id },
      }),
    };
  };
  for (const kind of [
    'earlier ACCEPTs of nothing',
    'earlier ACCEPTs of the same offer',
    'earlier DELIVERs of nothing',
    'ACCEPTs that say it pays itself',
  ])
    it(`hides no deal behind ${kind}`, async () => {
      const agents = { asker: agent('asker'), worker: agent('worker') };
      const deal = signDeal(agents.asker, agents.worker);
      await take(deal.propose.receipt);
      for (let n = 1; n <= 12; n += 1) await aggregator.ingest(noise(agents, deal, n)[kind]!.receipt);
      await aggregator.ingest(deal.accept.receipt, deal.deliver.receipt);
      await rated(deal, agents.asker, agents.worker);
    });

  it('hides no offer that was accepted behind a dozen earlier ones', async () => {
    const [asker, worker] = [agent('asker'), agent('worker')];
    const deal = signDeal(asker, worker);
    const { conversation } = deal;
    for (let n = 1; n <= 12; n += 1) {
      const payload = { amount_usdc_micro: AMOUNT, message: `${n}`, max_rounds: 2 };
      const at = Date.now() - 60_000 - n;
      await take(asker.sign('PROPOSE', { to: worker, conversation, at, payload }).receipt);
    }
    assert.deepEqual(statuses(await aggregator.ingest(deal.propose.receipt)), ['rate-limited']);
    await take(deal.accept.receipt, deal.propose.receipt, deal.deliver.receipt);
    await take(worker.feedback(asker, conversation, -60).whole);
    assert.deepEqual(await scores(asker), [-60]);
  });

  it('counts an ACCEPT of an offer that was withdrawn at the same moment, whichever is heard first', async () => {
    for (const order of [
      [0, 1],
      [1, 0],
    ]) {
      const [asker, worker] = [agent('asker'), agent('worker')];
      const deal = signDeal(asker, worker);
      const { conversation } = deal;
      const withdrawn = asker.sign('REJECT', { to: worker, conversation, payload: { reason: 'not now' } });
      const crossing = [withdrawn.receipt, deal.accept.receipt];
      await take(deal.propose.receipt, ...order.map((n) => crossing[n]!), deal.deliver.receipt);
      await rated(deal, asker, worker);
    }
  });

  it('makes one deal of two proposals that cross, and it has one payer', async () => {
    const [one, other] = [agent('one'), agent('other')];
    const conversation = newConversation();
    const offer = { amount_usdc_micro: AMOUNT, message: 'Both ask.', max_rounds: 2 };
    const first = one.sign('PROPOSE', { to: other, conversation, payload: offer });
    const second = other.sign('PROPOSE', { to: one, conversation, payload: offer });
    const accept = other.sign('ACCEPT', {
      ...{ to: one, conversation, shows: shows(one, first.id) },
      payload: { amount_usdc_micro: AMOUNT, offer_id: first.id },
    });
    const by = (who: TestAgent) => {
      const to = who === one ? other : one;
      const payload = deliverable(conversation) as never;
      return who.sign('DELIVER', { to, conversation, payload, shows: shows(one, accept.id) });
    };
    await take(
      first.receipt,
      second.receipt,
      accept.receipt,
      by(one).receipt,
      one.feedback(other, conversation, -90).whole,
    );
    assert.deepEqual(await scores(other), []);
    await take(by(other).receipt);
    assert.deepEqual(await scores(other), [-90]);
  });

  const { propose } = signDeal(agent('asker'), agent('worker'));
  const bare: Item = { receipt_b64: toBase64(proofBytesOf(propose.envelope)) };
  /** Its receipt with a bit turned over, so many bytes before the end. */
  const forged = (fromEnd: number): Item => {
    const bytes = encodeReceipt(receiptOf(propose.envelope)).slice();
    bytes[bytes.length - fromEnd]! ^= 1;
    return { receipt_b64: toBase64(bytes) };
  };
  const wrong: [string, () => Item, RegExp][] = [
    ['header and signature alone', () => bare, /shows its public part/],
    ['another payer', () => forged(120), /public part|payer/],
    ['another private hash', () => forged(70), /public part/],
    [
      'an envelope whose public part says something else',
      () => {
        const { payload } = propose.envelope;
        const changed = payload.slice();
        changed[10]! ^= 1;
        return { envelope_b64: toBase64(encodeEnvelope({ ...propose.envelope, payload: changed })) };
      },
      /payload|payer/,
    ],
    [
      'a public part that is no array of two',
      () => {
        const changed = propose.envelope.payload.slice();
        changed[0] = 0x83;
        return { envelope_b64: toBase64(encodeEnvelope({ ...propose.envelope, payload: changed })) };
      },
      /public part/,
    ],
  ];
  for (const [name, item, why] of wrong)
    it(`refuses a PROPOSE with ${name}`, async () => {
      const [result] = await aggregator.ingest(item());
      assert.equal(result!.status, 'invalid');
      assert.match(result!.detail!, why);
    });

  it('refuses a conversation of zeros and a recipient that is no key', async () => {
    const asker = agent('asker');
    const payload = { amount_usdc_micro: AMOUNT, message: 'x', max_rounds: 2 };
    const zeros = asker.sign('PROPOSE', { to: agent('worker'), conversation: '00'.repeat(16), payload });
    const nobody = { identity: { key: new Uint8Array(32).fill(0).fill(1, 0, 1) } } as TestAgent;
    const weak = asker.sign('PROPOSE', { to: nobody, conversation: newConversation(), payload });
    const [one, other] = await aggregator.ingest(zeros.receipt, weak.receipt);
    assert.deepEqual([one!.status, one!.detail], ['invalid', 'no conversation']);
    assert.deepEqual([other!.status, other!.detail], ['invalid', 'anybody can sign for this recipient']);
  });
});
