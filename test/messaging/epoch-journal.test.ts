import assert from 'node:assert/strict';
import { isMeshError } from '../../core/contracts/errors.ts';
import { EpochJournal, JUMP, type Leaf } from '../../core/messaging/epoch-journal.ts';
import { fromHex, toHex } from '../../core/platform/bytes.ts';
import { MAX_SEQ, nonceOf, seqOfNonce } from '../../core/protocol/envelopes/epochs.ts';
import { envelopeId } from '../../core/protocol/envelopes/header.ts';
import { decodeReceipt, verifyReceipt } from '../../core/protocol/envelopes/receipt.ts';
import { SetClock } from '../mesh/virtual-clock.ts';
import { identityOf, MessagesBench, network } from './support.ts';

const DAY = 86_400_000;
const EPOCH = 20_000;

async function start() {
  const clock = new SetClock(EPOCH * DAY + 1_000);
  const alice = await MessagesBench.start(undefined, clock);
  return { clock, alice, journal: journalOf(alice) };
}

function journalOf({ space, clock }: MessagesBench): EpochJournal {
  return new EpochJournal({ space, clock, address: identityOf('alice').address, epochSecs: network.epochSecs });
}

async function leavesOf(journal: EpochJournal, epoch: number): Promise<Leaf[]> {
  const leaves: Leaf[] = [];
  for await (const leaf of journal.leaves(epoch)) leaves.push(leaf);
  return leaves;
}

function code(of: string) {
  return (error: unknown) => isMeshError(error) && error.code === of;
}

