import assert from 'node:assert/strict';
import { CLAIM, DurableIdempotency, type IdempotencyLimits } from '../../core/http/durable-idempotency.ts';
import type { KeyedCall } from '../../core/http/idempotency.ts';
import { silentLog } from '../../core/platform/log.ts';
import { systemRandom as random } from '../../core/platform/system-clock.ts';
import type { Space } from '../../core/storage/space.ts';
import { VirtualClock } from '../mesh/virtual-clock.ts';
import { nodeSpace } from '../support/space.ts';

const DAY = 24 * 3_600_000;
const answer = { status: 201, headers: { 'content-type': 'application/json' }, body: '{"sale":1}' };

describe('the memory of idempotent calls', () => {
  let clock: VirtualClock;
  let space: Space;
  const opened: DurableIdempotency[] = [];
  beforeEach(async () => {
    clock = new VirtualClock();
    space = await nodeSpace(clock);
  });
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
  });

  /** One process over the store. */
  function open(limits: Partial<IdempotencyLimits> = {}): DurableIdempotency {
    const kept = new DurableIdempotency({ space, clock, random, log: silentLog, limits });
    opened.push(kept);
    return kept;
  }
  const call = (operation: string, more: Partial<KeyedCall> = {}): KeyedCall => ({
    ...{ operation, fingerprint: 'f', until: clock.now() + DAY },
    ...more,
  });
  async function claim(kept: DurableIdempotency, one: KeyedCall): Promise<string> {
    const begun = await kept.begin(one);
    assert.ok(begun.state === 'new', begun.state);
    return begun.claim;
  }
  async function done(kept: DurableIdempotency, one: KeyedCall, body: string | Buffer = answer.body): Promise<void> {
    await kept.finish(one, await claim(kept, one), { ...answer, body });
  }

  it('gives the answer again, in every process, for a day', async () => {
    await done(open(), call('a'));
    const other = open();
    assert.deepEqual(await other.begin(call('a')), { state: 'done', answer });
    assert.deepEqual(await other.begin(call('a', { fingerprint: 'g' })), { state: 'mismatch' });
    await clock.advance(DAY);
    assert.equal((await other.begin(call('a', { fingerprint: 'g' }))).state, 'new');
  });

  it('keeps bytes as bytes, and an answer without a body', async () => {
    const kept = open();
    const bytes = Buffer.from([0, 255, 128]);
    await done(kept, call('bytes'), bytes);
    assert.deepEqual(await kept.begin(call('bytes')), { state: 'done', answer: { ...answer, body: bytes } });
    const nothing = call('nothing');
    await kept.finish(nothing, await claim(kept, nothing), { status: 204, headers: {}, body: undefined });
    const again = await kept.begin(nothing);
    assert.ok(again.state === 'done' && again.answer?.status === 204 && again.answer.body === undefined);
  });

  it('lets one of many that come at once run, in whatever process', async () => {
    const processes = [open(), open(), open()];
    const states = await Promise.all(
      processes.flatMap((kept) => Array.from({ length: 5 }, () => kept.begin(call('a')))),
    );
    assert.deepEqual(states.map(({ state }) => state).sort(), ['new', ...Array(14).fill('running')]);
  });

  it('lets a call that failed run again, and another one under its key when it was refused', async () => {
    const kept = open();
    await kept.abandon(call('a'), await claim(kept, call('a')), 'refused');
    await kept.abandon(call('a', { fingerprint: 'g' }), await claim(kept, call('a', { fingerprint: 'g' })), 'failed');
    assert.equal((await open().begin(call('a'))).state, 'mismatch');
    await done(open(), call('a', { fingerprint: 'g' }));
    assert.equal((await kept.begin(call('a', { fingerprint: 'g' }))).state, 'done');
  });

  it('forgets what failed after a day, and the oldest failures beyond its bound', async () => {
    const kept = open({ calls: 3 });
    const fail = async (one: KeyedCall) => kept.abandon(one, await claim(kept, one), 'failed');
    for (let n = 0; n < 5; n++) {
      await fail(call(`k${n}`));
      await clock.advance(CLAIM);
    }
    assert.equal((await kept.begin(call('k0', { fingerprint: 'g' }))).state, 'new');
    assert.equal((await kept.begin(call('k4', { fingerprint: 'g' }))).state, 'mismatch');
    await clock.advance(DAY);
    assert.equal((await kept.begin(call('k4', { fingerprint: 'g' }))).state, 'new');
  });

  it('holds a claim for as long as its process runs the call', async () => {
    const kept = open();
    const claimed = await claim(kept, call('long'));
    await clock.advance(10 * CLAIM);
    assert.equal((await open().begin(call('long'))).state, 'running');
    await kept.finish(call('long'), claimed, answer);
    assert.equal((await open().begin(call('long'))).state, 'done');
  });

  it('lets go of the claim of a process that died, but not of what was asked', async () => {
    const dead = open();
    const lost = await claim(dead, call('a'));
    await dead.close();
    const heir = open();
    await clock.advance(CLAIM - 1);
    assert.equal((await heir.begin(call('a'))).state, 'running');
    await clock.advance(1);
    assert.equal((await heir.begin(call('a', { fingerprint: 'g' }))).state, 'mismatch');
    await done(heir, call('a'));
    await dead.finish(call('a'), lost, { ...answer, body: 'too late' });
    assert.deepEqual(await heir.begin(call('a')), { state: 'done', answer });
  });

  it('does nothing while there are no calls', async () => {
    await done(open(), call('a'));
    await clock.advance(CLAIM);
    assert.equal(clock.timers, 0);
  });

  describe('of credentials for one request', () => {
    const credential = () => ({ id: 'jti', until: clock.now() + 360_000 });

    it('refuses another request with the same one, whatever key it brings', async () => {
      const kept = open();
      await done(kept, call('a', { credential: credential() }));
      assert.equal((await kept.begin(call('a', { credential: credential() }))).state, 'done');
      const others = [call('b'), call('a', { fingerprint: 'g' })];
      for (const other of others) {
        assert.equal((await open().begin({ ...other, credential: credential() })).state, 'spent');
      }
    });

    it('takes a fresh one for the same key', async () => {
      const kept = open();
      await done(kept, call('a', { credential: credential() }));
      const fresh = { ...credential(), id: 'another jti' };
      assert.equal((await kept.begin(call('a', { credential: fresh }))).state, 'done');
    });

    it('marks a call that failed, too: only the same request may be tried again', async () => {
      const kept = open();
      const one = call('a', { credential: credential() });
      await kept.abandon(one, await claim(kept, one), 'refused');
      assert.equal((await kept.begin(call('b', { credential: credential() }))).state, 'spent');
      await claim(kept, one);
    });

    it('puts calls off rather than forget one', async () => {
      const kept = open({ credentials: 2 });
      for (const id of ['1', '2']) await done(kept, call(id, { credential: { ...credential(), id } }));
      await clock.advance(CLAIM);
      await assert.rejects(kept.begin(call('3', { credential: { ...credential(), id: '3' } })), {
        code: 'rate_limited',
      });
      await clock.advance(360_000);
      await claim(kept, call('3', { credential: { ...credential(), id: '3' } }));
    });
  });

  describe('is bounded', () => {
    const states = (kept: DurableIdempotency, ids: readonly string[]) =>
      Promise.all(ids.map(async (id) => (await kept.begin(call(id))).state));

    it('in calls: the oldest answer goes, a running call stays', async () => {
      const kept = open({ calls: 250 });
      await claim(kept, call('running'));
      for (let i = 0; i < 600; i++) {
        await done(kept, call(`${i}`, { until: clock.now() + DAY + i }));
      }
      await clock.advance(CLAIM);
      assert.deepEqual(await states(kept, ['running', '599', '350', '349', '0']), [
        ...['running', 'done', 'done', 'new', 'new'],
      ]);
    });

    it('in bytes', async () => {
      const kept = open({ bytes: 1_000_000 });
      const body = 'x'.repeat(200_000);
      for (let i = 0; i < 8; i++) await done(kept, call(`${i}`, { until: clock.now() + DAY + i }), body);
      await clock.advance(CLAIM);
      assert.deepEqual(await states(kept, ['7', '3', '2', '0']), ['done', 'done', 'new', 'new']);
    });

    it('in one answer: of a very large one only that it was given', async () => {
      const kept = open();
      await done(kept, call('large'), 'x'.repeat(300_000));
      assert.deepEqual(await kept.begin(call('large')), { state: 'done', answer: undefined });
    });
  });
});
