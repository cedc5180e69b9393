import { type TypedSchema, typed } from '../../core/plugin.ts';

export interface RegistryConfig {
  readonly gate: boolean;
}

export const config: TypedSchema<RegistryConfig> = typed({
  type: 'object',
  additionalProperties: false,
  properties: {
    gate: {
      description: 'Whether a node takes envelopes from registered agents only. An aggregator has no gate.',
      type: 'boolean',
      default: true,
    },
  },
});
