/**
 * The field types every account, argument list and event of the settlement program is declared with. Integers are
 * little-endian. A `key` is a base58 address in TypeScript; `hash` and `bytes16` are raw bytes; `text64` is UTF-8
 * padded with zero bytes.
 */
export const FIELD_SIZES = {
  u8: 1,
  u16: 2,
  u32: 4,
  u64: 8,
  key: 32,
  hash: 32,
  bytes16: 16,
  text64: 64,
  discriminator: 8,
  reserved1: 1,
  reserved4: 4,
  reserved6: 6,
  reserved7: 7,
} as const;

export type Primitive = keyof typeof FIELD_SIZES;

/** A table inside an account: `count` records of the same fields. */
export interface Table {
  readonly of: Fields;
  readonly count: number;
}

/** The type of a field, and one sentence for the documentation. */
export type Field = readonly [type: Primitive | Table, doc: string];

/** Fields in the order in which they lie in memory, without gaps. */
export type Fields = Readonly<Record<string, Field>>;

type ValueOf<T> = T extends 'u8' | 'u16' | 'u32'
  ? number
  : T extends 'u64'
    ? bigint
    : T extends 'key' | 'text64'
      ? string
      : T extends { readonly of: infer F extends Fields }
        ? readonly Values<F>[]
        : Uint8Array;

type Visible<F extends Fields> = {
  [K in keyof F]: F[K][0] extends 'discriminator' | 'reserved1' | 'reserved4' | 'reserved6' | 'reserved7' ? never : K;
}[keyof F];

/** The TypeScript value of a declaration; padding and discriminators are left out. */
export type Values<F extends Fields> = { readonly [K in Visible<F>]: ValueOf<F[K][0]> };

export function sizeOfType(type: Primitive | Table): number {
  return typeof type === 'string' ? FIELD_SIZES[type] : type.count * sizeOf(type.of);
}

export function sizeOf(fields: Fields): number {
  return Object.values(fields).reduce((total, [type]) => total + sizeOfType(type), 0);
}

/** True for bytes that carry no value of their own. */
export function isPadding(type: Primitive | Table): boolean {
  return typeof type === 'string' && (type === 'discriminator' || type.startsWith('reserved'));
}

export interface PlacedField {
  readonly name: string;
  readonly type: Primitive | Table;
  readonly doc: string;
  readonly offset: number;
  readonly size: number;
}

export function placed(fields: Fields, start = 0): PlacedField[] {
  let offset = start;
  return Object.entries(fields).map(([name, [type, doc]]) => {
    const size = sizeOfType(type);
    const field = { name, type, doc, offset, size };
    offset += size;
    return field;
  });
}

/** `skipHistory` becomes `skip_history`: the spelling of C and of the documentation. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
