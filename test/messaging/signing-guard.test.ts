import assert from 'node:assert/strict';
import { isMeshError } from '../../core/contracts/errors.ts';
import { EpochJournal, JUMP } from '../../core/messaging/epoch-journal.ts';
import { MAX_SKEW, SigningGuard } from '../../core/messaging/signing-guard.ts';
import { lockable, SigningLock } from '../../core/messaging/signing-lock.ts';
import { toHex } from '../../core/platform/bytes.ts';
import { silentLog } from '../../core/platform/log.ts';
import { buildEnvelope } from '../../core/protocol/envelopes/build.ts';
import { nonceOf } from '../../core/protocol/envelopes/epochs.ts';
import { codecOf } from '../../core/protocol/envelopes/payloads/codecs.ts';
import { proofBytesOf } from '../../core/protocol/envelopes/receipt.ts';
import { defineNetwork } from '../../core/protocol/identity/network.ts';
import type { Identity } from '../../core/protocol/signer/identity.ts';
import { identityOf, MessagesBench, network } from './support.ts';

const DAY = 86_400_000;
const SALT = new Uint8Array(16).fill(1);

function code(of: string) {
  return (error: unknown) => isMeshError(error) && error.code === of;
}

/** Header and signature as another process of the same key would leave them. */
function foreign(epoch: number, seq: number, given: { by?: Identity; on?: typeof network } = {}): Uint8Array {
  const { by = identityOf('alice'), on = network } = given;
  const bob = identityOf('bob').key;
  const fields = {
    msgType: 'REJECT',
    recipient: bob,
    timestamp: (epoch * DAY + 1) * 1_000,
    blockRef: 0,
    nonce: nonceOf(epoch, seq),
    body: codecOf('REJECT', 2).encode({ reason: 'not by us' }, bob),
    salt: SALT,
    publicPart: { payer: bob, answers: bob },
  } as const;
  return proofBytesOf(buildEnvelope(fields, by, on));
}

async function start() {
  const alice = await MessagesBench.start();
  const { space, clock } = alice;
  const identity = identityOf('alice');
  const journal = new EpochJournal({ space, clock, address: identity.address, epochSecs: network.epochSecs });
  const halt = new SigningLock();
  const errors: string[] = [];
  const log = { ...silentLog, error: (_: object, text = '') => void errors.push(text) };
  const state = { offset: undefined as number | undefined, found: 0 };
  const open = () =>
    SigningGuard.open({
      ...{ journal, identity, network, halt, log },
      clockOffset: () => state.offset,
      found() {
        state.found += 1;
      },
    });
  const guard = await open();
  alice.permit = () => guard.permit();
  return { alice, journal, guard, halt, errors, state, open, epoch: journal.current };
}

