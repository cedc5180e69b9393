import assert from 'node:assert/strict';
import { rowsOf, rowsWith } from '../../bench/framework/table.ts';

describe('the table of figures', () => {
  const before = [
    'Measured on 2 cores.',
    '',
    '| Figure | Value | Goal | Computed from |',
    '|---|---|---|---|',
    '| `doors_mcp` | 0.4 of the plain route |  | per_s 786 |',
    '| `ingest_lowdb` | 0.37 of bare verification | >= 0.6 **missed** |  |',
  ].join('\n');

  it('keeps the rows of benches that did not run, and puts new figures in the place of old ones', () => {
    const figures = [
      { name: 'ingest_lowdb', value: 0.66, goal: '>= 0.6', unit: 'of bare verification', from: { per_s: 4_000 } },
      { name: 'wire', value: 1.44, unit: 'of libp2p' },
    ] as const;
    assert.deepEqual(
      [...rowsWith(rowsOf(before), figures).values()],
      [
        '| `doors_mcp` | 0.4 of the plain route |  | per_s 786 |',
        '| `ingest_lowdb` | 0.66 of bare verification | >= 0.6 | per_s 4000 |',
        '| `wire` | 1.44 of libp2p |  |  |',
      ],
    );
  });
});
