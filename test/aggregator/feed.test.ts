import assert from 'node:assert/strict';
import { ActivityFeed } from '../../core/aggregator/activity/feed.ts';
import { activity } from '../../core/aggregator/store/logs.ts';
import { silentLog } from '../../core/log.ts';
import { TestAgent } from './support/agent.ts';
import { type Domain, openDomain } from './support/domain.ts';

describe('a feed of activity', () => {
  const agent = new TestAgent('fed');
  let domain: Domain;
  let feed: ActivityFeed;
  let stop: AbortController;
  let following: Promise<void>;

  beforeEach(async () => {
    domain = await openDomain();
    await add(5);
    feed = new ActivityFeed(domain.space, 4);
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
    for await (const { value } of feed.frames(since, stop.signal)) {
      ids.push(value.id);
      await each();
      if (ids.length === count) break;
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
    assert.equal((one!.value as { value: { id: number } }).value.id, 6);
    assert.equal(one!.value, other!.value);
  });

  it('ends with its signal', async () => {
    const frames = feed.frames(undefined, stop.signal);
    const next = frames.next();
    stop.abort();
    assert.equal((await next).done, true);
  });
});
