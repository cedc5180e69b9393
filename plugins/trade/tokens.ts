import { type TypedSchema, typed } from '../../core/plugin.ts';

export const MINT = {
  description: 'The address of a token, base58.',
  type: 'string',
  pattern: '^[1-9A-HJ-NP-Za-km-z]{32,44}$',
};
export const SOL = 'So11111111111111111111111111111111111111112';
export const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
/** JSON numbers end at 2^53, so amounts may be text. */
export const UNITS = {
  type: ['integer', 'string'],
  pattern: '^[1-9][0-9]{0,19}$',
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
};
export const amount = (description: string) => ({ description, ...UNITS, examples: [1_000_000] });
export const SIGNATURE = {
  description: 'The transaction on the ledger.',
  type: 'string',
  examples: ['5h6xBEauJ3PK6SWCZ1PGjBvj8vDdWG3KpwATGy1ARAXF'],
};

export function object<T>(members: Readonly<Record<string, object>>, optional: readonly string[] = []): TypedSchema<T> {
  const required = Object.keys(members).filter((name) => !optional.includes(name));
  return typed({ type: 'object', required, properties: members });
}

export type Units = number | string;

export interface Pair {
  readonly input_mint: string;
  readonly output_mint: string;
}
