// A QR code of up to 62 bytes, ISO/IEC 18004: version 4, level M, byte mode. A wallet's address needs no other size.

const SIZE = 33;
const DATA = 64;
const BLOCKS = 2;
const CORRECTION = 18;
const MOST = 62;
/** x^8 + x^4 + x^3 + x^2 + 1. */
const FIELD = 0x11d;
const FORMAT = 0x537;
const FORMAT_MASK = 0x5412;
const MASKS = [
  (row, column) => (row + column) % 2 === 0,
  (row) => row % 2 === 0,
  (_, column) => column % 3 === 0,
  (row, column) => (row + column) % 3 === 0,
  (row, column) => (Math.floor(row / 2) + Math.floor(column / 3)) % 2 === 0,
  (row, column) => ((row * column) % 2) + ((row * column) % 3) === 0,
  (row, column) => (((row * column) % 2) + ((row * column) % 3)) % 2 === 0,
  (row, column) => (((row + column) % 2) + ((row * column) % 3)) % 2 === 0,
];

/** The modules as rows of true for dark, without the quiet zone of four around them. */
export function qrCode(text) {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length > MOST) throw new Error(`a QR code of this size holds ${MOST} bytes`);
  const bits = bitsOf(codewords(bytes));
  const codes = MASKS.map((mask, number) => drawn(bits, mask, number));
  return codes.reduce((best, one) => (penalty(one) < penalty(best) ? one : best));
}

/** The dark modules as one path, one unit each. */
export function qrPath(text) {
  const rows = qrCode(text);
  return rows.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : []))).join('');
}

/** Mode 4, a length of 8 bits, the bytes, an end, and padding; split into blocks with their correction, interleaved. */
function codewords(bytes) {
  const nibbles = [4, bytes.length >> 4, bytes.length & 15, ...[...bytes].flatMap((byte) => [byte >> 4, byte & 15]), 0];
  const data = [];
  for (let at = 0; at < nibbles.length; at += 2) data.push((nibbles[at] << 4) | nibbles[at + 1]);
  for (let pad = 0xec; data.length < DATA; pad ^= 0xec ^ 0x11) data.push(pad);
  const each = DATA / BLOCKS;
  const blocks = [...Array(BLOCKS).keys()].map((index) => data.slice(index * each, (index + 1) * each));
  return [...interleaved(blocks), ...interleaved(blocks.map(correctionOf))];
}

function interleaved(blocks) {
  return blocks[0].flatMap((_, at) => blocks.map((block) => block[at]));
}

function times(a, b) {
  let product = 0;
  for (let bit = 7; bit >= 0; bit -= 1) {
    product = (product << 1) ^ (product & 0x80 ? FIELD : 0);
    if ((b >> bit) & 1) product ^= a;
  }
  return product;
}

/** The remainder of a block by the generator of Reed and Solomon. */
function correctionOf(block) {
  let generator = [1];
  let root = 1;
  for (let degree = 0; degree < CORRECTION; degree += 1) {
    const longer = [...generator, 0];
    for (const [at, factor] of generator.entries()) longer[at + 1] ^= times(factor, root);
    generator = longer;
    root = times(root, 2);
  }
  const rest = [...block, ...Array(CORRECTION).fill(0)];
  for (let at = 0; at < block.length; at += 1) {
    const lead = rest[at];
    for (const [offset, factor] of generator.entries()) rest[at + offset] ^= times(factor, lead);
  }
  return rest.slice(block.length);
}

function bitsOf(words) {
  return words.flatMap((word) => [7, 6, 5, 4, 3, 2, 1, 0].map((bit) => ((word >> bit) & 1) === 1));
}

function drawn(bits, mask, number) {
  const code = Array.from({ length: SIZE }, () => Array(SIZE).fill(undefined));
  patterns(code);
  format(code, number);
  let at = 0;
  for (const [row, column] of path()) {
    if (code[row][column] !== undefined) continue;
    // Seven modules are left over behind the last word.
    code[row][column] = (bits[at] ?? false) !== mask(row, column);
    at += 1;
  }
  return code;
}

/** Two columns at a time, from the right, up and down; the column of the timing pattern is left out. */
function* path() {
  let up = true;
  for (let right = SIZE - 1; right > 0; right -= 2) {
    if (right === 6) right = 5;
    for (let step = 0; step < SIZE; step += 1) {
      const row = up ? SIZE - 1 - step : step;
      yield [row, right];
      yield [row, right - 1];
    }
    up = !up;
  }
}

function patterns(code) {
  for (const [top, left] of [
    [0, 0],
    [0, SIZE - 7],
    [SIZE - 7, 0],
  ])
    finder(code, top, left);
  for (let at = 8; at < SIZE - 8; at += 1) {
    code[6][at] = at % 2 === 0;
    code[at][6] = at % 2 === 0;
  }
  // The one alignment pattern of this version, around 26, 26.
  for (let row = -2; row <= 2; row += 1)
    for (let column = -2; column <= 2; column += 1)
      code[26 + row][26 + column] = Math.max(Math.abs(row), Math.abs(column)) !== 1;
  code[SIZE - 8][8] = true;
}

function finder(code, top, left) {
  for (let row = -1; row <= 7; row += 1)
    for (let column = -1; column <= 7; column += 1) {
      const ring = Math.max(Math.abs(row - 3), Math.abs(column - 3));
      if (
        code[top + row]?.[left + column] === undefined &&
        top + row in code &&
        left + column >= 0 &&
        left + column < SIZE
      )
        code[top + row][left + column] = ring !== 2 && ring !== 4;
    }
}

/** Level M is 00. The fifteen bits stand twice. */
function format(code, number) {
  let rest = number << 10;
  for (let bit = 14; bit >= 10; bit -= 1) if ((rest >> bit) & 1) rest ^= FORMAT << (bit - 10);
  const word = ((number << 10) | rest) ^ FORMAT_MASK;
  const dark = (bit) => ((word >> bit) & 1) === 1;
  for (let bit = 0; bit < 15; bit += 1) {
    const beside = bit < 6 ? bit : bit < 8 ? bit + 1 : SIZE - 15 + bit;
    code[beside][8] = dark(bit);
    const across = bit < 8 ? SIZE - 1 - bit : bit === 8 ? 7 : 14 - bit;
    code[8][across] = dark(bit);
  }
}

/** How hard a code is to read, by the four rules of the standard. */
function penalty(code) {
  const lines = [...code, ...code.map((_, column) => code.map((row) => row[column]))];
  let sum = 0;
  for (const line of lines) {
    const text = line.map((dark) => (dark ? '1' : '0')).join('');
    for (const [run] of text.matchAll(/0{5,}|1{5,}/g)) sum += run.length - 2;
    sum += 40 * [...text.matchAll(/(?=00001011101|10111010000)/g)].length;
  }
  for (let row = 1; row < SIZE; row += 1)
    for (let column = 1; column < SIZE; column += 1) {
      const [a, b] = [code[row], code[row - 1]];
      if (a[column] === a[column - 1] && a[column] === b[column] && a[column] === b[column - 1]) sum += 3;
    }
  const share = (100 * code.flat().filter(Boolean).length) / SIZE ** 2;
  return sum + 10 * Math.floor(Math.abs(share - 50) / 5);
}
