import { type TypedSchema, typed } from '../../core/plugin.ts';
import { MINT, SOL, USDC } from './tokens.ts';

export interface TradeConfig {
  readonly apiUrl: string;
  readonly apiKey?: string;
  readonly maxUsdPerTrade: number;
  readonly maxUsdPerDay: number;
  readonly maxLossBps: number;
  readonly confirm: 'unknown' | 'always' | 'never';
  readonly known: readonly string[];
  readonly programs?: readonly string[];
}

export const config: TypedSchema<TradeConfig> = typed({
  type: 'object',
  additionalProperties: false,
  properties: {
    apiUrl: { description: 'The trading service.', type: 'string', format: 'uri', default: 'https://api.jup.ag' },
    apiKey: { description: 'Its key; half a call a second is free without one.', type: 'string', minLength: 1 },
    maxUsdPerTrade: {
      description: 'The most one trade or order may be worth, in US dollars.',
      type: 'number',
      minimum: 0,
      default: 25,
    },
    maxUsdPerDay: { description: 'The same for all of them in 24 hours.', type: 'number', minimum: 0, default: 100 },
    maxLossBps: {
      description:
        'How much less than it gives a swap may be worth by the prices of the moment, in hundredths of a percent.',
      type: 'integer',
      minimum: 0,
      maximum: 10_000,
      default: 500,
    },
    confirm: {
      description:
        'Which swaps wait for a confirmation: those into tokens that are neither known nor verified, all, or none.',
      enum: ['unknown', 'always', 'never'],
      default: 'unknown',
    },
    known: {
      description: 'Mints that need no confirmation.',
      type: 'array',
      maxItems: 1_000,
      items: MINT,
      default: [SOL, USDC, 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB'],
    },
    programs: {
      description:
        'Programs that a transaction of the trading service may name, beside those of the ledger for SOL, tokens and memos; any unless given.',
      type: 'array',
      maxItems: 1_000,
      items: MINT,
    },
  },
});
