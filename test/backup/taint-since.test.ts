import assert from 'node:assert/strict';
import { taintSince } from '../../core/host/backup/taint-since.ts';
import { EpochJournal, JUMP } from '../../core/messaging/epoch-journal.ts';
import { SetClock } from '../mesh/virtual-clock.ts';
import { identityOf, MessagesBench, network } from '../messaging/support.ts';

const DAY = 86_400_000;
const EPOCH = 20_000;

async function start() {
  const clock = new SetClock(EPOCH * DAY + 1_000);
  const alice = await MessagesBench.start(undefined, clock);
  const { address } = identityOf('alice');
  const journal = new EpochJournal({ space: alice.space, clock, address, epochSecs: network.epochSecs });
  const states = async (...epochs: number[]) =>
    (await Promise.all(epochs.map((epoch) => journal.view(epoch)))).map(({ state }) => state);
  return { clock, alice, journal, states };
}

describe('a journal that was put back', () => {
  it('is tainted from the epoch of its backup to the current one', async () => {
    const { clock, alice, journal, states } = await start();
    await alice.say('bob');
    const madeAt = clock.now() + DAY;
    clock.ahead += 3 * DAY;
    const tainted = await taintSince(journal, madeAt, 0, clock.now());
    assert.deepEqual(tainted, { from: EPOCH + 1, to: EPOCH + 3, above: JUMP });
    assert.deepEqual(await states(EPOCH, EPOCH + 1, EPOCH + 2, EPOCH + 3), ['open', 'tainted', 'tainted', 'tainted']);
  });

  it('is tainted from the last epoch it signed in when nobody knows when it was copied', async () => {
    const { clock, alice, journal, states } = await start();
    await alice.say('bob');
    clock.ahead += 2 * DAY;
    assert.deepEqual(await taintSince(journal, undefined, 0, clock.now()), { from: EPOCH, to: EPOCH + 2, above: JUMP });
    assert.deepEqual(await states(EPOCH - 1, EPOCH), ['open', 'tainted']);
  });

  it('keeps epochs that were closed before, since nothing was signed in them later', async () => {
    const { clock, alice, journal, states } = await start();
    await alice.say('bob');
    clock.ahead += DAY;
    await journal.close(EPOCH);
    await taintSince(journal, undefined, 0, clock.now());
    assert.deepEqual(await states(EPOCH, EPOCH + 1), ['complete', 'tainted']);
  });

  it('goes on above every number that is known to be used', async () => {
    const { clock, alice, journal } = await start();
    await alice.say('bob');
    assert.equal((await taintSince(journal, clock.now(), 500, clock.now())).above, 500 + JUMP);
    assert.equal((await taintSince(journal, clock.now(), 0, clock.now())).above, 500 + 2 * JUMP);
  });

  it('looks back no further than the journal does', async () => {
    const { clock, journal } = await start();
    clock.ahead += 100 * DAY;
    assert.equal((await taintSince(journal, 0, 0, clock.now())).from, EPOCH + 90);
    assert.equal((await taintSince(journal, undefined, 0, clock.now())).from, EPOCH + 100);
  });
});
