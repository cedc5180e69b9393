import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { domainBytes } from '../../core/identity/domains.ts';
import { identityFromSeed } from '../../core/identity/identity.ts';
import { defineNetwork } from '../../core/identity/network.ts';
import { Verifier } from '../../core/identity/verifier.ts';

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

  it('lets calls wait for the thread pool, as many as it may, and keeps their order', async () => {
    const verifier = new Verifier({ maxInFlight: 2, maxWaiting: 5 });
    const jobs = Array.from({ length: 60 }, (_, index) => job(index % 3, index));
    const seen: number[] = [];
    await Promise.all(
      jobs.map(async ({ time, valid, bytes, signature, key }) => {
        const answer = verifier.verify(bytes, signature, key);
        assert.ok(verifier.inFlight <= 2);
        assert.equal(await answer, valid);
        seen.push(time);
      }),
    );
    assert.deepEqual(
      seen,
      jobs.map(({ time }) => time),
    );
    assert.equal(verifier.inFlight, 0);
    const { bytes, signature, key } = job(1, 1);
    assert.equal(await verifier.verify(bytes, signature, key), true);
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
