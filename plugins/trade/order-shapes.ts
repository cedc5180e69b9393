import { type TypedSchema, typed } from '../../core/plugin.ts';
import { amount, MINT, object, type Pair, SIGNATURE, SOL, type Units, USDC } from './tokens.ts';

export interface LimitRequest extends Pair {
  readonly making_amount: Units;
  readonly taking_amount: Units;
  readonly expired_at?: number | string;
}
export const limitRequest: TypedSchema<LimitRequest> = object(
  {
    input_mint: { ...MINT, examples: [USDC] },
    output_mint: { ...MINT, examples: [SOL] },
    making_amount: amount('Units of the input token that the order gives.'),
    taking_amount: amount('Units of the output token that it asks for.'),
    expired_at: {
      description: 'When the order ends, Unix seconds; it does not end by itself without it.',
      type: ['integer', 'string'],
      pattern: '^[1-9][0-9]{9}$',
      minimum: 1_000_000_000,
      maximum: 9_999_999_999,
      examples: [1_893_456_000],
    },
  },
  ['expired_at'],
);

export interface OrderReply {
  readonly order: string;
  readonly txid: string;
  readonly status: string;
}
const PENDING_STATUS = {
  description: 'pending, confirmed or final, as the ledger has it.',
  enum: ['pending', 'confirmed', 'final'],
  examples: ['confirmed'],
};
export const orderReply: TypedSchema<OrderReply> = typed({
  $id: 'trade/order',
  type: 'object',
  required: ['order', 'txid', 'status'],
  properties: {
    order: { description: 'The address of the order.', type: 'string', examples: [USDC] },
    txid: SIGNATURE,
    status: PENDING_STATUS,
  },
});

export const cancelRequest: TypedSchema<{ readonly orders: readonly string[] }> = typed({
  type: 'object',
  required: ['orders'],
  properties: {
    orders: {
      description: 'Addresses of orders.',
      type: 'array',
      minItems: 1,
      maxItems: 20,
      uniqueItems: true,
      items: MINT,
      examples: [[USDC]],
    },
  },
});
export const cancelReply: TypedSchema<{ readonly cancelled: number; readonly txids: readonly string[] }> = typed({
  $id: 'trade/cancelled',
  type: 'object',
  required: ['cancelled', 'txids'],
  properties: {
    cancelled: { description: 'How many orders were cancelled.', type: 'integer', examples: [1] },
    txids: { type: 'array', items: SIGNATURE, examples: [[SIGNATURE.examples[0]]] },
  },
});

export interface DcaRequest extends Pair {
  readonly in_amount: Units;
  readonly in_amount_per_cycle: Units;
  readonly cycle_seconds: number;
}
export const dcaRequest: TypedSchema<DcaRequest> = object({
  input_mint: { ...MINT, examples: [USDC] },
  output_mint: { ...MINT, examples: [SOL] },
  in_amount: amount('Units of the input token that are set aside for all cycles.'),
  in_amount_per_cycle: amount('Units of the input token of one cycle.'),
  cycle_seconds: {
    description: 'Seconds between two cycles.',
    type: 'integer',
    minimum: 60,
    maximum: 31_536_000,
    examples: [86_400],
  },
});
export interface DcaReply {
  readonly dca_key: string | null;
  readonly txid: string;
  readonly status: string;
}
export const dcaReply: TypedSchema<DcaReply> = typed({
  $id: 'trade/dca',
  type: 'object',
  required: ['dca_key', 'txid', 'status'],
  properties: {
    dca_key: {
      description: 'The address of the order; null while the trading service does not list it yet.',
      type: ['string', 'null'],
      examples: [USDC],
    },
    txid: SIGNATURE,
    status: PENDING_STATUS,
  },
});
