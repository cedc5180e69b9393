import assert from 'node:assert/strict';
import { isMeshError, MeshError } from '../../core/contracts/errors.ts';
import { nonces, outbox, reports } from '../../core/messaging/records.ts';
import { MAX_SEQ, nonceOf } from '../../core/protocol/envelopes/epochs.ts';
import { SetClock, VirtualClock } from '../mesh/virtual-clock.ts';
import { identityOf, MessagesBench } from './support.ts';

const DAY = 86_400_000;
/** Ten minutes before the end of epoch 20 000. */
const LATE = 20_001 * DAY - 600_000;

function code(of: string) {
  return (error: unknown) => isMeshError(error) && error.code === of;
}

describe('nonces', () => {
  it('are consecutive over types and recipients', async () => {
    const alice = await MessagesBench.start(undefined, new VirtualClock(LATE));
    const sent = [await alice.say('bob'), await alice.shout(), await alice.say('carol')];
    assert.deepEqual(
      sent.map(({ nonce }) => nonce),
      [1, 2, 3].map((seq) => nonceOf(20_000, seq)),
    );
  });

  it('are consecutive when many are asked for at once', async () => {
    const alice = await MessagesBench.start(undefined, new VirtualClock(LATE));
    const sent = await Promise.all(Array.from({ length: 50 }, () => alice.say('bob')));
    const seqs = sent.map(({ nonce }) => nonce - nonceOf(20_000, 1) + 1).sort((a, b) => a - b);
    assert.deepEqual(
      seqs,
      Array.from({ length: 50 }, (_, index) => index + 1),
    );
  });

  it('begin at 1 in every epoch and go on over restarts', async () => {
    const clock = new VirtualClock(LATE);
    const first = await MessagesBench.start(undefined, clock);
    assert.equal((await first.say('bob')).nonce, nonceOf(20_000, 1));
    const second = await MessagesBench.start(first.space, clock);
    assert.equal((await second.say('bob')).nonce, nonceOf(20_000, 2));
    await clock.advance(700_000);
    const third = await MessagesBench.start(first.space, clock);
    assert.equal((await third.say('bob')).nonce, nonceOf(20_001, 1));
    assert.equal((await third.say('bob')).nonce, nonceOf(20_001, 2));
  });

  it('are not given out when the clock went back to an epoch that was left', async () => {
    const clock = new SetClock(LATE + DAY);
    const alice = await MessagesBench.start(undefined, clock);
    await alice.say('bob');
    clock.ahead = -DAY;
    await assert.rejects(alice.say('bob'), code('not_ready'));
    const restarted = await MessagesBench.start(alice.space, clock);
    await assert.rejects(restarted.say('bob'), code('not_ready'));
    assert.equal(await alice.space.count(outbox), 1);
    clock.ahead = -60_000;
    assert.equal((await alice.say('bob')).nonce, nonceOf(20_001, 2));
  });

  it('are not used up by what is not sent', async () => {
    const alice = await MessagesBench.start(undefined, new VirtualClock(LATE));
    const refusing = {
      reads: [],
      apply() {
        throw new MeshError('invalid_transition', 'not now');
      },
    };
    await assert.rejects(alice.say('bob', 1, refusing), code('invalid_transition'));
    await assert.rejects(alice.say('alice'), code('invalid_request'));
    assert.deepEqual([await alice.space.count(outbox), await alice.space.page(reports)], [0, []]);
    assert.equal((await alice.say('bob')).nonce, nonceOf(20_000, 1));
  });

  it('are given once to an operation that is repeated, over a restart too', async () => {
    const clock = new VirtualClock(LATE);
    const first = await MessagesBench.start(undefined, clock);
    const sent = await first.say('bob', 1, undefined, 'operation 1');
    assert.deepEqual(await first.say('bob', 1, undefined, 'operation 1'), sent);
    const second = await MessagesBench.start(first.space, clock);
    assert.deepEqual(await second.say('bob', 1, undefined, 'operation 1'), sent);
    assert.equal((await second.say('bob')).nonce, sent.nonce + 1);
  });

  it('run out before they run over', async () => {
    const alice = await MessagesBench.start(undefined, new VirtualClock(LATE));
    await alice.space.put(nonces.ref(identityOf('alice').address), { epoch: 20_000, seq: MAX_SEQ - 1 });
    assert.equal((await alice.say('bob')).nonce, nonceOf(20_000, MAX_SEQ));
    await assert.rejects(alice.say('bob'), code('rate_limited'));
    await alice.clock.advance(700_000);
    assert.equal((await alice.say('bob')).nonce, nonceOf(20_001, 1));
  });
});
