import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Verifier } from '../../core/messaging/verification/verifier.ts';
import { domainBytes } from '../../core/protocol/identity/domains.ts';
import { defineNetwork } from '../../core/protocol/identity/network.ts';
import { identityFromSeed } from '../../core/protocol/signer/identity.ts';

const network = defineNetwork({ name: 'test' });
const senders = [1, 2, 3].map((byte) => identityFromSeed(new Uint8Array(32).fill(byte)));

function job(sender: number, time: number) {
  const identity = senders[sender]!;
  const fields = { body_hash: new Uint8Array(32), time };
  const bytes = domainBytes('latency/1', network.id, fields);
  const signature = identity.signDomain('latency/1', network, fields);
  const valid = time % 5 !== 0;
  if (!valid) signature[40]! ^= 1;
  return { sender, time, valid, bytes, signature, key: identity.key };
}

describe('a verifier', () => {
  it('answers at once when idle, without the thread pool', async () => {
    const verifier = new Verifier();
    for (let time = 1; time <= 4; time += 1) {
      const { bytes, signature, key } = job(0, time);
      const answer = verifier.verify(bytes, signature, key);
      assert.equal(verifier.inFlight, 0);
      assert.equal(await answer, true);
      await nextTurn();
    }
  });

  for (const maxInFlight of [0, 1, 4, 64]) {
    it(`keeps the order of the calls in a burst, with ${maxInFlight} in flight`, async () => {
      const verifier = new Verifier({ maxInFlight });
      const jobs = Array.from({ length: 300 }, (_, index) => job(index % 3, index));
      const seen: { sender: number; time: number }[] = [];
      let most = 0;
      await Promise.all(
        jobs.map(async ({ sender, time, valid, bytes, signature, key }) => {
          const answer = verifier.verify(bytes, signature, key);
          most = Math.max(most, verifier.inFlight);
          assert.equal(await answer, valid);
          seen.push({ sender, time });
        }),
      );
      assert.deepEqual(
        seen.map(({ time }) => time),
        jobs.map(({ time }) => time),
      );
      assert.equal(most, Math.min(maxInFlight, 299));
      assert.equal(verifier.inFlight, 0);
    });
  }

  for (const count of [3, 300]) {
    it(`verifies ${count} at once`, async () => {
      const verifier = new Verifier();
      const jobs = Array.from({ length: count }, (_, index) => job(index % 3, index));
      const answers = verifier.verifyAll(jobs.map(({ bytes, ...rest }) => ({ message: bytes, ...rest })));
      assert.deepEqual(
        await answers,
        jobs.map(({ valid }) => valid),
      );
      await verifier.close();
    });
  }

  it('answers batches in their order, and those of a thread that was ended as well', async () => {
    const verifier = new Verifier();
    const jobs = Array.from({ length: 200 }, (_, index) => job(index % 3, index));
    const batch = jobs.map(({ bytes, ...rest }) => ({ message: bytes, ...rest }));
    const seen: number[] = [];
    const batches = [0, 1, 2].map(async (number) => {
      const answers = await verifier.verifyAll(batch);
      assert.deepEqual(
        answers,
        jobs.map(({ valid }) => valid),
      );
      seen.push(number);
    });
    await Promise.all(batches);
    assert.deepEqual(seen, [0, 1, 2]);
    const ended = verifier.verifyAll(batch);
    await verifier.close();
    assert.deepEqual(
      await ended,
      jobs.map(({ valid }) => valid),
    );
    assert.deepEqual(
      await verifier.verifyAll(batch),
      jobs.map(({ valid }) => valid),
    );
    await verifier.close();
  });

  it('keeps the order between calls that arrive while others are on their way', async () => {
    const verifier = new Verifier({ maxInFlight: 8 });
    const seen: number[] = [];
    const all: Promise<void>[] = [];
    for (let time = 0; time < 200; time += 1) {
      const { bytes, signature, key } = job(time % 3, time);
      all.push(verifier.verify(bytes, signature, key).then(() => void seen.push(time)));
      if (time % 7 === 0) await nextTurn();
    }
    await Promise.all(all);
    assert.deepEqual(
      seen,
      Array.from({ length: 200 }, (_, index) => index),
    );
  });

  it('answers false, never with an error, to what cannot be a signature', async () => {
    const verifier = new Verifier();
    const { bytes, signature, key } = job(0, 1);
    const answers = await Promise.all([
      verifier.verify(bytes, signature, key),
      verifier.verify(bytes, signature.subarray(1), key),
      verifier.verify(bytes, signature, key.subarray(1)),
      verifier.verify(bytes, signature, new Uint8Array(32)),
      verifier.verify(bytes, signature, key),
    ]);
    assert.deepEqual(answers, [true, false, false, false, true]);
  });
});
