import { type TypedSchema, typed } from '../../plugin.ts';
import { lamportsOf } from '../watch/watch-config.ts';

/** `core.wallet` of plugins.json. */
export interface WalletConfig {
  /** The only wallets that a sweep may go to; anywhere when absent. */
  readonly sweepTo?: readonly string[];
  /** The cluster that a localnet is called in offers of x402. */
  readonly x402As?: 'devnet';
  /** SOL. */
  readonly maxSaleFeesPerDay: string;
}

/** About 10,000 sales by clients that offer the least fee. */
const DEFAULT_SALE_FEES = '0.1';

export const walletConfig: TypedSchema<WalletConfig> = typed<WalletConfig>({
  type: 'object',
  additionalProperties: false,
  properties: {
    sweepTo: {
      description: 'The only wallets that a sweep may go to; anywhere when absent.',
      type: 'array',
      minItems: 1,
      maxItems: 32,
      items: { type: 'string', pattern: '^[1-9A-HJ-NP-Za-km-z]{32,44}$' },
    },
    x402As: {
      description:
        'The cluster by whose name offers of x402 call a localnet, for clients that know public clusters only. Of no use elsewhere.',
      enum: ['devnet'],
    },
    maxSaleFeesPerDay: {
      description: 'The most SOL that this node pays in 24 hours as fees of payments by x402 that come in.',
      type: 'string',
      pattern: '^(0|[1-9][0-9]{0,5})(\\.[0-9]{1,9})?$',
      default: DEFAULT_SALE_FEES,
    },
  },
});

/** Lamports; of a configuration that was checked. */
export function maxSaleFeesOf({ maxSaleFeesPerDay = DEFAULT_SALE_FEES }: Partial<WalletConfig>): bigint {
  return lamportsOf(maxSaleFeesPerDay);
}
