import assert from 'node:assert/strict';
import { outbox } from '../../core/messaging/records.ts';
import { decodeReceipt } from '../../core/protocol/envelopes/receipt.ts';
import { eventually } from '../support/eventually.ts';
import { acked, away, events, identityOf, MessagesBench, network } from './support.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('the outbox', () => {
  let alice: MessagesBench;
  beforeEach(async () => {
    alice = await MessagesBench.start();
  });
  afterEach(() => alice.messages.close());

  const entry = async ({ envelope_id }: { envelope_id: string }) => (await alice.space.get(outbox.ref(envelope_id)))!;

  it('says delivered when the recipient has taken it, and keeps header and signature', async () => {
    const sent = await alice.say('bob');
    assert.equal(sent.status, 'delivered');
    const kept = await entry(sent);
    assert.deepEqual([kept.status, events(kept)], ['delivered', ['journaled', 'acknowledged: accepted']]);
    const receipt = decodeReceipt(Buffer.from(kept.bytes, 'base64'));
    assert.ok(receipt.ok && receipt.value.nonce === sent.nonce);
  });

  it('takes a duplicate for delivered: it was taken before', async () => {
    alice.answer = () => acked('duplicate');
    assert.equal((await alice.say('bob')).status, 'delivered');
  });

  for (const reason of ['invalid', 'blocked', 'expired', 'conflict'] as const) {
    it(`gives up what is ${reason} at once`, async () => {
      alice.answer = () => acked(reason);
      const sent = await alice.say('bob');
      assert.equal(sent.status, 'refused');
      assert.deepEqual(
        [(await entry(sent)).status, events(await entry(sent)).at(-1)],
        ['refused', `refused: ${reason}`],
      );
      await alice.pass(10 * MINUTE);
      assert.equal(alice.sentTo('bob').length, 1);
    });
  }

  it('tries again with growing pauses until the recipient is there', async () => {
    alice.answer = () => away;
    const sent = await alice.say('bob');
    assert.equal(sent.status, 'queued');
    const times: number[] = [];
    alice.answer = () => {
      times.push(alice.clock.now());
      return away;
    };
    await alice.pass(20 * MINUTE);
    const pauses = times.slice(1).map((time, index) => time - times[index]!);
    for (const [index, pause] of pauses.entries()) {
      const expected = Math.min(2_000 * 2 ** index, 300_000);
      assert.ok(pause >= 0.8 * expected - 1 && pause <= 1.2 * expected + 2_000, `pause ${index}: ${pause} ms`);
    }
    assert.ok(times.length >= 8);
    alice.answer = () => acked('accepted');
    await alice.pass(7 * MINUTE);
    assert.equal((await entry(sent)).status, 'delivered');
  });

  it('does not wait longer for a recipient because much is written to it meanwhile', async () => {
    alice.answer = () => away;
    const first = await alice.say('bob');
    for (let i = 0; i < 30; i++) await alice.say('bob');
    const waiting = await entry(first);
    assert.deepEqual([waiting.attempts, events(waiting)], [1, ['journaled', 'not delivered: unreachable']]);
    alice.answer = () => acked('accepted');
    await alice.pass(2_000);
    assert.equal((await entry(first)).status, 'delivered');
  });

  it('sends everything in order as soon as the recipient appears', async () => {
    alice.answer = () => away;
    const sent = [];
    for (let i = 0; i < 200; i++) sent.push(await alice.say('bob', i % 3));
    await alice.pass(HOUR, MINUTE);
    alice.sentTo('bob');
    alice.answer = () => acked('accepted');
    alice.messages.reachable(identityOf('bob').address);
    await alice.pass(100, 10);
    assert.deepEqual(
      alice.sentTo('bob'),
      sent.map(({ envelope_id }) => envelope_id),
    );
  });

  it('conversations do not wait for each other, the messages of one do', async () => {
    alice.answer = () => away;
    const conversationOf = new Map<string, string>();
    for (let i = 0; i < 40; i++) {
      const sent = await alice.say('bob', i % 4);
      conversationOf.set(sent.envelope_id, sent.conversation_id);
    }
    await alice.pass(HOUR, MINUTE);
    const underWay: string[] = [];
    let most = 0;
    alice.answer = async (_, id) => {
      const conversation = conversationOf.get(id)!;
      assert.ok(!underWay.includes(conversation), 'one after the other');
      underWay.push(conversation);
      most = Math.max(most, underWay.length);
      for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
      underWay.splice(underWay.indexOf(conversation), 1);
      return acked('accepted');
    };
    alice.sentTo('bob');
    alice.messages.reachable(identityOf('bob').address);
    await eventually(() => alice.sent.length === 40);
    assert.ok(most > 1 && most <= 4, `${most} side by side`);
    assert.equal(new Set(alice.sentTo('bob')).size, 40);
  });

  it('a new message does not overtake one that waits', async () => {
    alice.answer = () => away;
    const first = await alice.say('bob');
    alice.sentTo('bob');
    alice.answer = () => acked('accepted');
    const second = await alice.say('bob');
    assert.deepEqual(alice.sentTo('bob'), [first.envelope_id, second.envelope_id]);
    assert.equal(second.status, 'delivered');
  });

  it('a recipient that is away, however much waits for it, holds up nobody else', async () => {
    alice.answer = (to) => (to === 'bob' ? away : acked('accepted'));
    for (let i = 0; i < 300; i++) await alice.say('bob', i % 7);
    alice.answer = () => away;
    const late = await alice.say('carol');
    alice.answer = (to) => (to === 'bob' ? away : acked('accepted'));
    await alice.pass(5_000);
    assert.equal((await entry(late)).status, 'delivered');
    assert.equal((await alice.say('dave')).status, 'delivered');
  });

  it('one look at a recipient that is away costs one attempt', async () => {
    alice.answer = () => away;
    for (let i = 0; i < 100; i++) await alice.say('bob', i % 7);
    alice.sentTo('bob');
    await alice.pass(MINUTE);
    assert.ok(alice.sentTo('bob').length < 10);
  });

  it('a message that is put off holds up its conversation, and no other', async () => {
    let busy = true;
    const held = new Set<string>();
    alice.answer = (_, id) => acked(busy && held.has(id) ? 'rate-limited' : 'accepted');
    alice.answer = () => acked('rate-limited');
    const first = await alice.say('bob', 1);
    held.add(first.envelope_id);
    alice.answer = (_, id) => acked(busy && held.has(id) ? 'rate-limited' : 'accepted');
    const second = await alice.say('bob', 1);
    const other = await alice.say('bob', 2);
    assert.deepEqual([first.status, second.status, other.status], ['queued', 'queued', 'delivered']);
    assert.equal(events(await entry(first)).at(-1), 'put off: rate-limited');
    busy = false;
    alice.sentTo('bob');
    await alice.pass(5_000);
    assert.deepEqual(alice.sentTo('bob'), [first.envelope_id, second.envelope_id]);
    assert.equal((await entry(second)).status, 'delivered');
  });

  it('a recipient that puts off everything is left alone for a while', async () => {
    alice.answer = () => acked('rate-limited');
    for (let i = 0; i < 20; i++) await alice.say('bob', i);
    alice.sentTo('bob');
    await alice.pass(10 * MINUTE);
    assert.ok(alice.sentTo('bob').length < 150, 'at most three attempts a look');
  });

  it('gives an envelope up after four epochs, visibly', async () => {
    alice.answer = () => away;
    const sent = await alice.say('bob');
    await alice.pass(4 * network.epochSecs * 1_000, 10 * MINUTE);
    assert.equal((await entry(sent)).status, 'queued');
    await alice.pass(10 * MINUTE);
    const kept = await entry(sent);
    assert.deepEqual([kept.status, events(kept).at(-1)], ['expired', 'expired']);
    assert.ok(kept.hops.length <= 32 && kept.attempts > 500);
    alice.sentTo('bob');
    await alice.pass(HOUR, MINUTE);
    assert.deepEqual(alice.sentTo('bob'), []);
  });

  it('gives a broadcast up when everybody would refuse it', async () => {
    alice.answer = () => away;
    const sent = await alice.shout();
    await alice.pass(40_000);
    assert.equal((await entry(sent)).status, 'expired');
  });

  it('sends broadcasts as soon as a hub appears', async () => {
    alice.answer = () => away;
    const sent = await alice.shout();
    alice.answer = () => ({ outcome: 'sent' });
    alice.messages.hubReachable();
    await alice.pass(100, 10);
    assert.equal((await entry(sent)).status, 'broadcast');
  });

  it('goes on after a restart with what was not delivered, in order', async () => {
    alice.answer = () => away;
    const sent = [await alice.say('bob'), await alice.say('carol'), await alice.say('bob')];
    const delivered = [];
    alice.messages.close();
    const again = await MessagesBench.start(alice.space, alice.clock);
    await again.pass(1_000, 100);
    delivered.push(again.sentTo('bob'), again.sentTo('carol'));
    assert.deepEqual(delivered, [[sent[0]!.envelope_id, sent[2]!.envelope_id], [sent[1]!.envelope_id]]);
    again.messages.close();
  });
});
