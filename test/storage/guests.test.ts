import assert from 'node:assert/strict';
import { memoryStorage } from '../../adapters/storage-memory/index.ts';
import { systemClock, systemRandom } from '../../core/platform/system-clock.ts';
import { appendLog, collection, counter } from '../../core/storage/declarations.ts';
import { openStore, type Store } from '../../core/storage/store.ts';
import type { OtherSpaces, Tx } from '../../core/storage/transaction.ts';

const isNumber = (value: unknown) => (typeof value === 'number' ? [] : [{ pointer: '', message: 'is no number' }]);
const notes = collection<number>('notes', { schema: isNumber });
const shared = collection<number>('shared', { schema: isNumber, shared: true });
const events = appendLog<number>('events', { schema: () => [] });
const sum = counter('sum');
const BOUNDS = { bytes: 4_096, pulls: 3 };

describe('the guests of a transaction', () => {
  let store: Store;
  beforeEach(async () => {
    const validate = () => [];
    store = await openStore(memoryStorage({ clock: systemClock }), {
      validate,
      clock: systemClock,
      random: systemRandom,
    });
  });
  afterEach(() => store.close());

  const run = (guest: (tx: Tx) => unknown, after: (tx: Tx) => void = () => {}) =>
    store.space('core').txBeside([], [{ space: 'guest', reads: [notes.ref('a')] }], (tx, others) => {
      tx.put(notes.ref('a'), 1);
      tx.append(events, 1);
      let thrown: unknown;
      try {
        others.guest('guest', BOUNDS, guest);
      } catch (error) {
        if ((error as Error).name === 'MoreReads') throw error;
        thrown = error;
      }
      tx.append(events, 2);
      after(tx);
      return thrown;
    });

  it('write in their own space, with the transaction', async () => {
    const { value } = await run((tx) => {
      assert.equal(tx.get(notes.ref('a')), undefined);
      tx.put(notes.ref('a'), 7);
      tx.append(events, 70);
    });
    assert.equal(value, undefined);
    assert.equal(await store.space('core').get(notes.ref('a')), 1);
    assert.equal(await store.space('guest').get(notes.ref('a')), 7);
    assert.equal((await store.space('guest').page(events)).length, 1);
  });

  it('that fail have written nothing, and the transaction goes on', async () => {
    await store.space('guest').put(notes.ref('a'), 5);
    const { value, ids } = await run((tx) => {
      tx.put(notes.ref('a'), 6);
      tx.put(notes.ref('a'), 7);
      tx.put(notes.ref('b'), 8);
      tx.del(notes.ref('a'));
      tx.append(events, 70);
      tx.add(sum, 3);
      throw new Error('out of ink');
    });
    assert.match(String(value), /out of ink/);
    assert.deepEqual(ids, [1, 2]);
    assert.deepEqual(await store.space('guest').getMany([notes.ref('a'), notes.ref('b')]), [5, undefined]);
    assert.deepEqual(await store.space('guest').page(events), []);
    assert.equal(await store.space('guest').total(sum), 0n);
    assert.deepEqual(
      (await store.space('core').page(events)).map(({ record }) => record),
      [2, 1],
    );
  });

  it('pull what they did not declare, and not for ever', async () => {
    await store.space('guest').put(notes.ref('far'), 9);
    let seen: unknown;
    await run((tx) => {
      [seen] = tx.pull([notes.ref('far')]);
    });
    assert.equal(seen, 9);
    let turn = 0;
    const { value } = await run((tx) => {
      for (;;) tx.pull([notes.ref(`${turn++}`)]);
    });
    assert.match(String(value), /asks for more documents more than 3 times/);
    assert.equal(await store.space('core').get(notes.ref('a')), 1);
  });

  it('cannot go on after what they asked for was missing, even if they catch it', async () => {
    const { value } = await run((tx) => {
      try {
        tx.pull([notes.ref('far')]);
      } catch {
        tx.put(notes.ref('b'), 1);
      }
    });
    assert.equal(value, undefined);
    assert.equal(await store.space('guest').get(notes.ref('b')), undefined);
  });

  it('write no more than they may, and nothing that may not be stored', async () => {
    const big = await run((tx) => {
      for (let i = 0; i < 100; i++) tx.put(notes.ref(`${i}`), i);
    });
    assert.match(String(big.value), /writes more than 4096 bytes/);
    assert.match(String((await run((tx) => tx.put(notes.ref('b'), 'text' as never))).value), /cannot hold this value/);
    assert.match(String((await run((tx) => tx.put(shared.ref('b'), 'text' as never))).value), /cannot hold this value/);
    assert.equal(await store.space('guest').count(notes), 0);
  });

  it('have no guests, no space but their own, and no second turn', async () => {
    let kept: Tx | undefined;
    const { value } = await run((tx) => {
      kept = tx;
      (tx as unknown as OtherSpaces).guest('core', BOUNDS, (other) => other.put(notes.ref('a'), 666));
    });
    assert.match(String(value), /has no guests/);
    await assert.rejects(
      run(
        () => {},
        () => kept!.put(notes.ref('a'), 666),
      ),
      /used after its function had returned/,
    );
    const late = await run(
      (tx) => {
        kept = tx;
      },
      () => assert.throws(() => kept!.put(notes.ref('z'), 1), /used after its function/),
    );
    assert.equal(late.value, undefined);
    assert.equal(await store.space('core').get(notes.ref('a')), 1);
  });
});
