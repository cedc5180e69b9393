import assert from 'node:assert/strict';
import { Limiter } from '../../core/storage/limiter.ts';

const START = 1_700_000_000_000;

describe('the limiter', () => {
  let now: number;
  let limiter: Limiter;
  beforeEach(() => {
    now = START;
    limiter = new Limiter({ now: () => now }, { keys: 100 });
  });

  /** How many of `tries` calls at this moment are allowed. */
  function burst(limit: number, windowMs: number, tries: number, key = 'k'): number {
    return Array.from({ length: tries }, () => limiter.hit(key, limit, windowMs)).filter(({ allowed }) => allowed)
      .length;
  }

  it('allows as many calls at once as the limit says, and counts down', () => {
    assert.deepEqual(limiter.hit('k', 3, 60_000), { allowed: true, remaining: 2, retryAfterMs: 0, resetMs: 20_000 });
    assert.deepEqual(limiter.hit('k', 3, 60_000), { allowed: true, remaining: 1, retryAfterMs: 0, resetMs: 40_000 });
    assert.deepEqual(limiter.hit('k', 3, 60_000), { allowed: true, remaining: 0, retryAfterMs: 0, resetMs: 60_000 });
    const refused = { allowed: false, remaining: 0, retryAfterMs: 20_000, resetMs: 60_000 };
    assert.deepEqual(limiter.hit('k', 3, 60_000), refused);
    assert.deepEqual(limiter.hit('k', 3, 60_000), refused);
  });

  it('allows the next call exactly when it said, and not a millisecond before', () => {
    for (const [limit, windowMs] of [
      [1, 1],
      [1, 1_000],
      [3, 1_000],
      [7, 60_000],
      [10, 3_600_000],
      [20, 60_000],
      [9_973, 1_000],
    ] as const) {
      const key = `${limit}`;
      assert.equal(burst(limit, windowMs, limit + 1, key), limit, key);
      for (let round = 0; round < 20; round++) {
        const { allowed, retryAfterMs } = limiter.hit(key, limit, windowMs);
        assert.ok(!allowed && retryAfterMs > 0, key);
        now += retryAfterMs - 1;
        assert.equal(limiter.hit(key, limit, windowMs).allowed, false, key);
        now += 1;
        assert.equal(limiter.hit(key, limit, windowMs).allowed, true, key);
        while (limiter.hit(key, limit, windowMs).allowed);
      }
    }
  });

  it('lets no second burst through where windows of the clock would meet', () => {
    for (const edge of [60_000, 120_000]) {
      now = START - (START % 60_000) + edge - 1;
      limiter = new Limiter({ now: () => now });
      assert.equal(burst(100, 60_000, 200), 100);
      now += 1;
      assert.equal(burst(100, 60_000, 200), 0);
      now += 599;
      assert.equal(burst(100, 60_000, 200), 1);
    }
  });

  it('allows at most the limit and what has come back, over any stretch of time', () => {
    const times: number[] = [];
    let seed = 42;
    for (let i = 0; i < 5_000; i++) {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
      now += seed % 7 === 0 ? seed % 5_000 : seed % 100;
      if (limiter.hit('k', 10, 10_000).allowed) times.push(now);
    }
    assert.ok(times.length > 500);
    for (let from = 0; from < times.length; from++) {
      for (let to = from; to < Math.min(times.length, from + 60); to++) {
        assert.ok(to - from + 1 <= 10 + (times[to]! - times[from]!) / 1_000);
      }
    }
  });

  it('has everything back after a window without calls, and never more', () => {
    burst(5, 1_000, 5);
    now += 999;
    assert.equal(limiter.hit('k', 5, 1_000).remaining, 3);
    now += 1_000_000_000_000;
    assert.equal(burst(5, 1_000, 50), 5);
  });

  it('keeps keys, limits and windows apart', () => {
    assert.equal(burst(2, 1_000, 5, 'a'), 2);
    assert.equal(burst(2, 1_000, 5, 'b'), 2);
    assert.equal(burst(3, 1_000, 5, 'a'), 3);
    assert.equal(burst(2, 2_000, 5, 'a'), 2);
    assert.equal(burst(2, 1_000, 5, '__proto__'), 2);
  });

  it('gives nothing for a clock that is set back, and is not stuck after it', () => {
    burst(2, 1_000, 2);
    now -= 3_600_000;
    assert.equal(burst(2, 1_000, 5), 0);
    now += 500;
    assert.equal(burst(2, 1_000, 5), 1);
  });

  it('remembers a bounded number of keys, those hit last', () => {
    burst(1, 1_000, 1, 'old');
    for (let i = 0; i < 99; i++) burst(1, 1_000, 1, `${i}`);
    assert.equal(burst(1, 1_000, 1, 'old'), 0);
    for (let i = 0; i < 100; i++) burst(1, 1_000, 1, `new ${i}`);
    assert.equal(burst(1, 1_000, 1, 'old'), 1);
    assert.equal(burst(1, 1_000, 1, 'new 99'), 0);
  });

  it('refuses limits and windows that mean nothing', () => {
    for (const bad of [0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 1e12]) {
      assert.throws(() => limiter.hit('k', bad, 1_000), RangeError);
      assert.throws(() => limiter.hit('k', 1, bad), RangeError);
    }
  });
});
