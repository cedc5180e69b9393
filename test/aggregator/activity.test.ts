import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { SPACE } from '../../core/aggregator/providers.ts';
import { activity } from '../../core/aggregator/store/logs.ts';
import { Store } from '../../core/internal-services.ts';
import { signDeal, TestAgent, type Wire } from './support/agent.ts';
import { bootAggregator, type TestAggregator } from './support/aggregator.ts';

/** A client of `/ws/activity` that keeps what it was sent. */
class Watcher {
  readonly events: any[] = [];
  readonly socket: WebSocket;
  readonly closed: Promise<number>;
  #arrived = () => {};

  constructor(aggregator: TestAggregator, query = '') {
    this.socket = new WebSocket(`${aggregator.url.replace('http', 'ws')}/ws/activity${query}`);
    this.closed = once(this.socket, 'close').then(([code]) => code as number);
    this.socket.on('message', (data) => {
      this.events.push(JSON.parse(String(data)));
      this.#arrived();
    });
  }

  async open(): Promise<this> {
    await once(this.socket, 'open');
    return this;
  }

  async until(count: number): Promise<any[]> {
    while (this.events.length < count) {
      await new Promise<void>((resolve) => {
        this.#arrived = resolve;
      });
    }
    return this.events;
  }

  async leave(): Promise<void> {
    this.socket.close();
    await this.closed;
  }
}

let known = 0;
/** Beacons of agents never seen before: each is one JOIN. */
async function joined(aggregator: TestAggregator, count: number): Promise<void> {
  const agents = Array.from({ length: count }, (_, index) => new TestAgent(`joining ${known + index}`));
  known += count;
  await aggregator.ingest(...agents.map((agent) => agent.beacon('joining').whole));
}

