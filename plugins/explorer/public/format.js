// How figures, times, ids and the words of strangers are written. Nothing here touches a document.

const MICROS = 1_000_000n;
const MINUS = '\u2212';
const NOTHING = '\u2013';
const MOST_NAME = 32;
const MOST_TEXT = 140;
const ID_GROUP = 4;
/** Shown in the place of a character that would move, hide or turn its neighbours. */
const SUBSTITUTE = '\u2426';
const FORMAT_CHARACTERS = /[\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Cs}\u115f\u1160\u3164\uffa0]/gu;
const JOINED_PICTURES = /(?<=\p{Extended_Pictographic}\ufe0f?)\u200d(?=\p{Extended_Pictographic})/gu;
const KEPT_JOINER = '\u0001';

/** Micro USDC, a whole number or its digits, as `1,234.50`: two to six decimals, exactly. */
export function usdc(micro) {
  if (micro === undefined || micro === null) return NOTHING;
  const value = BigInt(micro);
  const size = value < 0n ? -value : value;
  const decimals = String(size % MICROS)
    .padStart(6, '0')
    .replace(/0{1,4}$/, '');
  return `${value < 0n ? MINUS : ''}${thousands(size / MICROS)}.${decimals}`;
}

/** The micro USDC of a decimal, which may be a number of JSON. */
export function microOf(decimal) {
  const [, sign, whole, part = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(plainDecimal(decimal)) ?? [];
  if (whole === undefined) return undefined;
  const micro = BigInt(whole) * MICROS + BigInt(part.slice(0, 6).padEnd(6, '0'));
  return sign === '-' ? -micro : micro;
}

export function amount(decimal) {
  return decimal === undefined || decimal === null ? NOTHING : usdc(microOf(decimal));
}

/** The same for an estimate, which no millionths make truer: rounded down to hundredths. */
export function estimate(decimal) {
  const micro = microOf(decimal ?? '');
  return micro === undefined ? NOTHING : usdc(BigInt(micro) - (BigInt(micro) % 10_000n));
}

/** Numbers below a millionth are written with an exponent otherwise. */
function plainDecimal(decimal) {
  const text = String(decimal);
  return /e/i.test(text) ? Number(text).toFixed(6) : text;
}

export function thousands(number) {
  return signed(String(number).replace(/\B(?=(?:\d{3})+(?!\d))/g, ','));
}

/** A figure with so many decimals; none for what is not known. */
export function decimal(number, places = 2) {
  if (typeof number !== 'number' || !Number.isFinite(number)) return NOTHING;
  const text = number.toFixed(places);
  return signed(/^-0(?:\.0*)?$/.test(text) ? text.slice(1) : text);
}

/** With its sign, also above zero. */
export function points(number, places = 0) {
  const text = decimal(number, places);
  return number > 0 && text !== NOTHING ? `+${text}` : text;
}

export function percent(share) {
  return typeof share === 'number' ? `${decimal(share * 100, share > 0 && share < 0.1 ? 1 : 0)} %` : NOTHING;
}

function signed(text) {
  return text.startsWith('-') ? `${MINUS}${text.slice(1)}` : text;
}

/** The least that the evidence supports is rounded down, the most up: never more than there is. */
export function atLeast(score) {
  return signed(String(Math.floor(score)));
}

/** A moment of UTC as people read it: the time of the last day, the day before that, both of what is to come. */
export function moment(iso, now) {
  const at = Date.parse(iso);
  if (Number.isNaN(at)) return NOTHING;
  const text = new Date(at).toISOString();
  if (at > now + 60_000) return text.slice(0, 16).replace('T', ' ');
  return now - at < 86_400_000 ? text.slice(11, 19) : text.slice(0, 10);
}

/** The same in full, with its zone. */
export function fullMoment(iso) {
  const at = Date.parse(iso);
  return Number.isNaN(at) ? 'time unknown' : `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
];

/** How long, in its largest unit: `57 min`. */
export function duration(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const [unit, length] = UNITS.find(([, size]) => seconds >= size) ?? ['s', 1];
  return `${Math.floor(seconds / length)} ${unit}`;
}

export function age(iso, now) {
  const at = Date.parse(iso);
  if (Number.isNaN(at)) return 'at a time unknown';
  return at > now ? `in ${duration(at - now)}` : `${duration(now - at)} ago`;
}

/** First six and last six letters. */
export function shortId(id) {
  return id.length > 16 ? `${id.slice(0, 6)}\u2026${id.slice(-6)}` : id;
}

export function grouped(id, size = ID_GROUP) {
  return id.match(new RegExp(`.{1,${size}}`, 'g'))?.join(' ') ?? '';
}

export function count(number, one, many = `${one}s`) {
  return `${thousands(number)} ${number === 1 ? one : many}`;
}

/** Words of a stranger in one line: control characters as symbols, nothing that turns or hides text, clamped. */
export function clean(words, most = MOST_TEXT) {
  return clamped(visible(String(words ?? '').replace(/[\r\n\t]+/g, ' ')), most);
}

export function cleanName(words) {
  return clean(words, MOST_NAME).trim();
}

/** Words of a stranger in lines. */
export function cleanLines(words, most = 4_000) {
  return clamped(
    String(words ?? '')
      .split(/\r?\n/)
      .map(visible)
      .join('\n'),
    most,
  );
}

function visible(text) {
  // Most words are these letters alone; the classes of Unicode below cost a slow processor half a millisecond a name.
  if (/^[ -~]*$/.test(text)) return text;
  return (
    text
      .replace(JOINED_PICTURES, KEPT_JOINER)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is replaced.
      .replace(/[\0\u0002-\u001f]/g, (one) => String.fromCharCode(0x2400 + one.charCodeAt(0)))
      .replace(/\u007f/g, '\u2421')
      .replace(/[\u0080-\u009f]/g, SUBSTITUTE)
      .replace(FORMAT_CHARACTERS, SUBSTITUTE)
      .replace(/(\p{M}{3})\p{M}+/gu, '$1')
      .replaceAll(KEPT_JOINER, '\u200d')
  );
}

function clamped(text, most) {
  if (text.length <= most) return text;
  const letters = [...text];
  return letters.length > most ? `${letters.slice(0, most - 1).join('')}\u2026` : text;
}
