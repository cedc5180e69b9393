import assert from 'node:assert/strict';
import { memoryStorage } from '../../adapters/storage-memory/index.ts';
import { newestOf } from '../../core/aggregator/activity/newest.ts';
import { systemClock as clock } from '../../core/platform/system-clock.ts';
import type { PageQuery } from '../../core/storage/adapter.ts';
import { appendLog } from '../../core/storage/declarations.ts';
import { openTestStore } from '../support/space.ts';

interface Said {
  readonly side: string;
}

const said = appendLog<Said>('said', { schema: () => [], postings: ({ side }) => [side] });

/** A space whose log holds these, and what each page of it read. */
async function spaceWith(sides: string) {
  const adapter = memoryStorage({ clock });
  const read: { posting: string | undefined; rows: number }[] = [];
  const page = adapter.page.bind(adapter);
  adapter.page = async (query: PageQuery) => {
    const rows = await page(query);
    read.push({ posting: query.posting, rows: rows.length });
    return rows;
  };
  const store = await openTestStore({ adapter });
  const space = store.space('test');
  await space.tx([], (tx) => {
    for (const side of sides) tx.append(said, { side });
  });
  return { store, space, read };
}

/** The ids of a page, by looking at each record. */
function expected(sides: string, wanted: string, limit: number, before = sides.length + 1): number[] {
  const ids = [...sides].flatMap((side, place) => (wanted.includes(side) && place + 1 < before ? [place + 1] : []));
  return ids.reverse().slice(0, limit);
}

describe('the newest records of several postings', () => {
  for (const sides of [
    '',
    'a',
    'ab',
    'aaaaaaaaaabb',
    'bbaaaaaaaaaa',
    'abababababab',
    'cacbcacbcccc',
    'aabbbabbcabbabaaac',
  ])
    for (const wanted of ['ab', 'abc'])
      it(`${wanted} of ${sides || 'nothing'}, from every place and of every length`, async () => {
        const { store, space } = await spaceWith(sides);
        for (let limit = 1; limit <= sides.length + 1; limit += 1)
          for (const before of [undefined, ...Array.from(sides, (_, place) => place + 1)]) {
            const rows = await newestOf(space, said, [...wanted], { limit, before });
            const ids = rows.map(({ id }) => id);
            assert.deepEqual(ids, expected(sides, wanted, limit, before), `${limit} before ${before}`);
            for (const { id, record } of rows) assert.equal(record.side, sides[id - 1]);
          }
        await store.close();
      });

  it('are read as far as they are wanted', async () => {
    const { store, space, read } = await spaceWith('ab'.repeat(200));
    await newestOf(space, said, ['a', 'b'], { limit: 100 });
    assert.equal(
      read.reduce((sum, { rows }) => sum + rows, 0),
      101,
    );
    await store.close();
  });
});
