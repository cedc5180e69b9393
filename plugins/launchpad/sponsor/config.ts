import { type TypedSchema, typed } from '../../../core/plugin.ts';
import { API, type ApiConfig } from '../config.ts';

export interface SponsorConfig extends ApiConfig {
  readonly maxPerDay: number;
  readonly maxPerAgentPerDay: number;
  readonly maxSolPerToken: number;
}

export const config: TypedSchema<SponsorConfig> = typed({
  type: 'object',
  additionalProperties: false,
  properties: {
    ...API,
    maxPerDay: {
      description: 'Tokens that are sponsored in 24 hours.',
      type: 'integer',
      minimum: 0,
      maximum: 10_000,
      default: 20,
    },
    maxPerAgentPerDay: {
      description: 'The same for one agent.',
      type: 'integer',
      minimum: 0,
      maximum: 1_000,
      default: 2,
    },
    maxSolPerToken: {
      description: 'The most SOL that one token may cost the wallet. The caps of `ledger` hold beside it.',
      type: 'number',
      minimum: 0,
      maximum: 10,
      default: 0.05,
    },
  },
});
