/**
 * Index keys: tuples of fields as printable ASCII whose bytewise order is the order of the fields. ASCII makes the
 * order of JavaScript strings and the byte order of other stores agree.
 *
 * | field   | text                                                                                        |
 * | ------- | ------------------------------------------------------------------------------------------- |
 * | boolean | `b0`, `b1`                                                                                  |
 * | bigint  | `i` and 17 hex digits of value + 2^63; from -2^63 to 2^64 - 1                               |
 * | number  | `n` and 16 hex digits of the IEEE 754 bits, made to rise with the value; finite only        |
 * | string  | `s`, its UTF-8 bytes, and a space; bytes below `"` become `!xx`, bytes above `|` become `}xx` |
 *
 * Fields of different kinds sort as booleans, bigints, numbers, strings. No key is the beginning of another unless
 * its fields are: `["a"]` never matches `["ab"]`.
 */
export type IndexField = string | number | bigint | boolean;

/** Sorts behind every character an encoded key can hold. */
const BEHIND_ALL = '~';
const BIGINT_OFFSET = 2n ** 63n;
const BIGINT_END = 2n ** 64n;
const FIRST_PLAIN = 0x22;
const LAST_PLAIN = 0x7c;
const UNSAFE = /[^"-|]/;
const bits = Buffer.alloc(8);

export function encodeKey(fields: readonly IndexField[]): string {
  let key = '';
  for (const field of fields) key += encodeField(field);
  return key;
}

/** The keys that a page of an index covers; fields are compared as tuples. */
export interface KeyRange {
  /** Only keys that begin with these fields. */
  readonly prefix?: readonly IndexField[] | undefined;
  /** Behind `prefix`, only keys whose next field is a string that begins like this. */
  readonly startsWith?: string | undefined;
  /** Inclusive. Behind `prefix` when there is one. */
  readonly from?: readonly IndexField[] | undefined;
  /** Exclusive. Behind `prefix` when there is one. */
  readonly to?: readonly IndexField[] | undefined;
}

/** The bounds of a range as encoded keys: `from` inclusive, `to` exclusive. */
export function encodeRange(range: KeyRange): { from?: string; to?: string } {
  const partial = range.startsWith === undefined ? '' : `s${escapeText(range.startsWith)}`;
  const prefix = encodeKey(range.prefix ?? []) + partial;
  const from = range.from ? prefix + encodeKey(range.from) : prefix;
  const to = range.to ? prefix + encodeKey(range.to) : prefix && prefix + BEHIND_ALL;
  return { ...(from && { from }), ...(to && { to }) };
}

function encodeField(field: IndexField): string {
  if (typeof field === 'string') return `s${escapeText(field)} `;
  if (typeof field === 'number') return `n${encodeNumber(field)}`;
  if (typeof field === 'bigint') return `i${encodeBigint(field)}`;
  if (typeof field === 'boolean') return field ? 'b1' : 'b0';
  throw new TypeError(`an index field is a string, number, bigint or boolean, not ${typeof field}`);
}

function escapeText(text: string): string {
  if (!UNSAFE.test(text)) return text;
  if (/\p{Surrogate}/u.test(text)) throw new TypeError('an index field holds half of a surrogate pair');
  let out = '';
  for (const byte of Buffer.from(text)) {
    if (byte >= FIRST_PLAIN && byte <= LAST_PLAIN) out += String.fromCharCode(byte);
    else out += (byte < FIRST_PLAIN ? '!' : '}') + byte.toString(16).padStart(2, '0');
  }
  return out;
}

/** Positive numbers get their sign bit set, negative ones all bits flipped: then the bits rise with the value. */
function encodeNumber(value: number): string {
  if (!Number.isFinite(value)) throw new TypeError(`an index field is a finite number, not ${value}`);
  bits.writeDoubleBE(value === 0 ? 0 : value);
  if (value < 0) for (let i = 0; i < 8; i++) bits[i] = ~bits[i]! & 0xff;
  else bits[0]! |= 0x80;
  return bits.toString('hex');
}

function encodeBigint(value: bigint): string {
  if (value < -BIGINT_OFFSET || value >= BIGINT_END) throw new TypeError(`an index field is below 2^64, not ${value}`);
  return (value + BIGINT_OFFSET).toString(16).padStart(17, '0');
}
