import { type TypedSchema, typed } from '../../core/plugin.ts';
import { HTTPS, MINT, SIGNATURE, SOL, SOME_MINT, STATUS, shape, UNITS, type Units } from './tokens.ts';

type Status = 'pending' | 'confirmed' | 'final';

export interface LaunchRequest {
  readonly name: string;
  readonly symbol: string;
  readonly description: string;
  readonly image_url?: string | null;
  readonly initial_buy_lamports?: Units;
}
export const launchRequest = shape<LaunchRequest>(
  'launchpad/launch-request',
  {
    name: {
      description: 'The full name of the token: 1 to 32 characters.',
      type: 'string',
      pattern: '^[^\\u0000-\\u001f\\u007f]{1,32}$',
      examples: ['Mesh Token'],
    },
    symbol: {
      description: '2 to 8 characters in upper case.',
      type: 'string',
      pattern: '^[A-Z0-9]{2,8}$',
      examples: ['MESH'],
    },
    description: {
      description: 'One to three sentences.',
      type: 'string',
      minLength: 1,
      maxLength: 1_000,
      pattern: '^[^\\u0000]*$',
      examples: ['A token of an agent of the mesh.'],
    },
    image_url: {
      ...HTTPS,
      type: ['string', 'null'],
      description: 'An image, https; none unless given.',
      examples: ['https://images.example.com/mesh.png'],
    },
    initial_buy_lamports: {
      ...UNITS,
      description: 'Lamports that buy the token at its launch; none unless given.',
      examples: [10_000_000],
    },
  },
  ['image_url', 'initial_buy_lamports'],
);

export interface LaunchReply {
  readonly token_mint: string;
  readonly metadata_uri: string;
  readonly txid: string;
  readonly status: Status;
}
export const launchReply = shape<LaunchReply>('launchpad/launch', {
  token_mint: { ...MINT, examples: [SOME_MINT] },
  metadata_uri: { description: 'Where its metadata lies.', type: 'string', examples: ['https://ipfs.io/ipfs/Qm'] },
  txid: SIGNATURE,
  status: STATUS,
});

export interface SwapRequest {
  readonly token_mint: string;
  readonly amount: Units;
  readonly action: 'buy' | 'sell';
  readonly slippage_bps?: number;
}
const SWAP = {
  token_mint: { ...MINT, examples: [SOME_MINT] },
  amount: {
    ...UNITS,
    pattern: '^[1-9][0-9]{0,19}$',
    minimum: 1,
    description: 'Lamports to buy with, or base units of the token to sell.',
    examples: [10_000_000],
  },
  action: { enum: ['buy', 'sell'], examples: ['buy'] },
  slippage_bps: {
    description: 'How much worse than its quote it may end, in hundredths of a percent; by the launchpad unless given.',
    type: 'integer',
    minimum: 0,
    maximum: 10_000,
    examples: [100],
  },
};
export const quoteRequest = shape<SwapRequest>('launchpad/swap-request', SWAP, ['slippage_bps']);

/** A swap, or what the quote answered, as the body itself or as one of its members. */
export type ExecuteRequest = Partial<SwapRequest> & {
  readonly quote?: object;
  readonly quote_response?: object;
};
const QUOTE = { description: 'The answer of POST /launchpad/swap/quote.', type: 'object', additionalProperties: true };
const OF_QUOTE = { description: 'Of a quote that is the body itself.' };
const QUOTE_MEMBERS = Object.fromEntries(
  [
    ...['requestId', 'contextSlot', 'inputMint', 'outputMint', 'inAmount', 'outAmount', 'minOutAmount'],
    ...['otherAmountThreshold', 'slippageBps', 'priceImpactPct', 'routePlan', 'platformFee', 'outTransferFee'],
    'simulatedComputeUnits',
  ].map((name) => [name, OF_QUOTE]),
);
export const executeRequest: TypedSchema<ExecuteRequest> = typed({
  $id: 'launchpad/execute-request',
  description:
    'A swap, which is quoted and done in one step; or a quote as it was answered, as the body itself or as `quote`.',
  type: 'object',
  properties: { ...SWAP, quote: QUOTE, quote_response: { ...QUOTE, description: 'The same.' }, ...QUOTE_MEMBERS },
  examples: [{ token_mint: SOME_MINT, amount: 10_000_000, action: 'buy', slippage_bps: 100 }],
});

/** Passed on as the launchpad answers. */
export const rawQuote: TypedSchema<object> = typed({
  $id: 'launchpad/quote',
  description: 'The quote as the launchpad gives it.',
  type: 'object',
  additionalProperties: true,
  examples: [
    {
      ...{ requestId: 'q', inputMint: SOL, outputMint: SOME_MINT, inAmount: '10000000', outAmount: '350000000000' },
      ...{ minOutAmount: '346500000000', otherAmountThreshold: '346500000000', slippageBps: 100 },
    },
  ],
});

export interface ExecuteReply {
  readonly txid: string;
  readonly amount_in: Units;
  readonly amount_out: Units;
  readonly status: Status;
}
export const executeReply = shape<ExecuteReply>('launchpad/swap', {
  txid: SIGNATURE,
  amount_in: { ...UNITS, description: 'Base units that left the wallet.', examples: [10_000_000] },
  amount_out: {
    ...UNITS,
    description: 'Base units that came in, by the rehearsal right before it was sent.',
    examples: [350_000_000_000],
  },
  status: STATUS,
});