describe('the guard of signing', () => {
  it('finds nothing wrong with what the journal holds', async () => {
    const { alice, journal, guard, state, epoch } = await start();
    await alice.say('bob');
    guard.foreignReceipt((await journal.receiptAt(epoch, 1))!, 'hub h');
    assert.equal((await alice.say('bob')).nonce, nonceOf(epoch, 2));
    assert.deepEqual([state.found, guard.health()], [0, { state: 'ok' }]);
  });

  it('taints the epoch of an envelope that the journal lacks, before the next one is signed', async () => {
    const { alice, journal, guard, errors, state, epoch, open } = await start();
    await alice.say('bob');
    guard.foreignReceipt(foreign(epoch, 7), 'hub h');
    assert.equal((await alice.say('bob')).nonce, nonceOf(epoch, JUMP + 2));
    const why = `hub h holds envelope 7 of epoch ${epoch}, signed with the key of this node but not by it`;
    const health = { state: 'degraded', detail: `epoch ${epoch} is tainted and is never batched: ${why}` };
    assert.deepEqual([state.found, guard.health()], [1, health]);
    assert.equal((await journal.view(epoch)).why, why);
    assert.deepEqual(errors, [
      'this key signs elsewhere, or its journal lost envelopes: the epoch is tainted and is never batched',
    ]);
    assert.deepEqual((await open()).health(), health);
  });

  it('notices another envelope under a nonce of its own', async () => {
    const { alice, guard, state, journal, epoch } = await start();
    await alice.say('bob');
    guard.foreignReceipt(foreign(epoch, 1), 'agent bob');
    await guard.permit();
    assert.deepEqual([state.found, (await journal.view(epoch)).state], [1, 'tainted']);
  });

  it('stops when somebody signs beyond the jump, and says what to do', async () => {
    const { alice, guard, halt, epoch } = await start();
    await alice.say('bob');
    guard.foreignReceipt(foreign(epoch, JUMP + 2), 'hub h');
    await assert.rejects(alice.say('bob'), code('identity_in_use'));
    await assert.rejects(alice.say('bob'), /Stop the other process, then restart this one/);
    assert.match(halt.why!, /beyond all that it could have forgotten/);
    assert.match(guard.health().detail!, /^identity_in_use: hub h holds envelope/);
  });

  it('stops when an envelope is from an epoch that is far from beginning', async () => {
    const { guard, epoch } = await start();
    guard.foreignReceipt(foreign(epoch + 2, 1), 'hub h');
    await assert.rejects(guard.permit(), code('identity_in_use'));
  });

  it('only taints an epoch that is over, however far its numbers went', async () => {
    const { alice, guard, journal, epoch } = await start();
    guard.foreignReceipt(foreign(epoch - 1, 3 * JUMP), 'hub h');
    assert.equal((await alice.say('bob')).nonce, nonceOf(epoch, 1));
    assert.deepEqual([(await journal.view(epoch - 1)).state, (await journal.view(epoch)).state], ['tainted', 'open']);
    assert.match(guard.health().detail!, /was tainted/);
  });

  it('says so when the envelope is missing from a batch that was submitted', async () => {
    const { guard, journal, errors, state, epoch } = await start();
    await journal.submitted(epoch - 1);
    guard.foreignReceipt(foreign(epoch - 1, 1), 'hub h');
    await guard.permit();
    assert.deepEqual([state.found, (await journal.view(epoch - 1)).state], [1, 'submitted']);
    assert.match(errors.join(), /the batch of a submitted epoch lacks one/);
  });

  it('stops for another process of its key, for good', async () => {
    const { alice, guard, halt } = await start();
    guard.duplicateProcess('hub h');
    guard.duplicateProcess('hub i');
    assert.match(halt.why!, /at or by way of hub h/);
    await assert.rejects(alice.say('bob'), code('identity_in_use'));
  });

  const harmless: [string, (epoch: number) => Uint8Array][] = [
    ['garbage', () => Buffer.from('no receipt')],
    ['nothing', () => new Uint8Array(0)],
    ['an envelope of somebody else', (epoch) => foreign(epoch, 7, { by: identityOf('bob') })],
    ['one of another network', (epoch) => foreign(epoch, 7, { on: defineNetwork({ name: 'elsewhere' }) })],
    ['one older than the journal', (epoch) => foreign(epoch - 11, 7)],
    [
      'one whose signature is not ours',
      (epoch) => {
        const bytes = foreign(epoch, 7);
        bytes[bytes.length - 1]! ^= 1;
        return bytes;
      },
    ],
    [
      'a header that was changed',
      (epoch) => {
        const bytes = foreign(epoch, 7);
        bytes[bytes.length - 70]! ^= 1;
        return bytes;
      },
    ],
  ];
  for (const [what, receipt] of harmless) {
    it(`is not impressed by ${what}`, async () => {
      const { alice, guard, state, epoch } = await start();
      guard.foreignReceipt(receipt(epoch), 'hub h');
      assert.equal((await alice.say('bob')).nonce, nonceOf(epoch, 1));
      assert.deepEqual([state.found, guard.health()], [0, { state: 'ok' }]);
    });
  }

  it('looks into few at the same time, and forgets none that comes again', async () => {
    const { guard, state, epoch } = await start();
    for (let seq = 1; seq <= 100; seq++) guard.foreignReceipt(foreign(epoch, seq), 'hub h');
    await guard.permit();
    assert.equal(state.found, 16);
    guard.foreignReceipt(foreign(epoch, 100), 'hub h');
    guard.foreignReceipt(foreign(epoch, 1), 'hub h');
    await guard.permit();
    assert.equal(state.found, 17);
  });

  it('signs nothing while the clock is more than 30 seconds from the hubs, either way', async () => {
    const { alice, guard, state, epoch } = await start();
    for (const offset of [MAX_SKEW + 1, -MAX_SKEW - 1, 86_400_000]) {
      state.offset = offset;
      await assert.rejects(alice.say('bob'), code('clock_skewed'));
      assert.match(guard.health().detail!, /^clock_skewed: The clock of this machine is \d+ seconds (behind|ahead of)/);
    }
    for (const offset of [MAX_SKEW, -MAX_SKEW, 0]) {
      state.offset = offset;
      await alice.say('bob');
    }
    assert.deepEqual([guard.health(), (await alice.say('bob')).nonce], [{ state: 'ok' }, nonceOf(epoch, 4)]);
  });
});

