import assert from 'node:assert/strict';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageRoot } from '../../../core/platform/package-root.ts';

const SIZE = 33;
/** The fifteen format bits of level M by mask, from table C.1 of ISO/IEC 18004. */
const FORMATS = [
  '101010000010010',
  '101000100100101',
  '101111001111100',
  '101101101001011',
  '100010111111001',
  '100000011001110',
  '100111110010111',
  '100101010100000',
];
const MASKS: readonly ((i: number, j: number) => number)[] = [
  (i, j) => (i + j) % 2,
  (i) => i % 2,
  (_, j) => j % 3,
  (i, j) => (i + j) % 3,
  (i, j) => (Math.floor(i / 2) + Math.floor(j / 3)) % 2,
  (i, j) => ((i * j) % 2) + ((i * j) % 3),
  (i, j) => (((i * j) % 2) + ((i * j) % 3)) % 2,
  (i, j) => (((i + j) % 2) + ((i * j) % 3)) % 2,
];

/** Reads a code of version 4 and level M back as a scanner does, from its modules alone. */
function scanned(code: readonly (readonly boolean[])[]): string {
  const bit = (row: number, column: number) => (code[row]![column] ? '1' : '0');
  const beside = [0, 1, 2, 3, 4, 5, 7, 8].map((column) => bit(8, column)).join('');
  const above = [7, 5, 4, 3, 2, 1, 0].map((row) => bit(row, 8)).join('');
  const mask = FORMATS.indexOf(beside + above);
  assert.notEqual(mask, -1, 'no format of level M');
  const second = [0, 1, 2, 3, 4, 5, 6].map((step) => bit(SIZE - 1 - step, 8)).join('');
  const third = [0, 1, 2, 3, 4, 5, 6, 7].map((step) => bit(8, SIZE - 8 + step)).join('');
  assert.equal(second + third, FORMATS[mask], 'the two formats differ');
  const words = wordsOf(code, MASKS[mask]!);
  const blocks = [0, 1].map((block) => words.filter((_, at) => at % 2 === block));
  for (const block of blocks) assert.deepEqual(syndromes(block), Array(18).fill(0), 'the correction does not fit');
  const bits = blocks
    .flatMap((block) => block.slice(0, 32))
    .map((word) => word.toString(2).padStart(8, '0'))
    .join('');
  assert.equal(bits.slice(0, 4), '0100', 'not in byte mode');
  const length = Number.parseInt(bits.slice(4, 12), 2);
  const bytes = Array.from({ length }, (_, at) => Number.parseInt(bits.slice(12 + 8 * at, 20 + 8 * at), 2));
  return Buffer.from(bytes).toString();
}

function wordsOf(code: readonly (readonly boolean[])[], mask: (i: number, j: number) => number): number[] {
  let bits = '';
  let up = true;
  for (const right of [32, 30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 5, 3, 1]) {
    for (let step = 0; step < SIZE; step += 1) {
      const row = up ? SIZE - 1 - step : step;
      for (const column of [right, right - 1])
        if (!isPattern(row, column)) bits += code[row]![column]! !== (mask(row, column) === 0) ? '1' : '0';
    }
    up = !up;
  }
  return Array.from({ length: 100 }, (_, at) => Number.parseInt(bits.slice(8 * at, 8 * at + 8), 2));
}

function isPattern(row: number, column: number): boolean {
  const corner = (row < 9 && column < 9) || (row < 9 && column > SIZE - 9) || (row > SIZE - 9 && column < 9);
  return corner || row === 6 || column === 6 || (Math.abs(row - 26) < 3 && Math.abs(column - 26) < 3);
}

function product(a: number, b: number): number {
  let sum = 0;
  for (let rest = b, factor = a; rest > 0; rest >>= 1) {
    if (rest & 1) sum ^= factor;
    factor = factor & 0x80 ? (factor << 1) ^ 0x11d : factor << 1;
  }
  return sum;
}

/** All zero when the block is a word of its code. */
function syndromes(block: readonly number[]): number[] {
  let root = 1;
  return Array.from({ length: 18 }, () => {
    const value = block.reduce((sum, word) => product(sum, root) ^ word, 0);
    root = product(root, 2);
    return value;
  });
}

describe('the QR code of a wallet', () => {
  let qrCode: (text: string) => boolean[][];
  before(async () => {
    ({ qrCode } = await import(pathToFileURL(join(packageRoot, 'plugins/explorer/public/console/qr.js')).href));
  });

  it('reads back as what was written, with a correction that fits', () => {
    for (const text of [
      'FAe4sisG95oZ42w7buUn5qEE4TAnfTTFPiguZUHmhiF',
      'BpxV484WjLKCV1k9TPTwNnrTkxjhYuRkt3eVbjY3HPqU',
      '11111111111111111111111111111111',
      '',
      'x',
      'W'.repeat(62),
    ])
      assert.equal(scanned(qrCode(text)), text);
  });

  it('has the marks by which a scanner finds it', () => {
    const code = qrCode('FAe4sisG95oZ42w7buUn5qEE4TAnfTTFPiguZUHmhiF');
    const line = (row: number, from: number, to: number) =>
      code[row]!.slice(from, to)
        .map((dark) => (dark ? '#' : '.'))
        .join('');
    assert.deepEqual([code.length, code[0]!.length], [SIZE, SIZE]);
    for (const [row, text] of [
      '#######.',
      '#.....#.',
      '#.###.#.',
      '#.###.#.',
      '#.###.#.',
      '#.....#.',
      '#######.',
    ].entries()) {
      assert.equal(line(row, 0, 8), text);
      assert.equal(line(row, 25, 33), [...text].reverse().join(''));
      assert.equal(line(26 + row, 0, 8), text);
    }
    assert.equal(line(6, 8, 25), '#.#.#.#.#.#.#.#.#');
    for (const [row, text] of ['#####', '#...#', '#.#.#', '#...#', '#####'].entries())
      assert.equal(line(24 + row, 24, 29), text);
    assert.equal(code[25]![8], true);
  });

  it('says that a text is too long', () => {
    assert.throws(() => qrCode('W'.repeat(63)), /holds 62 bytes/);
  });
});
