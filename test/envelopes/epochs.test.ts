import assert from 'node:assert/strict';
import { epochOf, epochOfNonce, MAX_SEQ, nonceOf, seqOfNonce } from '../../core/protocol/envelopes/epochs.ts';

const DAY = 86_400;

describe('epochs', () => {
  it('change with the second, not before', () => {
    assert.equal(epochOf(20_254 * DAY * 1e6, DAY), 20_254);
    assert.equal(epochOf(20_254 * DAY * 1e6 - 1, DAY), 20_253);
    assert.equal(epochOf(0, DAY), 0);
    assert.equal(epochOf(1_750_000_000_000_000, 60), 29_166_666);
  });
});

describe('nonces', () => {
  it('carry the epoch and a sequence number', () => {
    assert.equal(nonceOf(20_254, 1), 84_951_433_217);
    for (const seq of [1, 2, 65_536, MAX_SEQ]) {
      assert.equal(epochOfNonce(nonceOf(20_254, seq)), 20_254);
      assert.equal(seqOfNonce(nonceOf(20_254, seq)), seq);
    }
    assert.equal(nonceOf(20_254, MAX_SEQ) + 2, nonceOf(20_255, 1), 'the number between would be sequence number 0');
  });

  it('have no sequence number 0, and none that runs into the next epoch', () => {
    for (const seq of [0, -1, 1.5, MAX_SEQ + 1, Number.NaN]) assert.throws(() => nonceOf(20_254, seq), RangeError);
    for (const epoch of [-1, 0.5, 2 ** 31]) assert.throws(() => nonceOf(epoch, 1), RangeError);
  });
});
