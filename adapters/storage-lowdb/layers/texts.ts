const NOT_ASCII = /[^\0-\x7f]/;
const HEX_DIGITS = 14;

/**
 * Text as its UTF-8 bytes, one character each: JavaScript's own order of such strings is the order of the bytes. For
 * most texts it is the text itself.
 */
export function toBytes(text: string): string {
  return NOT_ASCII.test(text) ? Buffer.from(text).toString('latin1') : text;
}

export function fromBytes(bytes: string): string {
  return NOT_ASCII.test(bytes) ? Buffer.from(bytes, 'latin1').toString() : bytes;
}

/** The first string behind this one. */
export function behind(bytes: string): string {
  return `${bytes}\0`;
}

/** A log's id so that the order of the texts is the order of the ids. */
export function idBytes(id: number): string {
  return id.toString(16).padStart(HEX_DIGITS, '0');
}

export function idFrom(bytes: string): number {
  return Number.parseInt(bytes, 16);
}

const double = Buffer.alloc(8);

/** A finite or infinite number so that the order of the texts is the order of the numbers. */
export function numberBytes(value: number): string {
  double.writeDoubleBE(value === 0 ? 0 : value);
  if (value < 0) for (let i = 0; i < 8; i++) double[i] = ~double[i]! & 0xff;
  else double[0]! |= 0x80;
  return double.toString('latin1');
}

export function numberFrom(bytes: string): number {
  double.write(bytes, 'latin1');
  if (double[0]! & 0x80) double[0]! &= 0x7f;
  else for (let i = 0; i < 8; i++) double[i] = ~double[i]! & 0xff;
  return double.readDoubleBE();
}