export interface PoolReply {
  readonly token_mint: string;
  readonly sol_reserves: Units;
  readonly token_reserves: Units;
  readonly price_usd: number;
  readonly tvl_usd: number;
  readonly volume_24h_usd: number;
}
export const poolReply = shape<PoolReply>('launchpad/pool', {
  token_mint: { ...MINT, examples: [SOME_MINT] },
  sol_reserves: { ...UNITS, description: 'Lamports in the pool.', examples: [30_000_000_000] },
  token_reserves: { ...UNITS, description: 'Base units of the token in the pool.', examples: ['800000000000000000'] },
  price_usd: { type: 'number', minimum: 0, examples: [0.0000056] },
  tvl_usd: { description: 'US dollars that lie in the pool.', type: 'number', minimum: 0, examples: [9_000] },
  volume_24h_usd: { description: '0 while no market lists it.', type: 'number', minimum: 0, examples: [1_234.5] },
});

export interface Position {
  readonly token_mint: string;
  /** Base units. */
  readonly balance: string;
  readonly value_usd: number;
}
export const positionsReply: TypedSchema<readonly Position[]> = typed({
  $id: 'launchpad/positions',
  type: 'array',
  items: {
    type: 'object',
    required: ['token_mint', 'balance', 'value_usd'],
    properties: {
      token_mint: MINT,
      balance: { description: 'Base units of the token.', type: 'string' },
      value_usd: { description: '0 for a token that no market lists.', type: 'number', minimum: 0 },
    },
  },
  examples: [[{ token_mint: SOME_MINT, balance: '350000000000', value_usd: 1.96 }]],
});

export interface ClaimableReply {
  readonly token_mint: string;
  readonly claimable_usdc: number;
  readonly claimable_lamports: Units;
}
export const claimableReply: TypedSchema<readonly ClaimableReply[]> = typed({
  $id: 'launchpad/claimable',
  type: 'array',
  items: {
    type: 'object',
    required: ['token_mint', 'claimable_usdc', 'claimable_lamports'],
    properties: {
      token_mint: MINT,
      claimable_usdc: { description: 'The lamports at the price of SOL.', type: 'number', minimum: 0 },
      claimable_lamports: UNITS,
    },
  },
  examples: [[{ token_mint: SOME_MINT, claimable_usdc: 12.5, claimable_lamports: 84_000_000 }]],
});

export interface TokenRequest {
  readonly token_mint: string;
}
export const claimRequest = shape<TokenRequest>('launchpad/claim-request', {
  token_mint: { ...MINT, examples: [SOME_MINT] },
});

export interface ClaimReply {
  readonly txids: readonly string[];
  readonly claimed_usdc: number;
  readonly claimed_lamports: Units;
}
export const claimReply = shape<ClaimReply>('launchpad/claim', {
  txids: {
    description: 'The transactions on the ledger, in order; none when there was nothing to claim.',
    type: 'array',
    items: { type: 'string' },
    examples: [SIGNATURE.examples],
  },
  claimed_usdc: { description: 'The lamports at the price of SOL.', type: 'number', minimum: 0, examples: [12.5] },
  claimed_lamports: { ...UNITS, description: 'Lamports that came in, fees off.', examples: [84_000_000] },
});

export interface AvailableReply {
  readonly available: boolean;
  readonly cost_usdc: number;
}
export const availableReply = shape<AvailableReply>('launchpad/chart-listing-check', {
  available: { description: 'Whether the token can be listed.', type: 'boolean', examples: [true] },
  cost_usdc: { description: 'As the last order said it.', type: 'number', minimum: 0, examples: [299] },
});

export interface ListingRequest extends TokenRequest {
  readonly image_url: string;
  readonly description?: string;
}
export const listingRequest = shape<ListingRequest>(
  'launchpad/chart-listing-request',
  {
    token_mint: { ...MINT, examples: [SOME_MINT] },
    image_url: { ...HTTPS, description: 'Icon and header, https.', examples: ['https://images.example.com/mesh.png'] },
    description: {
      description: 'That of its launch from here unless given.',
      type: 'string',
      minLength: 1,
      maxLength: 1_000,
      pattern: '^[^\\u0000]*$',
      examples: ['A token of an agent of the mesh.'],
    },
  },
  ['description'],
);

export interface ListingReply {
  readonly order_uuid: string;
  readonly payment_txid: string;
  readonly status: 'paid' | 'submitted';
}
export const listingReply = shape<ListingReply>('launchpad/chart-listing', {
  order_uuid: { type: 'string', examples: ['0b0c6a3e-6f1d-4f5e-9d5e-1c2f3a4b5c6d'] },
  payment_txid: SIGNATURE,
  status: {
    description: 'paid: the node goes on telling the launchpad of the payment until it takes it.',
    enum: ['paid', 'submitted'],
    examples: ['submitted'],
  },
});

export interface KeyRequest {
  readonly api_key: string;
}
export const keyRequest = shape<KeyRequest>('launchpad/api-key-request', {
  api_key: {
    description: 'The key of the launchpad from now on: ASCII without spaces.',
    type: 'string',
    pattern: '^[\\x21-\\x7e]{1,512}$',
    examples: ['bags_prod_0123456789'],
  },
});

export interface ConfigReply {
  readonly api_url: string;
  readonly fee_bps: number;
  readonly creator_fee_bps: number;
  readonly partner_configured: boolean;
  readonly api_key_source: 'runtime' | 'configuration';
}
export const configReply = shape<ConfigReply>('launchpad/config', {
  api_url: { description: 'The launchpad.', type: 'string', examples: ['https://public-api-v2.bags.fm/api/v1'] },
  fee_bps: { description: 'The part that this node keeps of claimed fees: nothing.', const: 0, examples: [0] },
  creator_fee_bps: {
    description: 'The part of the pool’s trading fees that the creator gets.',
    const: 10_000,
    examples: [10_000],
  },
  partner_configured: { description: 'Whether both partner flags are set.', type: 'boolean', examples: [false] },
  api_key_source: { description: 'Never the key.', enum: ['runtime', 'configuration'], examples: ['configuration'] },
});
