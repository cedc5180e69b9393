import { type TypedSchema, typed } from '../../core/plugin.ts';

export const SOL = 'So11111111111111111111111111111111111111112';
/** Of examples: a token that nobody has. */
export const SOME_MINT = '8opHzTAnfzRpPEx21XtnrVTX28YQuCpAjcn1PczScKh';

export const MINT = {
  description: 'The address of a token, base58.',
  type: 'string',
  pattern: '^[1-9A-HJ-NP-Za-km-z]{32,44}$',
};
export const SIGNATURE = {
  description: 'The transaction on the ledger.',
  type: 'string',
  examples: ['5h6xBEauJ3PK6SWCZ1PGjBvj8vDdWG3KpwATGy1ARAXF'],
};
export const HTTPS = { type: 'string', pattern: '^https://[^\\s/?#@]+([/?#]\\S*)?$', maxLength: 512 };
/** Base units: an integer, or text above 2^53, where JSON numbers end. */
export const UNITS = {
  ...{ type: ['integer', 'string'], pattern: '^(0|[1-9][0-9]{0,19})$' },
  ...{ minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
};
/** How far the ledger is with a transaction. */
export const STATUS = {
  description: 'How far the ledger is: pending means sent, and not taken yet.',
  enum: ['pending', 'confirmed', 'final'],
  examples: ['confirmed'],
};

export type Units = number | string;

/** An amount as JSON says it best. */
export function units(amount: bigint): Units {
  return amount <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(amount) : amount.toString();
}

export function shape<T>(
  $id: string,
  properties: Readonly<Record<string, object>>,
  optional: readonly string[] = [],
): TypedSchema<T> {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return typed({ $id, type: 'object', required, properties });
}
