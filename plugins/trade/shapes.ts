import { type TypedSchema, typed } from '../../core/plugin.ts';
import { amount, MINT, object, type Pair, SIGNATURE, SOL, type Units, USDC } from './tokens.ts';

const SLIPPAGE = {
  description: 'How much worse than the quote the result may be, in hundredths of a percent; 50 unless given.',
  type: 'integer',
  minimum: 0,
  maximum: 1_000,
  examples: [50],
};
export interface QuoteQuery extends Pair {
  readonly amount: Units;
  readonly slippage_bps?: number;
}

export const quoteQuery: TypedSchema<QuoteQuery> = object(
  {
    input_mint: { ...MINT, examples: [USDC] },
    output_mint: { ...MINT, examples: [SOL] },
    amount: amount('Units of the input token.'),
    slippage_bps: SLIPPAGE,
  },
  ['slippage_bps'],
);

export interface SwapRequest extends QuoteQuery {
  readonly force?: boolean;
  readonly quote?: Readonly<
    Partial<Record<'inputMint' | 'outputMint' | 'inAmount' | 'outAmount' | 'otherAmountThreshold', string>>
  >;
}

export const swapRequest: TypedSchema<SwapRequest> = object(
  {
    input_mint: { ...MINT, examples: [USDC] },
    output_mint: { ...MINT, examples: [SOL] },
    amount: amount('Units of the input token.'),
    slippage_bps: SLIPPAGE,
    force: {
      description: 'Trade without asking, although the output token is not a known or verified one.',
      type: 'boolean',
      examples: [true],
    },
    quote: {
      description:
        'What GET /trade/quote answered. The swap is refused with quote_changed when it would now give less than otherAmountThreshold of it.',
      type: 'object',
      additionalProperties: true,
      properties: {
        ...{ inputMint: { type: 'string' }, outputMint: { type: 'string' }, inAmount: { type: 'string' } },
        ...{ outAmount: { type: 'string' }, otherAmountThreshold: { type: 'string' } },
      },
    },
  },
  ['slippage_bps', 'force', 'quote'],
);

export interface SwapReply {
  readonly status: 'pending' | 'confirmed' | 'final' | 'pending_confirmation';
  readonly in_amount?: string;
  readonly out_amount?: string;
  readonly txid?: string;
  readonly signature?: string;
  readonly swap_id?: string;
  readonly message?: string;
  readonly expires_at?: string;
}

export const swapReply: TypedSchema<SwapReply> = typed({
  $id: 'trade/swap',
  type: 'object',
  required: ['status'],
  properties: {
    status: {
      description:
        'pending: sent, and the ledger has not taken it yet. pending_confirmation (202): nothing was done; confirm or reject it by swap_id.',
      enum: ['pending', 'confirmed', 'final', 'pending_confirmation'],
      examples: ['confirmed'],
    },
    in_amount: { description: 'Units of the input token that left the wallet.', type: 'string', examples: ['1000000'] },
    out_amount: {
      description: 'Units of the output token, by the rehearsal right before it was sent.',
      type: 'string',
      examples: ['6731841'],
    },
    txid: SIGNATURE,
    signature: SIGNATURE,
    swap_id: { type: 'string', examples: ['3f1c5b0e9a7d4c21'] },
    message: { type: 'string', examples: ['The output token is neither known nor verified; confirm it or reject it.'] },
    expires_at: { type: 'string', format: 'date-time', examples: ['2026-01-01T00:05:00.000Z'] },
  },
});

export interface PendingSwap extends Pair {
  readonly swap_id: string;
  readonly amount: string;
  readonly slippage_bps: number;
  readonly quoted?: string;
  readonly created_at: string;
  readonly expires_at: string;
}

export const pendingReply: TypedSchema<{ readonly pending: readonly PendingSwap[] }> = typed({
  $id: 'trade/pending',
  type: 'object',
  required: ['pending'],
  properties: {
    pending: {
      type: 'array',
      maxItems: 100,
      items: {
        type: 'object',
        required: ['swap_id', 'input_mint', 'output_mint', 'amount', 'slippage_bps', 'created_at', 'expires_at'],
        properties: {
          swap_id: { type: 'string' },
          input_mint: MINT,
          output_mint: MINT,
          amount: { type: 'string' },
          slippage_bps: { type: 'integer' },
          quoted: {
            description:
              'The least that the quote of the swap promised: a confirmation for less is refused with quote_changed.',
            type: 'string',
          },
          created_at: { type: 'string', format: 'date-time' },
          expires_at: { type: 'string', format: 'date-time' },
        },
      },
      examples: [[]],
    },
  },
});

export const rejectedReply: TypedSchema<{ readonly status: 'rejected'; readonly swap_id: string }> = typed({
  $id: 'trade/rejected',
  type: 'object',
  required: ['status', 'swap_id'],
  properties: {
    status: { const: 'rejected', examples: ['rejected'] },
    swap_id: { type: 'string', examples: ['3f1c5b0e9a7d4c21'] },
  },
});

/** Passed on as the trading service answers. */
export const rawQuote: TypedSchema<object> = typed({
  $id: 'trade/quote',
  description: 'The quote as the trading service gives it.',
  type: 'object',
  additionalProperties: true,
  examples: [{ inAmount: '1000000', outAmount: '6731841', otherAmountThreshold: '6698182', slippageBps: 50 }],
});
export const rawPrices: TypedSchema<object> = typed({
  $id: 'trade/prices',
  description: 'By mint; tokens without a price are left out.',
  type: 'object',
  additionalProperties: true,
  examples: [{ [SOL]: { usdPrice: 148.5, decimals: 9 } }],
});
export const rawTokens: TypedSchema<readonly object[]> = typed({
  $id: 'trade/tokens',
  description: 'Tokens as the trading service lists them, best match first.',
  type: 'array',
  maxItems: 100,
  items: { type: 'object', additionalProperties: true },
  examples: [[{ id: USDC, symbol: 'USDC', name: 'USD Coin', decimals: 6, isVerified: true }]],
});
export const rawOrders: TypedSchema<object> = typed({
  $id: 'trade/orders',
  description: 'Active orders as the trading service lists them.',
  type: 'object',
  additionalProperties: true,
  examples: [{ orders: [], totalPages: 0, page: 1 }],
});

export const priceQuery: TypedSchema<{ readonly ids: string }> = typed({
  type: 'object',
  required: ['ids'],
  properties: {
    ids: {
      description: 'Mints, separated by commas; at most 50.',
      type: 'string',
      pattern: '^[1-9A-HJ-NP-Za-km-z]{32,44}(,[1-9A-HJ-NP-Za-km-z]{32,44}){0,49}$',
      examples: [SOL],
    },
  },
});
export const tokensQuery: TypedSchema<{ readonly q?: string }> = typed({
  type: 'object',
  properties: {
    q: {
      description: 'A symbol, a name or mints; the verified tokens without it.',
      type: 'string',
      maxLength: 200,
      examples: ['USDC'],
    },
  },
});
export const ordersQuery: TypedSchema<{ readonly wallet?: string }> = typed({
  type: 'object',
  properties: {
    wallet: { ...MINT, description: 'Whose orders, base58; those of this wallet unless given.', examples: [USDC] },
  },
});
