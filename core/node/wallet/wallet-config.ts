import { type TypedSchema, typed } from '../../plugin.ts';

/** `core.wallet` of plugins.json. */
export interface WalletConfig {
  /** The only wallets that a sweep may go to; anywhere when absent. */
  readonly sweepTo?: readonly string[];
}

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
  },
});
