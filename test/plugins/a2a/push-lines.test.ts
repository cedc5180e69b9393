import assert from 'node:assert/strict';
import { memoryStorage } from '../../../adapters/storage-memory/index.ts';
import { silentLog } from '../../../core/platform/log.ts';
import { systemRandom } from '../../../core/platform/system-clock.ts';
import type { Http } from '../../../core/services.ts';
import { openStore, type Store } from '../../../core/storage/store.ts';
import type { PushConfig } from '../../../plugins/a2a/protocol/objects.ts';
import { Pushes } from '../../../plugins/a2a/pushes/pushes.ts';
import { lines, MOST_LINES, MOST_WAITING, rooms } from '../../../plugins/a2a/pushes/records.ts';
import type { TaskRecord } from '../../../plugins/a2a/tasks/records.ts';
import { TaskBook } from '../../../plugins/a2a/tasks/task-book.ts';
import { happens } from '../../support/happens.ts';
import { ShiftedClock } from '../../support/shifted-clock.ts';

const DAY = 24 * 3_600_000;

describe('the changes of tasks that wait for receivers', () => {
  let store: Store;
  let clock: ShiftedClock;
  let stopped: AbortController;
  /** The calls, in the order in which they came: where, and the words or the artifact. */
  let calls: { readonly url: string; readonly told: string; readonly publicOnly: boolean }[];
  let answers: (url: string) => number | Promise<number>;
  let known: Set<string>;

  beforeEach(async () => {
    clock = new ShiftedClock();
    store = await openStore(memoryStorage({ clock }), { clock, random: systemRandom, validate: () => [] });
    stopped = new AbortController();
    calls = [];
    answers = () => 200;
    known = new Set(['client.ada', 'client.bea', 'hire']);
  });
  afterEach(async () => {
    stopped.abort();
    await store.close();
  });

  /** A process of the node: its tasks, and its pushes. */
  function process(): { readonly book: TaskBook; readonly pushes: Pushes } {
    const http = {
      async request(url: string, { body, publicOnly }: any) {
        const { statusUpdate, artifactUpdate } = JSON.parse(body);
        const told = statusUpdate?.status.message.parts[0].text ?? artifactUpdate.artifact.artifactId;
        calls.push({ url, told, publicOnly });
        return { status: await answers(url) };
      },
    } as unknown as Http;
    const space = store.space('a2a');
    const pushes = new Pushes({
      ...{ space, http, clock, log: silentLog, signal: stopped.signal, isCaller: (caller) => known.has(caller) },
      isPublicOnly: (caller) => caller !== 'hire',
    });
    return { book: new TaskBook(space, pushes), pushes };
  }
  const taskOf = (id: string, urls: readonly string[], caller = 'client.ada'): TaskRecord => ({
    ...{ id, scope: `${caller}/agent`, agent: 'agent', context: id, message_id: id, digest: '', network: '' },
    ...{ state: 'TASK_STATE_WORKING', text: '', deal_text: '', data: null, at: 0, turn: 0, final: false, deal_at: 0 },
    ...{ deal_state: 'accepted', fault: null, artifacts: [], history: [], metadata: {} },
    pushes: urls.map((url, index): PushConfig => ({ id: `${index}`, taskId: id, url })),
  });
  const says = (book: TaskBook, id: string, text: string) =>
    book.change(id, (task) => ({ ...task, text, turn: task.turn + 1 }));
  const waiting = () => store.space('a2a').page(lines, { limit: 1_000 });
  const nothingWaits = () => happens('nothing waits', async () => (await waiting()).length === 0 || undefined);
  const toldOf = (url: string) => calls.filter((call) => call.url === url).map(({ told }) => told);

  it('reach each receiver in their order, artifacts with them, and leave nothing behind', async () => {
    const { book } = process();
    await book.add(taskOf('t', ['http://one', 'http://two']));
    for (const word of ['a', 'b', 'c']) await says(book, 't', word);
    await book.change('t', (task) => ({ ...task, artifacts: [{ artifactId: 'work', parts: [{ text: 'x' }] }] }));
    await says(book, 't', 'd');
    await nothingWaits();
    for (const url of ['http://one', 'http://two']) assert.deepEqual(toldOf(url), ['a', 'b', 'c', 'work', 'd']);
    assert.deepEqual(await store.space('a2a').page(rooms), []);
  });

  it('wait for a receiver that is away, and no other waits for it', async () => {
    const { book, pushes } = process();
    answers = (url) => (url === 'http://away' ? 503 : 200);
    await book.add(taskOf('t', ['http://away', 'http://there']));
    await says(book, 't', 'a');
    await says(book, 't', 'b');
    await happens('the other is told', async () => toldOf('http://there').length === 2 || undefined);
    assert.deepEqual([...new Set(toldOf('http://away'))], ['a']);
    answers = () => 200;
    clock.shift(600_000);
    await pushes.look();
    await nothingWaits();
    assert.deepEqual(toldOf('http://away').slice(-2), ['a', 'b']);
  });

  it('are given up when the receiver refuses them, its configuration or its caller is gone, or a day is over', async () => {
    const { book, pushes } = process();
    answers = () => 410;
    await book.add(taskOf('refused', ['http://one']));
    await says(book, 'refused', 'a');
    await nothingWaits();
    assert.deepEqual(toldOf('http://one'), ['a']);

    answers = () => 503;
    for (const id of ['gone', 'left', 'old'])
      await book.add(taskOf(id, [`http://${id}`], id === 'left' ? 'client.bea' : 'client.ada'));
    for (const id of ['gone', 'left', 'old']) await says(book, id, 'a');
    await happens('each was tried', async () => new Set(calls.map(({ url }) => url)).size === 4 || undefined);
    await book.change('gone', (task) => ({ ...task, pushes: [] }));
    known.delete('client.bea');
    calls.splice(0);
    answers = () => 200;
    clock.shift(DAY / 2);
    await pushes.look();
    await happens('one is told', async () => toldOf('http://old').length === 1 || undefined);
    await nothingWaits();
    assert.deepEqual(calls.length, 1);

    answers = () => 503;
    await says(book, 'old', 'b');
    await happens('it was tried', async () => toldOf('http://old').includes('b') || undefined);
    calls.splice(0);
    clock.shift(DAY + 1);
    await pushes.look();
    await nothingWaits();
    assert.deepEqual(calls, []);
  });

  it('are bounded for a receiver, and receivers for a caller; another caller has room of its own', async () => {
    const { book } = process();
    answers = () => 503;
    await book.add(taskOf('t', ['http://one']));
    for (let count = 0; count < MOST_WAITING + 8; count++) await says(book, 't', `${count}`);
    const [line] = await waiting();
    assert.equal(line!.value.waiting.length, MOST_WAITING);
    const texts = line!.value.waiting.map(({ status }) => Number(status!.message!.parts[0]!.text));
    assert.deepEqual([texts[0], texts[1], texts.at(-1)], [0, 9, MOST_WAITING + 7]);

    for (let count = 1; count < MOST_LINES + 4; count++) {
      await book.add(taskOf(`t${count}`, ['http://one']));
      await says(book, `t${count}`, 'a');
    }
    assert.equal((await waiting()).length, MOST_LINES);
    await book.add(taskOf('b', ['http://bea'], 'client.bea'));
    await says(book, 'b', 'a');
    assert.equal((await waiting()).length, MOST_LINES + 1);
    await happens('the other caller is told', async () => toldOf('http://bea').length > 0 || undefined);
  });

  it('are told once by two processes, and by the other one when the first has ended in the middle', async () => {
    const [one, two] = [process(), process()];
    await one.book.add(taskOf('t', ['http://one']));
    for (const word of ['a', 'b', 'c']) {
      await says(one.book, 't', word);
      await Promise.all([one.pushes.look(), two.pushes.look()]);
    }
    await nothingWaits();
    assert.deepEqual(toldOf('http://one'), ['a', 'b', 'c']);

    answers = () => new Promise(() => {});
    await says(one.book, 't', 'd');
    await happens('it is under way', async () => toldOf('http://one').length === 4 || undefined);
    answers = () => 200;
    await two.pushes.look();
    clock.shift(20_000);
    await two.pushes.look();
    await nothingWaits();
    assert.deepEqual(toldOf('http://one').slice(3), ['d', 'd']);
  });

  it('go to private addresses for the owner alone', async () => {
    const { book } = process();
    await book.add(taskOf('t', ['http://ada']));
    await book.add(taskOf('h', ['http://owner'], 'hire'));
    await Promise.all([says(book, 't', 'a'), says(book, 'h', 'a')]);
    await nothingWaits();
    assert.deepEqual(calls.map(({ url, publicOnly }) => [url, publicOnly]).sort(), [
      ['http://ada', true],
      ['http://owner', false],
    ]);
  });
});