describe('the journal of epochs', () => {
  it('lists the ids of an epoch by sequence number, and of no other', async () => {
    const { clock, alice, journal } = await start();
    const first = [await alice.say('bob'), await alice.shout(), await alice.say('carol')];
    clock.ahead += DAY;
    const second = [await alice.say('bob')];
    assert.deepEqual(
      await leavesOf(journal, EPOCH),
      first.map(({ envelope_id }, index) => ({ seq: index + 1, id: fromHex(envelope_id, 32)! })),
    );
    assert.deepEqual(
      (await leavesOf(journal, EPOCH + 1)).map(({ id }) => toHex(id)),
      second.map(({ envelope_id }) => envelope_id),
    );
    assert.deepEqual(await leavesOf(journal, EPOCH + 2), []);
    assert.deepEqual(await journal.view(EPOCH), { epoch: EPOCH, state: 'open', count: 3 });
    assert.deepEqual(await journal.view(EPOCH - 1), { epoch: EPOCH - 1, state: 'open', count: 0 });
  });

  it('lists more than one page', async () => {
    const { alice, journal } = await start();
    await Promise.all(Array.from({ length: 600 }, () => alice.say('bob')));
    const seqs = (await leavesOf(journal, EPOCH)).map(({ seq }) => seq);
    assert.deepEqual(
      seqs,
      Array.from({ length: 600 }, (_, index) => index + 1),
    );
  });

  it('gives header and signature by epoch and number, before and after delivery, for ten epochs', async () => {
    const { clock, alice, journal } = await start();
    const delivered = await alice.say('bob');
    alice.answer = () => ({ outcome: 'unreachable' });
    const waiting = await alice.say('bob');
    for (const [seq, sent] of [delivered, waiting].entries()) {
      const receipt = decodeReceipt((await journal.receiptAt(EPOCH, seq + 1))!);
      assert.ok(receipt.ok && verifyReceipt(receipt.value, network));
      assert.equal(toHex(envelopeId(receipt.value)), sent.envelope_id);
    }
    assert.ok(await journal.holds(delivered.nonce, fromHex(delivered.envelope_id, 32)!));
    assert.ok(!(await journal.holds(delivered.nonce, fromHex(waiting.envelope_id, 32)!)));
    clock.ahead += 10 * DAY;
    assert.ok(await journal.receiptAt(EPOCH, 1));
    for (const seq of [0, 3, 1.5, MAX_SEQ + 1]) assert.equal(await journal.receiptAt(EPOCH, seq), undefined);
  });

  it('closes only what is over, and then nothing is signed there, over a restart too', async () => {
    const { clock, alice, journal } = await start();
    await alice.say('bob');
    await assert.rejects(journal.close(EPOCH), code('conflict'));
    clock.ahead += DAY;
    assert.equal((await journal.close(EPOCH)).state, 'complete');
    assert.equal((await journal.close(EPOCH)).state, 'complete');
    assert.equal((await journal.view(EPOCH + 1)).state, 'open');
    clock.ahead -= DAY;
    await assert.rejects(alice.say('bob'), code('not_ready'));
    const restarted = await MessagesBench.start(alice.space, clock);
    await assert.rejects(restarted.say('bob'), code('not_ready'));
    clock.ahead += DAY;
    assert.equal((await alice.say('bob')).nonce, nonceOf(EPOCH + 1, 1));
  });

  it('closes an epoch in which nothing was signed', async () => {
    const { journal } = await start();
    assert.deepEqual(await journal.close(EPOCH - 1), { epoch: EPOCH - 1, state: 'complete', count: 0 });
  });

  it('remembers what was submitted, and forgets what is too old', async () => {
    const { clock, journal } = await start();
    clock.ahead += DAY;
    await journal.submitted(EPOCH);
    assert.equal((await journal.view(EPOCH)).state, 'submitted');
    assert.equal((await journal.view(EPOCH + 1)).state, 'open');
    clock.ahead += 20 * DAY;
    assert.equal((await journal.view(EPOCH + 5)).state, 'forgotten');
  });

  it('knows after a long absence that nothing was signed meanwhile, before and after it signs again', async () => {
    const { clock, alice, journal } = await start();
    await alice.say('bob');
    clock.ahead += 30 * DAY;
    const states = async () =>
      Promise.all([EPOCH, EPOCH + 1, EPOCH + 19].map(async (epoch) => (await journal.view(epoch)).state));
    assert.deepEqual(await states(), ['forgotten', 'open', 'open']);
    await alice.say('bob');
    assert.deepEqual(await states(), ['forgotten', 'open', 'open']);
    assert.deepEqual(await journal.close(EPOCH + 1), { epoch: EPOCH + 1, state: 'complete', count: 0 });
    clock.ahead += 2 * DAY;
    await alice.say('bob');
    assert.deepEqual(await states(), ['forgotten', 'complete', 'open']);
  });

  it('knows nothing of a long absence when the key signed elsewhere', async () => {
    const { clock, alice, journal } = await start();
    await alice.say('bob');
    clock.ahead += 30 * DAY;
    await journal.taint(EPOCH + 29, 'a test');
    assert.equal((await journal.view(EPOCH + 1)).state, 'forgotten');
    await alice.say('bob');
    assert.equal((await journal.view(EPOCH + 1)).state, 'forgotten');
  });

  it('jumps in a tainted epoch, once, and goes on at 1 in the next', async () => {
    const { clock, alice, journal } = await start();
    await alice.say('bob');
    await alice.say('bob');
    await journal.taint(EPOCH, 'somebody else signed', 7);
    assert.equal((await alice.say('bob')).nonce, nonceOf(EPOCH, JUMP + 3));
    await journal.taint(EPOCH, 'again', JUMP);
    assert.equal((await alice.say('bob')).nonce, nonceOf(EPOCH, JUMP + 4));
    assert.deepEqual(await journal.view(EPOCH), {
      epoch: EPOCH,
      state: 'tainted',
      count: JUMP + 4,
      why: 'somebody else signed',
    });
    clock.ahead += DAY;
    assert.equal((await journal.close(EPOCH)).state, 'tainted');
    assert.equal((await alice.say('bob')).nonce, nonceOf(EPOCH + 1, 1));
    assert.deepEqual(
      (await leavesOf(journal, EPOCH)).map(({ seq }) => seq),
      [1, 2, JUMP + 3, JUMP + 4],
    );
  });

  it('stops signing in an epoch where somebody signed beyond the jump', async () => {
    const { clock, alice, journal } = await start();
    const sent = await alice.say('bob');
    assert.equal((await journal.taint(EPOCH, 'a copy', 5))?.stopped, false);
    await alice.say('bob');
    assert.equal((await journal.taint(EPOCH, 'a copy', seqOfNonce(sent.nonce) + JUMP + 1))?.stopped, true);
    await assert.rejects(alice.say('bob'), code('identity_in_use'));
    const restarted = await MessagesBench.start(alice.space, clock);
    await assert.rejects(restarted.say('bob'), code('identity_in_use'));
    clock.ahead += DAY;
    assert.equal((await restarted.say('bob')).nonce, nonceOf(EPOCH + 1, 1));
  });

  it('taints epochs that are over or to come, but none that was submitted', async () => {
    const { clock, alice, journal } = await start();
    clock.ahead += 2 * DAY;
    await journal.submitted(EPOCH);
    assert.equal(await journal.taint(EPOCH, 'too late'), undefined);
    assert.equal((await journal.view(EPOCH)).state, 'submitted');
    await journal.close(EPOCH + 1);
    await journal.taint(EPOCH + 1, 'a copy');
    assert.equal((await journal.view(EPOCH + 1)).state, 'tainted');
    await journal.taint(EPOCH + 3, 'a clock ahead', 1);
    clock.ahead += DAY;
    assert.equal((await alice.say('bob')).nonce, nonceOf(EPOCH + 3, JUMP + 1));
    assert.deepEqual(
      (await journal.taints()).map(({ epoch }) => epoch),
      [EPOCH + 1, EPOCH + 3],
    );
  });

  it('forgets taints with their epochs', async () => {
    const { clock, journal } = await start();
    for (let day = 0; day < 30; day++) {
      await journal.taint(journal.current, 'every day');
      clock.ahead += DAY;
    }
    assert.equal((await journal.taints()).length, 11);
  });
});
