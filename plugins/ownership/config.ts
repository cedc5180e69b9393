import { typed } from '../../core/plugin.ts';

export interface OwnershipConfig {
  readonly dailyLamports: number;
}

/** The `ownership` object under `plugins` of plugins.json. */
export const ownershipConfig = typed<OwnershipConfig>({
  type: 'object',
  additionalProperties: false,
  properties: {
    dailyLamports: {
      description:
        'The most lamports an aggregator pays in a day (UTC) for writing owner links; one costs about two million.',
      type: 'integer',
      minimum: 0,
      maximum: 1_000_000_000_000,
      default: 100_000_000,
    },
  },
});
