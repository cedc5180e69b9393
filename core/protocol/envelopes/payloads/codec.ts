import { type FieldProblem, MeshError } from '../../../contracts/errors.ts';
import { type Decoded, decoded, refused } from '../../../platform/decoded.ts';
import type { Shape } from './shape.ts';

/**
 * One payload: a value with the members its JSON Schema names, and its bytes. In code amounts (`…_micro`) are bigints;
 * ids are base58, other bytes hex or base64 text as in JSON. `sender` is the 32-byte key of the envelope, which only
 * the version 1 BEACON repeats.
 */
export interface PayloadCodec<T> {
  /** The bytes of a value. Throws `invalid_request`, with the fields, on a value that no reader would accept. */
  encode(value: T, sender: Uint8Array): Uint8Array;
  /** Never throws. */
  decode(body: Uint8Array, sender: Uint8Array): Decoded<T>;
  /** The value of untrusted JSON, such as the body of a request: numbers and digits become amounts. */
  parse(json: unknown): Decoded<T>;
}

/** Codecs differ in their bytes only: this adds the checks, which are the same in both directions. */
export function payloadCodec<T>(
  shape: Shape<T>,
  bytes: {
    write(value: T, sender: Uint8Array): Uint8Array;
    /** The members as found; `shape` judges them. */
    read(body: Uint8Array, sender: Uint8Array): Decoded<unknown>;
  },
): PayloadCodec<T> {
  return {
    encode(value, sender) {
      const problems: FieldProblem[] = [];
      const checked = shape.read(value, '', problems);
      if (checked === undefined || problems.length > 0) throw new MeshError('invalid_request', { fields: problems });
      return bytes.write(checked, sender);
    },
    decode(body, sender) {
      const found = bytes.read(body, sender);
      return found.ok ? parse(shape, found.value) : found;
    },
    parse: (json) => parse(shape, json),
  };
}

/** A value as JSON can carry it: amounts as numbers, or as digits above 2^53. */
export function payloadJson(value: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
}

function plain(member: unknown): unknown {
  if (typeof member !== 'bigint') return member;
  return member <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(member) : member.toString();
}

function parse<T>(shape: Shape<T>, json: unknown): Decoded<T> {
  const problems: FieldProblem[] = [];
  const value = shape.read(json, '', problems);
  if (value !== undefined && problems.length === 0) return decoded(value);
  const first = problems[0];
  return refused(first ? `${first.pointer || '/'} ${first.message}` : 'does not fit');
}
