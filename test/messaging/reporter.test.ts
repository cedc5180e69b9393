import assert from 'node:assert/strict';
import { reports } from '../../core/messaging/records.ts';
import { type Post, Reporter } from '../../core/messaging/reporter.ts';
import { toBase64 } from '../../core/platform/bytes.ts';
import { silentLog } from '../../core/platform/log.ts';
import { systemRandom as random } from '../../core/platform/system-clock.ts';
import { buildEnvelope } from '../../core/protocol/envelopes/build.ts';
import { encodeEnvelope } from '../../core/protocol/envelopes/codec.ts';
import { codecOf } from '../../core/protocol/envelopes/payloads/codecs.ts';
import type { SchemaTypes } from '../../schemas/types.ts';
import { VirtualClock } from '../mesh/virtual-clock.ts';
import { nodeSpace } from '../support/space.ts';
import { identityOf, network } from './support.ts';

type Report = SchemaTypes['report'];

/** Time passes in small steps, so that whatever it wakes gets its turn. */
async function pass(clock: VirtualClock, ms: number): Promise<void> {
  for (let at = 0; at < ms; at += 500) await clock.advance(500);
}

function beacon(nonce: number, name = 'alice'): Report {
  const alice = identityOf('alice');
  const body = codecOf('BEACON', 2).encode({ name, hubs: [] }, alice.key);
  const envelope = buildEnvelope({ msgType: 'BEACON', timestamp: 0, blockRef: 0, nonce, body }, alice, network);
  return { envelope_b64: toBase64(encodeEnvelope(envelope)) };
}

describe('reports to the aggregator', () => {
  const report = (name: string): Report => ({ receipt_b64: name });
  const names = (items: readonly Report[]) => items.map(({ receipt_b64 }) => receipt_b64);

  async function bench(post: Post) {
    const clock = new VirtualClock();
    const space = await nodeSpace(clock);
    const posted: (string | undefined)[][] = [];
    const reporter = new Reporter({
      space,
      clock,
      random,
      log: silentLog,
      post(items) {
        posted.push(names(items));
        return post(items);
      },
    });
    return { clock, space, posted, reporter };
  }

  it('go out in order and are taken out of the queue', async () => {
    const { clock, space, posted, reporter } = await bench(async () => []);
    for (const name of ['one', 'two']) await space.append(reports, report(name));
    reporter.start();
    await pass(clock, 1_000);
    await space.append(reports, report('three'));
    await pass(clock, 1_000);
    assert.deepEqual(posted, [['one', 'two'], ['three']]);
    assert.deepEqual(await space.page(reports), []);
    await reporter.close();
  });

  it('wait, in order, while the aggregator is away', async () => {
    let away = true;
    const { clock, space, posted, reporter } = await bench(async () => {
      if (away) throw new Error('connection refused');
      return [];
    });
    await space.append(reports, report('one'));
    reporter.start();
    await pass(clock, 10_000);
    await space.append(reports, report('two'));
    const tries = posted.length;
    assert.ok(tries >= 2 && tries <= 6, `${tries} tries in ten seconds`);
    away = false;
    await pass(clock, 20_000);
    assert.deepEqual(posted.slice(tries).flat(), ['one', 'two']);
    await reporter.close();
  });

  it('that are put off hold up no others, and are repeated alone until they are taken', async () => {
    let busy = true;
    const { clock, space, posted, reporter } = await bench(async (items) =>
      items.filter(({ receipt_b64 }) => busy && receipt_b64!.startsWith('busy')),
    );
    for (const name of ['busy 1', 'fine 1', 'busy 2']) await space.append(reports, report(name));
    reporter.start();
    await pass(clock, 1_000);
    await space.append(reports, report('fine 2'));
    await pass(clock, 1_000);
    assert.deepEqual(posted, [['busy 1', 'fine 1', 'busy 2'], ['fine 2']]);
    await pass(clock, 10_000);
    assert.deepEqual(new Set(posted.slice(2).flat()), new Set(['busy 1', 'busy 2']));
    busy = false;
    await pass(clock, 60_000);
    const until = posted.length;
    await pass(clock, 600_000);
    assert.equal(posted.length, until, 'nothing is repeated once it is taken');
    await reporter.close();
  });

  it('that are put off for ever are given up', async () => {
    const { clock, space, posted, reporter } = await bench(async (items) => items);
    await space.append(reports, report('hopeless'));
    reporter.start();
    for (let hour = 0; hour < 3; hour++) await pass(clock, 3_600_000);
    assert.equal(posted.length, 31);
    await reporter.close();
  }).timeout(60_000);

  it('survive a restart, those put off too', async () => {
    const first = await bench(async (items) => items.filter(({ receipt_b64 }) => receipt_b64 === 'busy'));
    const { clock, space } = first;
    for (const name of ['busy', 'fine']) await space.append(reports, report(name));
    first.reporter.start();
    await pass(clock, 500);
    await first.reporter.close();
    await space.append(reports, report('new'));
    const posted: (string | undefined)[] = [];
    const post: Post = async (items) => {
      posted.push(...names(items));
      return [];
    };
    const second = new Reporter({ space, clock, random, log: silentLog, post });
    second.start();
    await pass(clock, 20_000);
    assert.deepEqual(posted, ['new', 'busy']);
    await second.close();
  });

  it('of BEACONs that say nothing new go at once when nothing went for six hours, and wait for others after that', async () => {
    const { clock, space, posted, reporter } = await bench(async () => []);
    const counts = () => posted.map(({ length }) => length);
    reporter.start();
    await space.append(reports, beacon(1));
    await pass(clock, 1_000);
    assert.deepEqual(counts(), [1]);
    await space.append(reports, beacon(2));
    await pass(clock, 3_600_000);
    assert.deepEqual(counts(), [1]);
    await space.append(reports, report('a rating'));
    await pass(clock, 1_000);
    assert.deepEqual(counts(), [1, 2]);
    for (const nonce of [3, 4]) await space.append(reports, beacon(nonce));
    await pass(clock, 6 * 3_600_000 - 2_000);
    assert.deepEqual(counts(), [1, 2]);
    await pass(clock, 2_000);
    assert.deepEqual(counts(), [1, 2, 2]);
    await space.append(reports, beacon(5));
    await pass(clock, 1_000);
    assert.deepEqual(counts(), [1, 2, 2]);
    await space.append(reports, beacon(6, 'alice of the north'));
    await pass(clock, 1_000);
    await reporter.close();
    assert.deepEqual(counts(), [1, 2, 2, 2]);
  });

  it('of large envelopes go in requests that aggregators take', async () => {
    const { clock, space, posted, reporter } = await bench(async () => []);
    for (let i = 0; i < 80; i++) await space.append(reports, { envelope_b64: 'A'.repeat(87_000) });
    reporter.start();
    await pass(clock, 2_000);
    assert.deepEqual(
      posted.map(({ length }) => length),
      [36, 36, 8],
    );
    await reporter.close();
  });
});
