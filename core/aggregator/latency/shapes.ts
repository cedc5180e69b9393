import { typed } from '../../plugin.ts';

export interface LatencyConfig {
  readonly references: readonly { readonly agent_id: string; readonly region: string }[];
}

/** The `latency` object under `core` of plugins.json. */
export const latencyConfig = typed<LatencyConfig>({
  type: 'object',
  additionalProperties: false,
  properties: {
    references: {
      description:
        'The reference nodes whose signed reports of round trips are taken, each with the region it stands in, such as us-east, eu-west, africa-south or asia-southeast.',
      type: 'array',
      maxItems: 100,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['agent_id', 'region'],
        properties: {
          agent_id: { $ref: 'common.json#/$defs/agent-id' },
          region: { type: 'string', pattern: '^[a-z0-9-]{1,32}$' },
        },
      },
      default: [],
    },
  },
});

export const SIGNATURE = typed<string>({
  description: 'The signature of reporter over body and time in the domain latency/1, in hex.',
  type: 'string',
  pattern: '^[0-9a-fA-F]{128}$',
  examples: ['0a'.repeat(64)],
});
