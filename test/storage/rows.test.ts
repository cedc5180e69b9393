import assert from 'node:assert/strict';
import { type Expiring, ExpiryHeap, NOWHERE } from '../../core/storage/expiry-heap.ts';
import { Rows } from '../../core/storage/rows.ts';
import { SplitMap } from '../../core/storage/split-map.ts';

/** The same numbers in every run. */
function numbers(seed: number): (below: number) => number {
  let x = seed;
  return (below) => {
    x = (Math.imul(x, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((x / 2 ** 32) * below);
  };
}

describe('the expiry heap', () => {
  it('gives what has expired in order of time, through random additions and removals', () => {
    const next = numbers(7);
    const heap = new ExpiryHeap<Expiring>();
    const live = new Set<Expiring>();
    let now = 0;
    for (let step = 0; step < 20_000; step++) {
      const kind = next(10);
      if (kind < 6) {
        const item = { expires: now + 1 + next(500), place: NOWHERE };
        heap.add(item);
        live.add(item);
      } else if (kind < 8) {
        const [item] = [...live].slice(next(Math.min(20, live.size)));
        if (item) heap.remove(item);
        if (item) live.delete(item);
      } else {
        now += next(30);
        const due = [...live].filter(({ expires }) => expires <= now).map(({ expires }) => expires);
        const given: number[] = [];
        for (let item = heap.pop(now); item; item = heap.pop(now)) {
          assert.ok(live.delete(item));
          given.push(item.expires);
        }
        assert.deepEqual(
          given,
          due.sort((a, b) => a - b),
        );
      }
      assert.equal(heap.size, live.size);
    }
    assert.ok(now > 10_000);
  });

  it('takes no notice of what never expires, or is not in it', () => {
    const heap = new ExpiryHeap<Expiring>();
    const forever = { expires: Number.POSITIVE_INFINITY, place: NOWHERE };
    heap.add(forever);
    heap.remove(forever);
    const once = { expires: 5, place: NOWHERE };
    heap.add(once);
    heap.remove(once);
    heap.remove(once);
    assert.equal(heap.pop(Number.MAX_SAFE_INTEGER), undefined);
    assert.equal(heap.size, 0);
  });
});

describe('the split map', () => {
  it('does as a map does', () => {
    const next = numbers(3);
    const map = new SplitMap<number>();
    const model = new Map<string, number>();
    for (let step = 0; step < 20_000; step++) {
      const name = ['', '__proto__', 'é🦊', `${next(500)}:agent`, `agent:${next(500)}`, 'x'.repeat(next(9))][next(6)]!;
      if (next(3) === 0) assert.equal(map.delete(name), model.delete(name));
      else {
        map.set(name, step);
        model.set(name, step);
      }
      assert.equal(map.size, model.size);
      assert.equal(map.get(name), model.get(name));
    }
    for (const [name, value] of model) assert.equal(map.get(name), value);
  });
});

describe('the way through all documents', () => {
  let rows: Rows;
  beforeEach(() => {
    rows = new Rows(() => 0);
  });
  const put = (collection: string, id: string) => rows.apply(['put', collection, id, 1, id, [], null]);
  const idOf = (n: number) => `id ${n.toString().padStart(5, '0')}`;

  it('gives each once, by collection and id', () => {
    for (const n of [3, 1, 2]) put('b', idOf(n));
    put('a', idOf(9));
    assert.deepEqual(
      [...rows.documents()].map(({ collection, id }) => `${collection} ${id}`),
      ['b id 00001', 'b id 00002', 'b id 00003', 'a id 00009'],
    );
    assert.deepEqual([...new Rows(() => 0).documents()], []);
  });

  it('gives what is there all the time, whatever is put and deleted meanwhile, and ends', () => {
    for (let n = 0; n < 5_000; n++) put('c', idOf(n));
    const next = numbers(5);
    const seen = new Map<string, number>();
    const touched = new Set<string>();
    let steps = 0;
    for (const { id } of rows.documents()) {
      seen.set(id, (seen.get(id) ?? 0) + 1);
      const gone = idOf(next(5_000));
      touched.add(gone);
      rows.apply(['delete', 'c', gone]);
      if (steps % 3 === 0) put('c', gone);
      put('c', `${id} again`);
      // A writer that is always ahead of the reader.
      put('c', `z ${steps++}`);
    }
    for (let n = 0; n < 5_000; n++) if (!touched.has(idOf(n))) assert.equal(seen.get(idOf(n)), 1);
    assert.ok([...seen.values()].every((times) => times === 1));
    assert.ok(steps < 6_000, `${steps}`);
  });

  it('ends also when the last one is deleted meanwhile', () => {
    for (let n = 0; n < 2_000; n++) put('c', idOf(n));
    let given = 0;
    for (const { id } of rows.documents()) {
      if (given++ === 0) for (let n = 600; n < 2_000; n++) rows.apply(['delete', 'c', idOf(n)]);
      assert.ok(id < idOf(600));
    }
    assert.equal(given, 600);
  });
});
