import bs58 from 'bs58';
import { type Fields, isPadding, type Primitive, placed, sizeOf, type Table, type Values } from './fields.ts';

/** Bytes of the given values, in the order of the declaration. Throws `RangeError` for a value that does not fit. */
export function encodeFields<F extends Fields>(fields: F, values: Values<F>): Uint8Array {
  const out = new Uint8Array(sizeOf(fields));
  for (const field of placed(fields)) {
    if (isPadding(field.type)) continue;
    const value: unknown = (values as Record<string, unknown>)[field.name];
    writeField(out.subarray(field.offset, field.offset + field.size), field.name, field.type, value);
  }
  return out;
}

/** Values of the bytes at the start of `data`. Throws `RangeError` when there are too few. */
export function decodeFields<F extends Fields>(fields: F, data: Uint8Array): Values<F> {
  if (data.length < sizeOf(fields)) throw new RangeError(`${data.length} bytes are too few for ${sizeOf(fields)}`);
  const values: Record<string, unknown> = {};
  for (const field of placed(fields)) {
    if (isPadding(field.type)) continue;
    values[field.name] = readField(data.subarray(field.offset, field.offset + field.size), field.type);
  }
  return values as Values<F>;
}

function writeField(target: Uint8Array, name: string, type: Primitive | Table, value: unknown): void {
  if (typeof type !== 'string') throw new RangeError(`${name}: tables are only read`);
  const view = new DataView(target.buffer, target.byteOffset, target.byteLength);
  if (type === 'u64') {
    if (typeof value !== 'bigint' || BigInt.asUintN(64, value) !== value) throw new RangeError(`${name}: not a u64`);
    view.setBigUint64(0, value, true);
  } else if (type === 'u8' || type === 'u16' || type === 'u32') {
    if (!Number.isInteger(value) || (value as number) < 0 || (value as number) >= 2 ** (8 * target.length))
      throw new RangeError(`${name}: not a ${type}`);
    for (let i = 0; i < target.length; i++) target[i] = Math.floor((value as number) / 2 ** (8 * i)) % 256;
  } else {
    const bytes = bytesOf(type, value);
    const fits = type === 'text64' ? bytes.length > 0 && bytes.length <= 64 : bytes.length === target.length;
    if (!fits) throw new RangeError(`${name}: ${bytes.length} bytes for a ${type}`);
    target.set(bytes);
  }
}

function bytesOf(type: Primitive, value: unknown): Uint8Array {
  if (type === 'key') return bs58.decode(value as string);
  return type === 'text64' ? new TextEncoder().encode(value as string) : (value as Uint8Array);
}

function readField(source: Uint8Array, type: Primitive | Table): unknown {
  if (typeof type !== 'string') {
    const size = sizeOf(type.of);
    return Array.from({ length: type.count }, (_, i) => decodeFields(type.of, source.subarray(i * size)));
  }
  const view = new DataView(source.buffer, source.byteOffset, source.byteLength);
  if (type === 'u8') return view.getUint8(0);
  if (type === 'u16') return view.getUint16(0, true);
  if (type === 'u32') return view.getUint32(0, true);
  if (type === 'u64') return view.getBigUint64(0, true);
  if (type === 'key') return bs58.encode(source);
  if (type === 'text64') return new TextDecoder().decode(source).replace(/\0+$/, '');
  return Uint8Array.from(source);
}
