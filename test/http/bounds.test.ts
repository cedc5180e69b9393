import assert from 'node:assert/strict';
import { callerOf, RateLimiter } from '../../core/http/limits.ts';
import { RequestIds } from '../../core/http/request-ids.ts';
import { Tail } from '../../core/http/tail.ts';
import { networkOf } from '../../core/platform/addresses.ts';
import { systemClock, systemRandom } from '../../core/platform/system-clock.ts';
import { isMeshError, StreamEnd } from '../../core/plugin.ts';

describe('what the server remembers', () => {
  let now = 0;
  const clock = { ...systemClock, now: () => now };

  it('is at most ten thousand callers per limit, the least recent forgotten first', () => {
    const limiter = new RateLimiter({ rate: 1, window: 3_600 }, clock);
    const refused = (caller: string) => {
      try {
        limiter.take(caller);
        return false;
      } catch (error) {
        return isMeshError(error) && error.code === 'rate_limited';
      }
    };
    for (let i = 0; i < 10_000; i++) limiter.take(`caller ${i}`);
    assert.ok(refused('caller 0'));
    limiter.take('one more');
    assert.ok(refused('caller 0'));
    assert.ok(!refused('caller 1'));
  });

  it('survives a clock that goes backwards', () => {
    const limiter = new RateLimiter({ rate: 1, window: 60 }, clock);
    now = 1_000_000;
    limiter.take('a');
    now = 0;
    assert.throws(() => limiter.take('a'));
  });

  it('counts an IPv6 network as one caller', () => {
    const cases: [string, string][] = [
      ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
      ['2001:db8:1:2::9', '2001:db8:1:2'],
      ['2001:db8::1', '2001:db8:0:0'],
      ['::1', '0:0:0:0'],
      ['::ffff:10.0.0.1', '::ffff:10.0.0.1'],
      ['10.0.0.1', '10.0.0.1'],
    ];
    for (const [ip, network] of cases) assert.equal(networkOf(ip), network);
    const limit = { per: 'principal', rate: 1, window: 1 } as const;
    assert.equal(callerOf(limit, '10.0.0.1', { kind: 'anyone', id: '' }), '10.0.0.1');
    assert.equal(callerOf(limit, '10.0.0.1', { kind: 'agent', id: 'x' }), 'agent x');
  });

  it('gives every request an id of its own', () => {
    let drawn = 0;
    const ids = new RequestIds({ ...systemRandom, bytes: (length) => new Uint8Array(length).map(() => drawn++ >> 4) });
    const given = Array.from({ length: 250 }, () => ids.next());
    for (const id of given) assert.match(id, /^[0-9a-f]{32}$/);
    assert.equal(new Set(given).size, 250);
  });

  it('is a bounded tail per watcher', async () => {
    const gone = new AbortController();
    const tail = new Tail<number>(gone.signal, 2);
    tail.push(1);
    tail.push(2);
    const seen: number[] = [];
    const done = (async () => {
      for await (const item of tail) {
        seen.push(item);
        if (item === 2) tail.push(3);
        if (item === 3) gone.abort();
      }
    })();
    await done;
    assert.deepEqual(seen, [1, 2, 3]);
    const late = new Tail<number>(new AbortController().signal, 2);
    for (const item of [1, 2, 3]) late.push(item);
    await assert.rejects(
      async () => {
        for await (const _ of late);
      },
      (error: StreamEnd) => error instanceof StreamEnd && error.code === 4008,
    );
  });
});