describe('the activity feed', () => {
  let aggregator: TestAggregator;
  let dir: string;
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'activity-'));
    aggregator = await bootAggregator({ dir });
    await joined(aggregator, 10);
  });
  after(async () => {
    assert.deepEqual(aggregator.errors, []);
    await aggregator.stop();
    await rm(dir, { recursive: true, force: true });
  });

  it('pages by id, newest first, without gaps or repeats while others write', async () => {
    const seen: number[] = [];
    for (let before: number | undefined; ; before = seen.at(-1)) {
      const page = await aggregator.read(`/activity?limit=3${before === undefined ? '' : `&before=${before}`}`);
      seen.push(...page.map((event: any) => event.id));
      if (page.length < 3) break;
      await joined(aggregator, 4);
    }
    assert.deepEqual(seen, [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    assert.deepEqual(await aggregator.read('/activity?before=1'), []);
  });

  it('sends what happens from now on, in the shape of the pages', async () => {
    const watcher = await new Watcher(aggregator).open();
    await joined(aggregator, 3);
    const events = await watcher.until(3);
    assert.deepEqual(events.toReversed(), await aggregator.read('/activity?limit=3'));
    await watcher.leave();
  });

  it('sends everything behind since first, and then goes on live', async () => {
    const [newest] = await aggregator.read('/activity?limit=1');
    const watcher = await new Watcher(aggregator, '?since=4').open();
    await joined(aggregator, 2);
    const events = await watcher.until(newest.id - 4 + 2);
    assert.deepEqual(
      events.map(({ id }) => id),
      Array.from({ length: newest.id - 2 }, (_, index) => index + 5),
    );
    await watcher.leave();
  });

  it('loses nothing between two connections', async () => {
    const first = await new Watcher(aggregator).open();
    await joined(aggregator, 2);
    const last = (await first.until(2)).at(-1).id;
    await first.leave();
    await joined(aggregator, 5);
    const second = await new Watcher(aggregator, `?since=${last}`).open();
    await joined(aggregator, 1);
    assert.deepEqual(
      (await second.until(6)).map(({ id }) => id),
      [1, 2, 3, 4, 5, 6].map((step) => last + step),
    );
    await second.leave();
  });

  it('sends the same to many watchers', async () => {
    const watchers = await Promise.all(Array.from({ length: 20 }, () => new Watcher(aggregator).open()));
    await joined(aggregator, 30);
    const all = await Promise.all(watchers.map((watcher) => watcher.until(30)));
    for (const events of all) assert.deepEqual(events, all[0]);
    await Promise.all(watchers.map((watcher) => watcher.leave()));
  });

  it('refuses a cursor beyond the newest event, and a watcher who talks', async () => {
    assert.equal(await new Watcher(aggregator, '?since=999999').closed, 1008);
    const talker = await new Watcher(aggregator).open();
    talker.socket.send('{}');
    assert.equal(await talker.closed, 1008);
  });

  it('refuses a cursor that is none before it opens', async () => {
    const watcher = new Watcher(aggregator, '?since=-1');
    watcher.closed.catch(() => {});
    const [, response] = await once(watcher.socket, 'unexpected-response');
    assert.equal(response.statusCode, 400);
    response.destroy();
    watcher.socket.on('error', () => {});
    watcher.socket.terminate();
  });

  it('goes on after a restart where it was', async () => {
    const watcher = await new Watcher(aggregator).open();
    const [newest] = await aggregator.read('/activity?limit=1');
    await aggregator.stop();
    assert.equal(await watcher.closed, 1001);
    aggregator = await bootAggregator({ dir });
    await joined(aggregator, 2);
    const again = await new Watcher(aggregator, `?since=${newest.id}`).open();
    assert.deepEqual(
      (await again.until(2)).map(({ event_type }) => event_type),
      ['JOIN', 'JOIN'],
    );
    assert.ok(again.events[0].id > newest.id);
    await again.leave();
  });

  it('is live for an agent or a kind alone, with what is behind an event first, and misses nothing', async () => {
    const [ada, ben] = [new TestAgent('watched'), new TestAgent('unwatched')];
    await aggregator.ingest(ada.beacon('watched').whole);
    const [{ id: since }] = await aggregator.read('/activity?limit=1');
    const mine = await new Watcher(aggregator, `?agent_id=${ada.id}&since=${since - 1}`).open();
    const joins = await new Watcher(aggregator, '?event_type=JOIN').open();
    const ratings = await new Watcher(aggregator, `?type=FEEDBACK&agent_id=${ada.id}`).open();
    await aggregator.ingest(ben.beacon('unwatched').whole);
    await joined(aggregator, 150);
    await joined(aggregator, 150);
    const told = await joins.until(301);
    assert.deepEqual([told[0].agent_id, told.length, ratings.events.length], [ben.id, 301, 0]);
    assert.deepEqual(
      told.map(({ id }) => id),
      told.map(({ id }) => id).sort((one, other) => one - other),
    );
    assert.deepEqual(
      (await mine.until(1)).map(({ agent_id }) => agent_id),
      [ada.id],
    );
    const listed = await aggregator.read(`/activity?agent_id=${ada.id}&event_type=JOIN`);
    assert.deepEqual(listed, mine.events);
    const beyond = new Watcher(aggregator, `?type=JOIN&since=${since + 10_000}`);
    assert.equal(await beyond.closed, 1008);
    assert.equal((await aggregator.fetch('/activity?event_type=BEACON')).status, 400);
    await Promise.all([mine.leave(), joins.leave(), ratings.leave()]);
  });

  it('name the envelope of each event and each rating, by which its receipt is found', async () => {
    const [ada, ben] = [new TestAgent('named'), new TestAgent('naming')];
    const joins = [ada.beacon('named'), ben.beacon('naming')];
    const { conversation, propose, accept, deliver } = signDeal(ada, ben, undefined, { amount_usdc_micro: 0n });
    const [praise, thanks] = [ada.feedback(ben, conversation, 80), ben.feedback(ada, conversation, 70)];
    for (const wire of [...joins, propose, accept, deliver, praise, thanks])
      assert.deepEqual(
        (await aggregator.ingest(wire.whole)).map(({ status }) => status),
        ['accepted'],
      );
    const told = [thanks, praise, deliver, accept];
    const ids = (wires: Wire[]) => wires.map(({ id }) => id);
    const events = await aggregator.read(`/activity?conversation_id=${conversation}`);
    assert.deepEqual(
      events.map(({ envelope_id }: any) => envelope_id),
      ids(told),
    );
    for (const [agent, join] of [
      [ada, joins[0]!],
      [ben, joins[1]!],
    ] as const) {
      const [found] = await aggregator.read(`/activity?agent_id=${agent.id}&type=JOIN`);
      assert.equal(found.envelope_id, join.id);
    }
    const ratings = await aggregator.read(`/interactions/by/${ada.id}`);
    assert.deepEqual(
      ratings.map(({ envelope_id }: any) => envelope_id),
      ids([thanks, praise]),
    );
    const epoch = Math.floor(Date.now() / 1_000 / 86_400);
    const receipts = await aggregator.read(`/epochs/${ben.id}/${epoch}/envelopes`);
    const leaves = receipts.map(({ leaf_hash }: any) => leaf_hash);
    for (const id of ids([joins[1]!, accept, deliver, thanks])) assert.ok(leaves.includes(id), id);
  });

  it('have none where they were indexed before it was kept', async () => {
    const { id } = new TestAgent('of former times');
    const space = aggregator.get(Store).space(SPACE);
    await space.append(activity, { event_type: 'JOIN', agent_id: id, slot: 0, at: Date.now() });
    const [found] = await aggregator.read(`/activity?agent_id=${id}&type=JOIN`);
    assert.deepEqual([found.agent_id, 'envelope_id' in found, 'envelope' in found], [id, false, false]);
  });
});
