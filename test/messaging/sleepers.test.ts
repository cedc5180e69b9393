import assert from 'node:assert/strict';
import type { StrandedLetter } from '../../core/messaging/fallback.ts';
import { outbox } from '../../core/messaging/records.ts';
import { acked, away, events, identityOf, MessagesBench } from './support.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('letters to a sleeper', () => {
  let alice: MessagesBench;
  /** Ids of the letters that were left with the aggregator, in order. */
  let left: string[];
  beforeEach(async () => {
    alice = await MessagesBench.start();
    left = [];
    alice.answer = () => away;
    alice.leave = async ({ id }: StrandedLetter) => {
      left.push(id);
      return { held: true, by: 'an aggregator' };
    };
  });
  afterEach(() => alice.messages.close());

  const entry = async ({ envelope_id }: { envelope_id: string }) => (await alice.space.get(outbox.ref(envelope_id)))!;
  const dials = () => alice.sentTo('bob').length;

  it('are left at once after the first, which was tried: nobody dials it for each', async () => {
    const sent = [];
    for (let i = 0; i < 30; i++) sent.push(await alice.say('bob', i % 4));
    assert.deepEqual(
      left,
      sent.map(({ envelope_id }) => envelope_id),
    );
    assert.equal(dials(), 1);
    for (const one of sent)
      assert.deepEqual(events(await entry(one)), ['journaled', 'left in a pending queue: an aggregator']);
  });

  it('have it dialled once more a minute later, whether or not somebody writes then', async () => {
    await alice.say('bob');
    await alice.say('bob');
    await alice.pass(2 * MINUTE);
    assert.equal(dials(), 2);
    await alice.say('bob');
    assert.equal(dials(), 1);
  });

  it('cost a try in some minutes while it sleeps for hours, however many there are', async () => {
    for (let i = 0; i < 20; i++) await alice.say('bob', i % 3);
    dials();
    await alice.pass(2 * HOUR, 10_000);
    const tries = dials();
    assert.ok(tries >= 20 && tries <= 35, `${tries} tries in two hours`);
    assert.equal(left.length, 20);
  });

  it('go to it directly, the oldest first, once nobody takes letters for it', async () => {
    const sent = [await alice.say('bob'), await alice.say('bob')];
    alice.sentTo('bob');
    alice.answer = () => acked('accepted');
    alice.leave = async () => ({ held: false, reason: 'conflict at an aggregator' });
    sent.push(await alice.say('bob'));
    assert.equal(sent[2]!.status, 'delivered');
    assert.deepEqual(
      alice.sentTo('bob'),
      sent.map(({ envelope_id }) => envelope_id),
    );
  });

  it('that its queue has no room for are tried again from here, and say why', async () => {
    await alice.say('bob');
    alice.leave = async () => ({ held: false, reason: 'pending_full at an aggregator' });
    const more = await alice.say('bob');
    assert.equal(events(await entry(more)).at(-1), 'not delivered: unreachable; pending_full at an aggregator');
    alice.answer = () => acked('accepted');
    await alice.pass(3_000);
    assert.equal((await entry(more)).status, 'delivered');
  });

  it('go to it directly as soon as it appears', async () => {
    const sent = [await alice.say('bob'), await alice.say('bob')];
    alice.sentTo('bob');
    alice.answer = () => acked('accepted');
    alice.messages.reachable(identityOf('bob').address);
    await alice.pass(100, 10);
    assert.equal(dials(), 2);
    assert.equal((await alice.say('bob')).status, 'delivered');
    assert.equal((await entry(sent[0]!)).status, 'delivered');
    assert.equal(left.length, 2);
  });
});
