import assert from 'node:assert/strict';
import { memoryStorage } from '../../adapters/storage-memory/index.ts';
import { systemClock, systemRandom } from '../../core/platform/system-clock.ts';
import { StorageError } from '../../core/storage/adapter.ts';
import { appendLog, collection, inPassing } from '../../core/storage/declarations.ts';
import { SharedValues } from '../../core/storage/shared-values.ts';
import { openStore, type Store } from '../../core/storage/store.ts';
import { InvalidValue } from '../../core/storage/values.ts';
import { View } from '../../core/storage/view.ts';

interface Note {
  readonly text: string;
  readonly tags: readonly string[];
}

const rule = (value: unknown) =>
  typeof (value as Note).text === 'string' ? [] : [{ pointer: '/text', message: 'must be a text' }];
const notes = collection<Note, 'tag'>('notes', {
  schema: rule,
  shared: true,
  indexes: { tag: ({ tags }) => tags.map((tag) => [tag]) },
});
const copies = collection<Note>('copies', { schema: rule });
const lines = appendLog<Note>('lines', { schema: rule, shared: true });
const note = (text: string, ...tags: string[]): Note => ({ text, tags });

describe('shared values', () => {
  let store: Store;
  beforeEach(async () => {
    const adapter = memoryStorage({ clock: systemClock });
    store = await openStore(adapter, { validate: () => [], clock: systemClock, random: systemRandom });
  });
  afterEach(() => store.close());

  it('are the same frozen object for all readers, as long as the document stays the same', async () => {
    const space = store.space('one');
    await space.put(notes.ref('a'), note('first', 'x'));
    const [first, again] = [await space.get(notes.ref('a')), await space.get(notes.ref('a'))];
    assert.equal(first, again);
    assert.throws(() => ((first as { text: string }).text = 'other'), TypeError);
    assert.throws(() => (first!.tags as string[]).push('y'), TypeError);
    const { value } = await space.tx([notes.ref('a')], (tx) => tx.get(notes.ref('a')));
    assert.equal(value, first);
    assert.equal((await space.page(notes, { index: 'tag', prefix: ['x'] }))[0]!.value, first);
    await space.put(notes.ref('a'), note('second', 'y'));
    assert.deepEqual(await space.get(notes.ref('a')), note('second', 'y'));
    assert.deepEqual(await space.page(notes, { index: 'tag', prefix: ['x'] }), []);
  });

  it('are not kept for one who reads them in passing, within a transaction or without', async () => {
    const space = store.space('one');
    await space.put(notes.ref('a'), note('first', 'x'));
    const passing = inPassing(notes.ref('a'));
    const [seen, seenAgain] = [await space.get(passing), await space.get(passing)];
    assert.deepEqual(seen, note('first', 'x'));
    assert.notEqual(seen, seenAgain, 'each look has a value of its own');
    const { value: within } = await space.tx([passing], (tx) => {
      const read = tx.get(passing)!;
      tx.put(passing, { ...read, text: 'second' });
      return read;
    });
    assert.deepEqual(within, note('first', 'x'));
    const [many] = await space.getMany([passing]);
    assert.deepEqual(many, note('second', 'x'));
    assert.notEqual(many, (await space.getMany([passing]))[0], 'what the transaction put is not kept either');
    const known = await space.get(notes.ref('a'));
    assert.equal(await space.get(passing), known, 'what others know is seen in passing');
  });

  it('stay known to all while a reader goes through thousands of others once', async () => {
    const space = store.space('one');
    const others = Array.from({ length: 5_000 }, (_, index) => `other ${index}`);
    await space.put(notes.ref('a'), note('first'));
    await space.tx([], (tx) => {
      for (const id of others) tx.put(notes.ref(id), note(id));
    });
    const first = await space.get(notes.ref('a'));
    for (let from = 'o'; ; ) {
      const rows = await space.page(notes, { idFrom: from, idTo: 'p', limit: 1_000, once: true });
      if (rows.length === 0) break;
      const { id, value } = rows[0]!;
      Object.assign(value, { text: 'other' });
      assert.deepEqual(await space.get(notes.ref(id)), note(id), 'what was not known is its own');
      from = `${rows.at(-1)!.id}\0`;
    }
    assert.equal(await space.get(notes.ref('a')), first);
    assert.equal((await space.page(notes, { idPrefix: 'a', once: true }))[0]!.value, first, 'what is known is given');
    await space.put(notes.ref('a'), note('second'));
    assert.deepEqual((await space.page(notes, { idPrefix: 'a', once: true }))[0]!.value, note('second'));
  });

  it('of two spaces have nothing in common', async () => {
    await store.space('one').put(notes.ref('a'), note('one'));
    await store.space('two').put(notes.ref('a'), note('two'));
    assert.deepEqual(await store.space('one').get(notes.ref('a')), note('one'));
    assert.deepEqual(await store.space('two').get(notes.ref('a')), note('two'));
  });

  it('cannot be changed after they were put, so that what is checked is what is stored', async () => {
    const space = store.space('one');
    const given = { text: 'as given', tags: ['x'] };
    await space.tx([], (tx) => {
      tx.put(notes.ref('a'), given);
      assert.throws(() => given.tags.push('y'), TypeError);
    });
    assert.deepEqual(await space.get(notes.ref('a')), note('as given', 'x'));
  });

  it('put several times in one commit are stored as put last, with the index entries of the last', async () => {
    const space = store.space('one');
    const ref = notes.ref('a');
    await Promise.all([
      space.tx([ref], (tx) => tx.put(ref, note('1', 'one'))),
      space.tx([ref], (tx) => {
        assert.equal(tx.get(ref)!.text, '1');
        tx.put(ref, note('2', 'two'));
        tx.put(ref, note('3', 'three'));
        assert.equal(tx.get(ref)!.text, '3');
      }),
    ]);
    assert.deepEqual(await space.get(ref), note('3', 'three'));
    assert.equal(await space.count(notes, 'tag'), 1);
  });

  const refused: Record<string, unknown> = {
    'a number JSON cannot hold': { text: 'a', tags: [], n: Number.NaN },
    'a date': { text: 'a', tags: [new Date(0)] },
    'a hole': { text: 'a', tags: new Array(1) },
    'what misses its rule': { text: 1, tags: [] },
  };
  for (const [name, value] of Object.entries(refused)) {
    it(`refuses ${name}, and only that transaction`, async () => {
      const space = store.space('one');
      const [bad, good] = await Promise.allSettled([
        space.put(notes.ref('bad'), value as Note),
        space.put(notes.ref('good'), note('good')),
      ]);
      assert.equal(good!.status, 'fulfilled');
      assert.ok(bad!.status === 'rejected' && bad.reason instanceof InvalidValue);
      assert.equal(await space.get(notes.ref('bad')), undefined);
    });
  }

  it('refuses a value that is too large, and takes one of many escapes that is not', async () => {
    const space = store.space('one');
    const large = space.put(notes.ref('a'), note('x'.repeat(1_100_000)));
    await assert.rejects(large, (error) => error instanceof StorageError && error.fault === 'too_large');
    await assert.rejects(space.put(notes.ref('a'), note('\0'.repeat(200_000))), StorageError);
    await space.put(notes.ref('a'), note('x'.repeat(1_000_000)));
  });

  it('are given as copies where the declaration does not say otherwise', async () => {
    const space = store.space('one');
    await space.put(copies.ref('a'), note('a', 'x'));
    const copy = (await space.get(copies.ref('a'))) as unknown as { tags: string[] };
    copy.tags.push('mine');
    assert.deepEqual(await space.get(copies.ref('a')), note('a', 'x'));
  });

  it('of a log are shared by its pages', async () => {
    const space = store.space('one');
    await space.append(lines, note('first'));
    const [[one], [other]] = [await space.page(lines), await space.page(lines)];
    assert.deepEqual(one, { id: 1, record: note('first') });
    assert.equal(one!.record, other!.record);
  });

  it('are forgotten when there are many, those asked for last', () => {
    const values = new SharedValues(8);
    const kept = values.of('t', 'kept', '{}');
    const forgotten = values.of('t', 'forgotten', '{}');
    for (let n = 0; n < 20; n++) {
      values.of('t', n, `[${n}]`);
      assert.equal(values.of('t', 'kept', '{}'), kept);
    }
    assert.notEqual(values.of('t', 'forgotten', '{}'), forgotten);
  });
});

describe('a view', () => {
  it('is made once for a value and what else it depends on', () => {
    let made = 0;
    const view = new View((value: { n: number }, as) => `${value.n}@${as} #${++made}`);
    const value = { n: 7 };
    assert.equal(view.of(value, 1), '7@1 #1');
    assert.equal(view.of(value, 1), '7@1 #1');
    assert.equal(view.of(value, 2), '7@2 #2');
    assert.equal(view.of({ n: 7 }, 2), '7@2 #3');
  });
});
