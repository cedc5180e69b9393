import bs58 from 'bs58';
import { type TypedSchema, typed } from '../../core/plugin.ts';
import { MINT } from './tokens.ts';

const DIGITS = { type: 'string', pattern: '^[0-9]{1,20}$' };
/** A transaction of at most 1,232 bytes, base58. */
const TRANSACTION = { type: 'string', pattern: '^[1-9A-HJ-NP-Za-km-z]{80,1700}$' };
const URL_TEXT = { type: 'string', minLength: 1, maxLength: 1_000 };

const object = <T>(properties: Readonly<Record<string, object>>, optional: readonly string[] = []): TypedSchema<T> =>
  typed({ type: 'object', required: Object.keys(properties).filter((name) => !optional.includes(name)), properties });

/** The wire bytes of a transaction as the ledger's service wants them. */
export function base64Of(transaction: string): string {
  return Buffer.from(bs58.decode(transaction)).toString('base64');
}

export const TOKEN_INFO: TypedSchema<{ tokenMint: string; tokenMetadata: string }> = object({
  tokenMint: MINT,
  tokenMetadata: URL_TEXT,
});

export interface FeeShare {
  readonly needsCreation: boolean;
  readonly meteoraConfigKey: string;
  readonly transactions?: readonly { readonly transaction: string }[];
  readonly bundles?: readonly unknown[];
}
const LISTED = { type: 'object', required: ['transaction'], properties: { transaction: TRANSACTION } };
export const FEE_SHARE: TypedSchema<FeeShare> = object(
  {
    needsCreation: { type: 'boolean' },
    meteoraConfigKey: MINT,
    transactions: { type: 'array', maxItems: 10, items: LISTED },
    bundles: { type: 'array', maxItems: 10 },
  },
  ['transactions', 'bundles'],
);

export const LAUNCH_TRANSACTION: TypedSchema<string> = typed(TRANSACTION);

/** The members of a quote that are held against what was asked; the others go through as they are. */
export interface Quote {
  readonly inputMint: string;
  readonly outputMint: string;
  readonly inAmount: string;
  readonly outAmount: string;
  readonly minOutAmount?: string;
  readonly otherAmountThreshold?: string;
}
export const QUOTE: TypedSchema<Quote> = object(
  {
    inputMint: MINT,
    outputMint: MINT,
    inAmount: DIGITS,
    outAmount: DIGITS,
    minOutAmount: DIGITS,
    otherAmountThreshold: DIGITS,
  },
  ['minOutAmount', 'otherAmountThreshold'],
);

export const SWAP: TypedSchema<{ swapTransaction: string }> = object({ swapTransaction: TRANSACTION });

export interface PoolKeys {
  readonly dbcPoolKey: string;
  readonly dammV2PoolKey?: string | null;
}
export const POOL_KEYS: TypedSchema<PoolKeys> = object(
  { dbcPoolKey: MINT, dammV2PoolKey: { anyOf: [MINT, { type: 'null' }] } },
  ['dammV2PoolKey'],
);

const LAMPORTS = { type: ['integer', 'string'], minimum: 0, pattern: '^[0-9]{1,20}$' };
export interface Claimable {
  readonly baseMint: string;
  readonly totalClaimableLamportsUserShare: number | string;
}
export const CLAIMABLE: TypedSchema<readonly Claimable[]> = typed({
  type: 'array',
  maxItems: 10_000,
  items: {
    type: 'object',
    required: ['baseMint', 'totalClaimableLamportsUserShare'],
    properties: { baseMint: MINT, totalClaimableLamportsUserShare: LAMPORTS },
  },
});

export interface ClaimTransaction {
  readonly tx: string;
  readonly blockhash: { readonly blockhash: string };
}
export const CLAIM_TRANSACTIONS: TypedSchema<readonly ClaimTransaction[]> = typed({
  type: 'array',
  maxItems: 50,
  items: {
    type: 'object',
    required: ['tx', 'blockhash'],
    properties: {
      tx: TRANSACTION,
      blockhash: { type: 'object', required: ['blockhash'], properties: { blockhash: { type: 'string' } } },
    },
  },
});

export const AVAILABILITY: TypedSchema<{ available: boolean }> = object({ available: { type: 'boolean' } });

export interface Order {
  readonly orderUUID: string;
  readonly priceUSDC: number;
  readonly transaction?: string | null;
}
export const ORDER: TypedSchema<Order> = object(
  {
    orderUUID: { type: 'string', minLength: 1, maxLength: 100 },
    priceUSDC: { type: 'number', minimum: 0, maximum: 1_000_000 },
    transaction: { anyOf: [TRANSACTION, { type: 'null' }] },
  },
  ['transaction'],
);

export const SUBMITTED: TypedSchema<unknown> = typed({});
