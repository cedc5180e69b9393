import assert from 'node:assert/strict';
import { RisePerMinute } from '../../core/aggregator/network/rise-per-minute.ts';

const SECOND = 1_000;

describe('the rise of a total in the last minute', () => {
  it('is nothing before it was sampled, and then counts since the first sample', () => {
    const rise = new RisePerMinute();
    assert.equal(rise.at(0, 5), 0);
    rise.sample(0, 5);
    assert.equal(rise.at(10 * SECOND, 7), 2);
  });

  it('forgets what is older than a minute', () => {
    const rise = new RisePerMinute();
    for (let n = 0; n <= 12; n += 1) rise.sample(n * 10 * SECOND, n);
    assert.equal(rise.at(120 * SECOND, 12), 6);
  });

  it('keeps what came while nobody sampled, until the next sample is a minute old', () => {
    const rise = new RisePerMinute();
    rise.sample(0, 5);
    const later = 86_400 * SECOND;
    rise.sample(later, 7);
    assert.equal(rise.at(later, 7), 2);
    rise.sample(later + 10 * SECOND, 7);
    assert.equal(rise.at(later + 20 * SECOND, 7), 2);
    rise.sample(later + 60 * SECOND, 7);
    assert.equal(rise.at(later + 60 * SECOND, 7), 0);
  });

  it('counts from now on where it was sampled last a day ago', () => {
    const rise = new RisePerMinute();
    rise.sample(0, 5);
    assert.equal(rise.at(86_400 * SECOND, 7), 2);
    rise.sample(86_410 * SECOND, 7);
    rise.sample(86_465 * SECOND, 7);
    assert.equal(rise.at(86_470 * SECOND, 7), 0);
  });
});
