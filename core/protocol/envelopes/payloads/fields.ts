import { fromBase64, fromHex, toHex } from '../../../platform/bytes.ts';
import { MAX_USDC } from '../../../platform/usdc.ts';
import { normaliseAgentId } from '../../identity/ids.ts';
import { type Shape, shapeOf } from './shape.ts';

const LONE_SURROGATE = /\p{Surrogate}/u;

/** A text of `min` to `max` bytes of UTF-8. */
export function text(max: number, min = 0): Shape<string> {
  return shapeOf(`a text of ${min} to ${max} bytes`, (value) => {
    if (typeof value !== 'string' || value.length > max || LONE_SURROGATE.test(value)) return undefined;
    const length = Buffer.byteLength(value, 'utf8');
    return length >= min && length <= max ? value : undefined;
  });
}

export function matching(pattern: RegExp, must: string): Shape<string> {
  return shapeOf(must, (value) => (typeof value === 'string' && pattern.test(value) ? value : undefined));
}

export function integer(min: number, max: number): Shape<number> {
  return shapeOf(`a whole number from ${min} to ${max}`, (value) =>
    Number.isSafeInteger(value) && within(value as number, min, max) ? (value as number) : undefined,
  );
}

/** Any finite number; never for amounts of money that move. */
export function decimal(min: number, max: number): Shape<number> {
  return shapeOf(`a number from ${min} to ${max}`, (value) =>
    typeof value === 'number' && within(value, min, max) ? value : undefined,
  );
}

export function choice<const T extends string | number>(...values: readonly T[]): Shape<T> {
  return shapeOf(`one of ${values.join(', ')}`, (value) => values.find((each) => each === value));
}

export const flag: Shape<boolean> = shapeOf('true or false', (value) =>
  typeof value === 'boolean' ? value : undefined,
);

/** Minor units, as a bigint in code and as a number or, above 2^53, digits in JSON. */
export const amount: Shape<bigint> = shapeOf(`a whole number from 0 to ${MAX_USDC}`, (value) => {
  const minor = toBigInt(value);
  return minor !== undefined && minor >= 0n && minor <= MAX_USDC ? minor : undefined;
});

/** Base58 or hex in, base58 out. */
export const agentId: Shape<string> = shapeOf('an agent id in base58 or hex', (value) =>
  typeof value === 'string' ? normaliseAgentId(value) : undefined,
);

export const conversationId: Shape<string> = hexDigits(16);
export const hash: Shape<string> = hexDigits(32);

/** Hex digits of either case in, lower case out. */
export function hexDigits(length: number): Shape<string> {
  return shapeOf(`${2 * length} hex digits`, (value) => {
    const bytes = typeof value === 'string' ? fromHex(value, length) : undefined;
    return bytes && toHex(bytes);
  });
}

/** Base64 of at most `max` bytes, or of exactly `max` when `exact`. */
export function base64(max: number, exact = false): Shape<string> {
  return shapeOf(`base64 of ${exact ? '' : 'at most '}${max} bytes`, (value) => {
    if (typeof value !== 'string' || value.length > Math.ceil(max / 3) * 4) return undefined;
    const bytes = fromBase64(value);
    return bytes && (exact ? bytes.length === max : bytes.length <= max) ? value : undefined;
  });
}

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/;

/** A moment that exists, in UTC; read with milliseconds. */
export const moment: Shape<string> = shapeOf('a time such as 2026-01-01T12:00:00.000Z', (value) => {
  if (typeof value !== 'string' || !MOMENT.test(value)) return undefined;
  const parsed = new Date(value);
  if (Number.isNaN(parsed.getTime())) return undefined;
  const spelled = parsed.toISOString();
  return spelled.startsWith(value.slice(0, 19)) ? spelled : undefined;
});

/** A ws or wss URL without credentials, query or fragment. */
export const meshUrl: Shape<string> = shapeOf('a ws or wss URL', (value) => {
  if (typeof value !== 'string' || value.length > 512 || !/^wss?:\/\/[^\s/?#@]+(\/[^\s?#]*)?$/.test(value)) {
    return undefined;
  }
  return URL.canParse(value) ? value : undefined;
});

function within(value: number, min: number, max: number): boolean {
  return value >= min && value <= max;
}

function toBigInt(value: unknown): bigint | undefined {
  if (typeof value === 'bigint') return value;
  if (Number.isSafeInteger(value)) return BigInt(value as number);
  return typeof value === 'string' && /^\d{1,19}$/.test(value) ? BigInt(value) : undefined;
}