describe('a conflict', () => {
  it('is shown by the recipient, who holds the other envelope', async () => {
    const { alice, guard, epoch, journal } = await start();
    const evidence = foreign(epoch, 1);
    alice.answer = () => ({ outcome: 'acked', reason: 'conflict', evidence });
    const sent = await alice.say('bob');
    assert.equal(sent.status, 'refused');
    assert.deepEqual(
      alice.foreignReceipt.map(({ from }) => from),
      [`agent ${identityOf('bob').address}`],
    );
    guard.foreignReceipt(alice.foreignReceipt[0]!.receipt, 'agent bob');
    await guard.permit();
    assert.equal((await journal.view(epoch)).state, 'tainted');
  });

  it('is shown by a broadcast of our key that comes by, which is not taken for somebody else’s', async () => {
    const alice = await MessagesBench.start();
    const elsewhere = await MessagesBench.start(undefined, alice.clock);
    await elsewhere.shout();
    assert.deepEqual(await alice.messages.receive(elsewhere.bytes.at(-1)!, true, '127.0.0.1'), { reason: 'duplicate' });
    assert.deepEqual(
      alice.foreignReceipt.map(({ from }) => from),
      ['the mesh'],
    );
  });
});

describe('a halted identity', () => {
  it('signs nothing but the certificates of its sessions', () => {
    const halt = new SigningLock();
    const identity = lockable(identityOf('alice'), halt);
    const header = new Uint8Array(143);
    header[0] = 2;
    const sign: [string, () => unknown][] = [
      ['an envelope', () => identity.signEnvelope(network, header, new Uint8Array(0))],
      ['an agent token', () => identity.signAgentToken({} as never)],
      ['a transaction', () => identity.signTransaction(new Uint8Array(200))],
      ['a domain', () => identity.signDomain('capability/1', network, { claim_hash: new Uint8Array(32), time: 1 })],
    ];
    assert.equal(identity.signEnvelope(network, header, new Uint8Array(0)).length, 64);
    halt.halt('Somebody else signs.');
    halt.halt('A second reason.');
    for (const [what, run] of sign) assert.throws(run, code('identity_in_use'), what);
    const certificate = { static_key: new Uint8Array(32), instance: new Uint8Array(8), not_after: 1 };
    assert.equal(identity.signDomain('noise/1', network, certificate).length, 64);
    assert.match(halt.why!, /^Somebody else signs/);
    assert.deepEqual(
      [identity.address, toHex(identity.key)],
      [identityOf('alice').address, toHex(identityOf('alice').key)],
    );
  });
});
