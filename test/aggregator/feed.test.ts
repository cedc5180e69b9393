import assert from 'node:assert/strict';
import { type ActivityEvent, activityEvent } from '../../core/aggregator/activity/view.ts';
import { LiveFeed } from '../../core/aggregator/live/feed.ts';
import { activity, type StoredActivity } from '../../core/aggregator/store/logs.ts';
import type { SharedFrame } from '../../core/http/frame.ts';
import { silentLog } from '../../core/platform/log.ts';
import type { Space } from '../../core/storage/space.ts';
import { TestAgent } from './support/agent.ts';
import { type Domain, openDomain } from './support/domain.ts';

const TOLD = { log: activity, eventOf: activityEvent };

describe('a feed of activity', () => {
  const agent = new TestAgent('fed');
  let domain: Domain;
  let feed: LiveFeed<StoredActivity, ActivityEvent>;
  let stop: AbortController;
  let following: Promise<void>;

  beforeEach(async () => {
    domain = await openDomain();
    await add(5);
    feed = new LiveFeed(domain.space, TOLD, 4);
    stop = new AbortController();
    await feed.open();
    following = feed.follow(domain.clock, silentLog, stop.signal);
  });
  afterEach(async () => {
    stop.abort();
    await following;
    await domain.store.close();
  });

  async function add(count: number): Promise<void> {
    for (let event = 0; event < count; event += 1) {
      await domain.space.append(activity, { event_type: 'JOIN', agent_id: agent.id, slot: 0, at: domain.clock.now() });
    }
  }

  async function take(count: number, since: number | undefined, each = async () => {}): Promise<number[]> {
    const ids: number[] = [];
    for await (const { values } of feed.frames(since, stop.signal)) {
      for (const { id } of values) ids.push(id);
      await each();
      if (ids.length >= count) break;
    }
    return ids;
  }

  it('begins anywhere in the log', async () => {
    for (const since of [0, 1, 3, 4]) assert.equal((await take(5 - since, since))[0], since + 1);
  });

  it('misses nothing for a client far slower than what happens', async () => {
    let added = 0;
    const ids = await take(105, 0, async () => {
      if (added < 100) await add(10);
      added += 10;
    });
    assert.deepEqual(
      ids,
      Array.from({ length: 105 }, (_, index) => index + 1),
    );
  });

  it('writes a frame once for all who get it live', async () => {
    const both = [feed.frames(undefined, stop.signal), feed.frames(undefined, stop.signal)];
    const first = both.map((frames) => frames.next());
    await add(1);
    const [one, other] = await Promise.all(first);
    assert.equal((one!.value as SharedFrame<ActivityEvent>).values[0]!.id, 6);
    assert.equal(one!.value, other!.value);
  });

  it('gives all that happened in one turn in one write', async () => {
    const frames = feed.frames(undefined, stop.signal);
    const next = frames.next();
    await Promise.all([add(1), add(1), add(1)]);
    const { values } = (await next).value as SharedFrame<ActivityEvent>;
    assert.deepEqual(
      values.map(({ id }) => id),
      [6, 7, 8],
    );
  });

  it('offers a run to who is up to date, and resolves next with what was not taken', async () => {
    const offered: number[][] = [];
    const frames = feed.frames(undefined, stop.signal);
    frames.offer(({ values }) => offered.push(values.map(({ id }) => id)) < 2);
    const next = frames.next();
    for (let time = 0; time < 3; time += 1) {
      await add(1);
      await new Promise(setImmediate);
    }
    assert.deepEqual(offered, [[6], [7]]);
    assert.deepEqual((await next).value?.values[0]?.id, 7);
    assert.deepEqual((await frames.next()).value?.values[0]?.id, 8);
  });

  it('misses nothing that happens while it looks whether an event it has not read is there', async () => {
    let look = () => {};
    const looking = new Promise<void>((resolve) => {
      look = resolve;
    });
    const page = async (...query: Parameters<Space['page']>) => {
      await looking;
      return domain.space.page(...query);
    };
    const tail: Space['tail'] = (...from) => domain.space.tail(...from);
    const late = new LiveFeed({ page, tail } as unknown as Space, TOLD, 4);
    await add(3);
    const next = late.frames(7, stop.signal).next();
    const caughtUp = late.follow(domain.clock, silentLog, stop.signal);
    await new Promise((resolve) => setTimeout(resolve, 50));
    look();
    assert.deepEqual(
      (await next).value?.values.map(({ id }) => id),
      [8],
    );
    stop.abort();
    await caughtUp;
  });

  it('refuses to begin behind what has yet to happen', async () => {
    await assert.rejects(take(1, 6), { name: 'StreamEnd', code: 1008 });
  });

  it('ends with its signal', async () => {
    const frames = feed.frames(undefined, stop.signal);
    const next = frames.next();
    stop.abort();
    assert.equal((await next).done, true);
  });
});
