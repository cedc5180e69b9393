// The seal of an agent: 32 bytes in, SVG path data out. It is a hint for the eye beside a name, and proves nothing.

const LETTERS = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const HUES = 12;
const KEY_LENGTH = 32;

/** Letters that are taken at once: their value is still exact as a number. */
const TOGETHER = 9;
const POWERS = Array.from({ length: TOGETHER + 1 }, (_, letters) => 58n ** BigInt(letters));
const SIX_BYTES = 0xffffffffffffn;

/** The bytes of a base58 text, or undefined. */
export function base58(text, length = KEY_LENGTH) {
  let value = 0n;
  for (let at = 0; at < text.length; at += TOGETHER) {
    const letters = text.slice(at, at + TOGETHER);
    let part = 0;
    for (const letter of letters) {
      const digit = LETTERS.indexOf(letter);
      if (digit === -1) return undefined;
      part = part * 58 + digit;
    }
    value = value * POWERS[letters.length] + BigInt(part);
  }
  const bytes = new Uint8Array(length);
  let rest = 0;
  for (let end = length; end > 0; end -= 6) {
    rest = Number(value & SIX_BYTES);
    value >>= 48n;
    for (let at = end - 1; at >= Math.max(0, end - 6); at -= 1) {
      bytes[at] = rest % 256;
      rest = Math.floor(rest / 256);
    }
  }
  // As many ones as bytes that are zero: a key has one text.
  return value === 0n && rest === 0 && /^1*/.exec(text)[0].length === zerosOf(bytes) ? bytes : undefined;
}

function zerosOf(bytes) {
  const first = bytes.findIndex((byte) => byte !== 0);
  return first === -1 ? bytes.length : first;
}

export function base58Text(bytes) {
  let value = 0n;
  for (const byte of bytes) value = value * 256n + BigInt(byte);
  let text = '';
  for (; value > 0n; value /= 58n) text = LETTERS[Number(value % 58n)] + text;
  return '1'.repeat(zerosOf(bytes)) + text;
}

/** The twelfth of the colour wheel, 0 to 11, which is a class of the style sheet. */
export function hueOf(id) {
  return id[8] % HUES;
}

/** One path in a viewBox of 256, to be filled by the rule evenodd: body, cut and core. */
export function smallSeal(id) {
  const { lobes, depth, petals, bite, turn, cut, core } = numbersOf(id);
  const radius = pixel(124 * (cut - 0.38));
  const cores = [
    '',
    ring(radius),
    ring(radius) + ring(pixel(radius / 2)),
    `M128 ${128 - radius}L${128 + radius} 128L128 ${128 + radius}L${128 - radius} 128Z`,
  ];
  const body = curve({ centre: 128, radius: 124, waves: lobes, depth, turn: 0, steps: lobes * 6 });
  const inner = curve({ centre: 128, radius: 124 * cut, waves: petals, depth: bite, turn, steps: petals * 8 });
  return body + inner + cores[core];
}

/** Two stroked paths in a viewBox of 640 around a small seal: a tick for each byte, and an engraved band. */
export function sealFrame(id) {
  const { lobes, twist } = numbersOf(id);
  const ticks = [...id].map((byte, index) => {
    const angle = (2 * Math.PI * index) / KEY_LENGTH;
    const at = (radius) => `${pixel(320 + radius * Math.sin(angle))} ${pixel(320 - radius * Math.cos(angle))}`;
    return `M${at(248)}L${at(264 + pixel((byte * 52) / 255))}`;
  });
  const bands = [0, 1, 2, 3, 4].map((index) =>
    curve({ centre: 320, radius: 228, waves: lobes, depth: 0.16, turn: index / 5 + twist, steps: lobes * 8 }),
  );
  return { ticks: ticks.join(''), band: bands.join('') };
}

function numbersOf(id) {
  return {
    lobes: 6 + (id[9] % 7),
    depth: 0.05 + (id[10] % 8) * 0.011,
    petals: 3 + (id[11] % 6),
    bite: 0.08 + (id[12] % 8) * 0.032,
    turn: id[13] / 256,
    cut: 0.54 + (id[14] % 4) * 0.04,
    core: id[15] % 4,
    twist: id[16] / 256,
  };
}

/** Unit vectors around a circle in so many steps; there are a dozen such numbers. */
const circles = new Map();

function circleOf(steps) {
  const known = circles.get(steps);
  if (known) return known;
  const made = Array.from({ length: steps }, (_, index) => {
    const t = (2 * Math.PI * index) / steps;
    return [Math.sin(t), Math.cos(t)];
  });
  circles.set(steps, made);
  return made;
}

/** A wave has a whole number of steps, so that its radii come again with each. */
function curve({ centre, radius, waves, depth, turn, steps }) {
  const period = steps / waves;
  const radii = Array.from(
    { length: period },
    (_, index) => radius * (1 - depth + depth * Math.cos((2 * Math.PI * index) / period - 2 * Math.PI * turn)),
  );
  let path = '';
  circleOf(steps).forEach(([x, y], index) => {
    const r = radii[index % period];
    path += `${index === 0 ? 'M' : 'L'}${pixel(centre + r * x)} ${pixel(centre - r * y)}`;
  });
  return `${path}Z`;
}

function ring(radius) {
  return `M${128 - radius} 128a${radius} ${radius} 0 1 0 ${2 * radius} 0a${radius} ${radius} 0 1 0 ${-2 * radius} 0Z`;
}

/** Halves go up, in every language alike. */
function pixel(value) {
  return Math.floor(value + 0.5);
}
