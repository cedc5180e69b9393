import assert from 'node:assert/strict';
import fc from 'fast-check';
import { encodeKey, encodeRange, type IndexField } from '../../core/storage/keys.ts';
import { compareText } from '../../core/storage/ordered-entries.ts';

const KINDS = ['boolean', 'bigint', 'number', 'string'];

function compareFields(a: IndexField, b: IndexField): number {
  if (typeof a !== typeof b) return KINDS.indexOf(typeof a) - KINDS.indexOf(typeof b);
  if (typeof a === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b as string));
  return a < b ? -1 : a > b ? 1 : 0;
}

function compareTuples(a: IndexField[], b: IndexField[]): number {
  for (const [i, field] of a.entries()) {
    if (i >= b.length) return 1;
    const order = compareFields(field, b[i]!);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

const sign = (order: number) => Math.sign(order);
const bytes = (text: string) => Buffer.from(text);

const field = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value)),
  fc.integer({ min: -3, max: 3 }),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n }),
  fc.string({ unit: 'binary', maxLength: 4 }),
  fc.string({
    unit: fc.constantFrom('a', 'b', ' ', '!', '"', '|', '}', '~', '\0', 'é', '\u{fffd}', '🦊'),
    maxLength: 4,
  }),
  fc.boolean(),
);

describe('index keys', () => {
  it('sort bytewise as their fields do, and are printable ASCII', () => {
    const tuples = fc.array(field, { maxLength: 3 });
    fc.assert(
      fc.property(tuples, tuples, (a, b) => {
        const [x, y] = [encodeKey(a), encodeKey(b)];
        assert.match(x, /^[ -}]*$/);
        assert.equal(sign(Buffer.compare(bytes(x), bytes(y))), sign(compareTuples(a, b)), `${x} ${y}`);
      }),
      { numRuns: 5_000 },
    );
  });

  it('sort values at the edges', () => {
    const numbers = [
      -Number.MAX_VALUE,
      -1e10,
      -2,
      -1.5,
      -1,
      -Number.MIN_VALUE,
      0,
      Number.MIN_VALUE,
      0.1,
      1,
      1.5,
      2,
      10,
      2 ** 53,
      Number.MAX_VALUE,
    ];
    const bigints = [
      -(2n ** 63n),
      -10n,
      -9n,
      -1n,
      0n,
      1n,
      9n,
      10n,
      2n ** 53n,
      2n ** 63n - 1n,
      2n ** 63n,
      2n ** 64n - 1n,
    ];
    for (const row of [numbers, bigints]) {
      const keys = row.map((value) => encodeKey([value]));
      assert.deepEqual(keys.toSorted(), keys);
      assert.equal(new Set(keys).size, row.length);
    }
    assert.equal(encodeKey([-0]), encodeKey([0]));
  });

  it('refuse what has no order', () => {
    const bad = [
      Number.NaN,
      Number.POSITIVE_INFINITY,
      2n ** 64n,
      -(2n ** 63n) - 1n,
      '\ud800',
      undefined,
      null,
      {},
    ] as IndexField[];
    for (const value of bad) assert.throws(() => encodeKey([value]), TypeError, String(value));
  });

  it('a range takes exactly the tuples between its bounds', () => {
    const tuples: IndexField[][] = [
      ['a'],
      ['a', 1],
      ['a', 2],
      ['a', 3],
      ['ab', 1],
      ['b', -1],
      ['b', 'x'],
      ['b', 'xy'],
      ['b', 'y'],
    ];
    const within = (range: Parameters<typeof encodeRange>[0]) => {
      const { from = '', to = '\u{10ffff}' } = encodeRange(range);
      return tuples.filter((tuple) => encodeKey(tuple) >= from && encodeKey(tuple) < to).map((tuple) => tuple.join(''));
    };
    for (const [range, expected] of [
      [{}, ['a', 'a1', 'a2', 'a3', 'ab1', 'b-1', 'bx', 'bxy', 'by']],
      [{ prefix: ['a'] }, ['a', 'a1', 'a2', 'a3']],
      [{ prefix: ['a'], from: [2] }, ['a2', 'a3']],
      [{ prefix: ['a'], from: [1], to: [3] }, ['a1', 'a2']],
      [{ from: ['a', 3], to: ['b'] }, ['a3', 'ab1']],
      [{ startsWith: 'a' }, ['a', 'a1', 'a2', 'a3', 'ab1']],
      [{ prefix: ['b'], startsWith: 'x' }, ['bx', 'bxy']],
      [{ prefix: ['c'] }, []],
    ] as const) {
      assert.deepEqual(within(range), expected, JSON.stringify(range));
    }
  });
});

describe('text order', () => {
  it('is the order of the UTF-8 bytes', () => {
    const text = fc.string({ unit: 'binary', maxLength: 5 });
    fc.assert(
      fc.property(text, text, (a, b) =>
        assert.equal(sign(compareText(a, b)), sign(Buffer.compare(bytes(a), bytes(b)))),
      ),
    );
    assert.ok(compareText('\u{fffd}', '🦊') < 0);
  });
});
