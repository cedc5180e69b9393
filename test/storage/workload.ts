import assert from 'node:assert/strict';
import type { Effect, StorageAdapter } from '../../core/storage/adapter.ts';
import type { Dice } from './dice.ts';

/*
 * Commits number 1, 2, 3 … whose result can be told from how many there were: documents that are written over and go
 * away, index entries, records with postings of which the old ones are trimmed, and a counter.
 */
const SLOTS = 7;
const KEPT = 60;

/** Small sizes that fit many into a sector, larger ones that need several. */
function textOf(n: number): string {
  const length = n % 5 === 0 ? (n * 7919) % 4_000 : (n * 31) % 200;
  return `value ${n} @ ä€ "${'x y@'.repeat(length / 4)}"${n % 3 === 0 ? '\nin two lines' : ''}`;
}

export function commitOf(n: number): Effect[] {
  const slot = `slot ${n % SLOTS}`;
  const effects: Effect[] = [
    { kind: 'append', log: 'events', value: textOf(n), postings: [n % 2 ? 'odd' : 'even'] },
    { kind: 'put', collection: 'slots', id: slot, value: textOf(n), entries: [{ index: 'by_n', key: key(n) }] },
    { kind: 'add', counter: 'events', amount: 1n },
  ];
  if (n > 3) effects.push({ kind: 'delete', collection: 'slots', id: `slot ${(n - 3) % SLOTS}` });
  if (n % 20 === 0 && n > KEPT) effects.push({ kind: 'trim', log: 'events', upTo: n - KEPT });
  return effects;
}

function key(n: number): string {
  return String(n).padStart(8, '0');
}

/** Writes commits up to `last`, sometimes several at once; tells after which one everything is acknowledged. */
export async function write(
  adapter: StorageAdapter,
  [first, last]: readonly [number, number],
  dice: Dice,
  acknowledged: (n: number) => void = () => {},
): Promise<void> {
  for (let n = first; n <= last; ) {
    const together = Math.min(last - n + 1, dice.chance(0.3) ? 1 + dice.below(4) : 1);
    const numbers = Array.from({ length: together }, (_, i) => n + i);
    await Promise.all(numbers.map((number) => adapter.commit({ checks: [], effects: commitOf(number) })));
    n += together;
    acknowledged(n - 1);
  }
}

/** How many commits a store holds. Throws an AssertionError unless it is exactly the first so many, in every form. */
export async function verify(adapter: StorageAdapter): Promise<number> {
  const count = Number((await adapter.counters(['events']))[0]);
  const trims = Array.from({ length: count }, (_, i) => i + 1).filter((n) => n % 20 === 0 && n > KEPT);
  const first = (trims.at(-1) ?? KEPT) - KEPT + 1;
  const numbers = Array.from({ length: Math.max(0, count - first + 1) }, (_, i) => first + i);
  for (const posting of [undefined, 'odd', 'even']) {
    const due = numbers.filter((n) => posting === undefined || (n % 2 === 1) === (posting === 'odd'));
    const rows = await adapter.page({ log: 'events', after: 0, limit: 500, ...(posting && { posting }) });
    assert.deepEqual(
      rows,
      due.map((id) => ({ id, value: textOf(id) })),
    );
  }
  const held = [count - 2, count - 1, count].filter((n) => n > 0);
  const rows = await adapter.range({ collection: 'slots', index: 'by_n', limit: 100 });
  assert.deepEqual(
    rows.map(({ id, key: found, value }) => [id, found, value]),
    held.map((n) => [`slot ${n % SLOTS}`, key(n), textOf(n)]),
  );
  const refs = Array.from({ length: SLOTS }, (_, i) => ({ collection: 'slots', id: `slot ${i}` }));
  const documents = await adapter.read(refs);
  const due = new Map(held.map((n) => [n % SLOTS, textOf(n)]));
  assert.deepEqual(
    documents.map((row) => row?.value),
    refs.map((_, slot) => due.get(slot)),
  );
  assert.equal(await adapter.count('slots'), held.length);
  return count;
}
