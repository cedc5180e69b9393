import { MINT } from './tokens.ts';

/** Milliseconds for which a call is known by its idempotency key. */
export const CALL_KNOWN_FOR = 24 * 3_600_000;

/** A launch, step by step. What is there is done. */
export interface StoredLaunch {
  readonly name: string;
  readonly symbol: string;
  readonly description: string;
  readonly image_url?: string;
  readonly initial_buy: string;
  readonly token_mint?: string;
  readonly metadata_uri?: string;
  readonly config_key?: string;
}

export interface KnownToken {
  readonly of_launchpad: boolean;
  readonly description?: string;
}

/** The transaction that a caller's swap has sent. */
export interface StoredSwap {
  readonly amount_in: string;
  readonly amount_out: string;
  /** In the key of its transaction; absent where that is the operation. */
  readonly name?: string;
}

/** The transactions that a caller's claim has sent, or was about to: lamports by the number of the transaction. */
export interface StoredClaim {
  readonly parts: readonly string[];
  readonly done: boolean;
  /** In the keys of its transactions; absent where that is the operation. */
  readonly name?: string;
}

/** An order of a chart listing whose payment was begun. */
export interface StoredListing {
  readonly order_uuid: string;
  readonly submitted: boolean;
  readonly at: number;
}

export interface StoredPrice {
  readonly usdc: number;
}

const stored = (name: string, properties: Readonly<Record<string, object>>, optional: readonly string[] = []) => ({
  $id: `launchpad/stored-${name}`,
  type: 'object',
  additionalProperties: false,
  required: Object.keys(properties).filter((one) => !optional.includes(one)),
  properties,
});
const text = { type: 'string', maxLength: 1_000 };
const digits = { type: 'string', pattern: '^[0-9]{1,20}$' };
const flag = { type: 'boolean' };
const integer = { type: 'integer' };

/** The plugin's collections. */
export const STORED: readonly object[] = [
  stored(
    'launch',
    {
      ...{ name: text, symbol: text, description: text, image_url: text, initial_buy: digits },
      ...{ token_mint: MINT, metadata_uri: text, config_key: MINT },
    },
    ['image_url', 'token_mint', 'metadata_uri', 'config_key'],
  ),
  stored('token', { of_launchpad: flag, description: text }, ['description']),
  stored('swap', { amount_in: digits, amount_out: digits, name: text }, ['name']),
  stored('claim', { parts: { type: 'array', maxItems: 1_000, items: digits }, done: flag, name: text }, ['name']),
  stored('listing', { order_uuid: text, submitted: flag, at: integer }),
  stored('price', { usdc: { type: 'number' } }),
];
