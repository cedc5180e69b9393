import { strict as assert } from 'node:assert';
import { decodeFrame, encodeFrame, FrameBuilder } from '../../adapters/storage-lowdb/frame.ts';
import { readCommits, writeCommits } from '../../adapters/storage-lowdb/journal-lines.ts';
import type { Write } from '../../adapters/storage-lowdb/state.ts';

/** Texts that a value may be, whatever a line may hold. */
const VALUES = ['{"a":"b"}', '', '0', '17', 'two\nlines', 'NUL \0 in it', '🦊', 'half \ud800', 'é', '["put",1]', ' '];

describe('lines of a journal', () => {
  const commits: Write[] = [
    {
      number: 7,
      changes: VALUES.map((value, n) => ['put', 'c', `${n}`, 7, value, [['i', `k${n}`]], n % 2 ? n : null]),
    },
    { number: 8, changes: [] },
    {
      number: 9,
      changes: [
        ...VALUES.map((value, n) => ['append', 'l', n + 1, value, ['p', 'q']] as const),
        ['delete', 'c', '1'],
        ['trim', 'l', 2],
        ['total', 'n', '-12'],
        ['skip', 'l', 99],
      ],
    },
  ];

  it('give back every commit, whatever its values are', () => {
    const builder = new FrameBuilder();
    writeCommits(commits, builder);
    const frame = decodeFrame(builder.finish(3), 0)!;
    assert.equal(frame.number, 3);
    assert.deepEqual(readCommits(frame.payload), commits);
    assert.ok(!frame.payload.includes(0));
  });

  it('come into frames of their own, of any size', () => {
    const builder = new FrameBuilder();
    for (const size of [10, 3_000_000, 100, 0]) {
      const value = 'é'.repeat(size);
      writeCommits([{ number: size, changes: [['append', 'l', 1, value, []]] }], builder);
      const frame = decodeFrame(builder.finish(1), 0)!;
      assert.deepEqual(readCommits(frame.payload), [{ number: size, changes: [['append', 'l', 1, value, []]] }]);
    }
    assert.deepEqual(builder.finish(5), encodeFrame(5, ''));
  });

  it('of earlier formats are read, and what is none is told from them', () => {
    const before = [{ number: 1, changes: [['delete', 'c', '1']] }];
    assert.deepEqual(readCommits(Buffer.from('[1,[["delete","c","1"]]]')), before, 'of formats 1 and 2');
    assert.equal(readCommits(Buffer.from('["delete","c","1"]')), undefined, 'a change of no commit');
    assert.deepEqual(readCommits(Buffer.alloc(0)), []);
  });
});
