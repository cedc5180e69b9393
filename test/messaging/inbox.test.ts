import assert from 'node:assert/strict';
import { Inbox } from '../../core/messaging/inbox.ts';
import { broadcasts, inboxState, letters } from '../../core/messaging/inbox-records.ts';
import { silentLog } from '../../core/platform/log.ts';
import type { Space } from '../../core/storage/space.ts';
import { nodeSpace } from '../support/space.ts';

const LIMITS = { letters: 50, broadcasts: 100 };

describe('the inbox', () => {
  let space: Space;
  let inbox: Inbox;
  let stop: AbortController;
  beforeEach(async () => {
    space = await nodeSpace();
    inbox = await Inbox.open(space, silentLog, LIMITS);
    stop = new AbortController();
  });
  afterEach(() => {
    stop.abort();
    inbox.close();
  });

  async function add(name: string, open = false): Promise<number> {
    const { value, ids } = await space.tx([inboxState], (tx) => {
      const about = { msg_type: open ? 'DISCOVER' : 'PROPOSE', conversation_id: '00'.repeat(16), received_at: tx.now };
      return inbox.append(
        tx,
        { envelope_id: Buffer.from(name).toString('hex').padEnd(64, '0'), ...about, bytes: '' },
        open,
      );
    });
    inbox.appended(value, ids[0]!, open);
    return value;
  }

  /** The cursors of the next `count` records behind `since`. */
  async function read(since: number, count: number, from: Inbox = inbox): Promise<number[]> {
    const cursors: number[] = [];
    if (count === 0) return cursors;
    for await (const record of from.tail(since, stop.signal)) {
      cursors.push(record.cursor);
      if (cursors.length === count) break;
    }
    return cursors;
  }

  const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

  it('numbers letters and broadcasts together and gives them in order', async () => {
    for (let i = 0; i < 40; i++) assert.equal(await add(`${i}`, i % 3 === 0), i + 1);
    for (const since of [0, 1, 17, 39]) assert.deepEqual(await read(since, 40 - since), range(since + 1, 40));
  });

  it('gives many at once in pages without gaps', async () => {
    inbox = await Inbox.open(space, silentLog, { letters: 10_000, broadcasts: 10_000 });
    await Promise.all(range(1, 1_500).map((i) => add(`${i}`, i % 7 < 3)));
    assert.deepEqual(await read(0, 1_500), range(1, 1_500));
    assert.deepEqual(await read(1_234, 266), range(1_235, 1_500));
  });

  it('gives what comes while somebody reads', async () => {
    const reading = read(0, 300);
    for (let i = 0; i < 300; i++) {
      if (i % 60 === 59) await inbox.acknowledge(i - 30);
      void add(`${i}`, i % 2 === 0);
      if (i % 10 === 0) await new Promise((turn) => setImmediate(turn));
    }
    const cursors = await reading;
    assert.deepEqual(
      cursors,
      [...cursors].sort((a, b) => a - b),
    );
    assert.equal(cursors.at(-1), 300);
  });

  it('forgets what is acknowledged, now and after a restart', async () => {
    for (let i = 0; i < 10; i++) await add(`${i}`, i % 2 === 0);
    await inbox.acknowledge(6);
    assert.deepEqual(await read(0, 4), range(7, 10));
    assert.deepEqual([(await space.page(letters)).length, (await space.page(broadcasts)).length], [2, 2]);
    const again = await Inbox.open(space, silentLog, LIMITS);
    assert.deepEqual(await read(2, 4, again), range(7, 10));
    await inbox.acknowledge(3);
    assert.deepEqual(await read(0, 4), range(7, 10));
    again.close();
  });

  it('cannot acknowledge what has not come yet', async () => {
    await add('one');
    await inbox.acknowledge(1_000);
    await add('two');
    assert.deepEqual(await read(0, 1), [2]);
  });

  it('never gives a cursor twice, even when it is empty', async () => {
    await add('one');
    await inbox.acknowledge(1);
    const again = await Inbox.open(space, silentLog, LIMITS);
    assert.equal(again.newest, 1);
    inbox = again;
    assert.equal(await add('two'), 2);
  });

  it('keeps the newest broadcasts, and every letter', async () => {
    const kept = [await add('first letter')];
    for (let i = 0; i < 1_000; i++) await add(`${i}`, true);
    kept.push(await add('second letter'));
    const held = await space.page(broadcasts, { limit: 2_000 });
    assert.ok(held.length >= 100 && held.length <= 111, `${held.length} broadcasts`);
    assert.deepEqual(
      held.map(({ record }) => record.cursor),
      range(1_002 - held.length, 1_001).reverse(),
    );
    const cursors = await read(0, held.length + 2);
    assert.deepEqual([cursors[0], cursors.at(-1)], kept);
  });

  it('is full at its limit of letters, takes broadcasts all the same, and has room again when some are acknowledged', async () => {
    for (let i = 0; i < 50; i++) {
      assert.equal(inbox.hasRoom, true);
      await add(`${i}`);
    }
    assert.equal(inbox.hasRoom, false);
    await add('news', true);
    const again = await Inbox.open(space, silentLog, LIMITS);
    assert.equal(again.hasRoom, false);
    await inbox.acknowledge(1);
    assert.equal(inbox.hasRoom, true);
    again.close();
  });

  it('keeps what the agent has acknowledged until the handlers have passed it', async () => {
    await inbox.handledUpTo(0);
    for (let i = 0; i < 6; i++) await add(`${i}`);
    await inbox.acknowledge(4);
    assert.equal((await space.page(letters)).length, 6);
    assert.deepEqual(await read(0, 2), [5, 6]);
    await inbox.handledUpTo(3);
    assert.equal((await space.page(letters)).length, 3);
    await inbox.handledUpTo(6);
    assert.equal((await space.page(letters)).length, 2);
  });

  it('ends its readers when it closes', async () => {
    const reading = read(0, 1);
    await new Promise((turn) => setImmediate(turn));
    inbox.close();
    assert.deepEqual(await reading, []);
  });
});
