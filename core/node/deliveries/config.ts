import type { Settings } from '../../internal-services.ts';
import { type TypedSchema, typed } from '../../plugin.ts';

/** `core.deliveries` of plugins.json. */
export interface DeliveriesConfig {
  readonly maxMiB: number;
  readonly totalMiB: number;
  readonly keepDays: number;
}

const DEFAULTS: DeliveriesConfig = { maxMiB: 10, totalMiB: 1_024, keepDays: 30 };

export const deliveriesConfig: TypedSchema<DeliveriesConfig> = typed<DeliveriesConfig>({
  type: 'object',
  additionalProperties: false,
  properties: {
    maxMiB: {
      description: 'The largest delivery that this node makes or fetches, in mebibytes.',
      type: 'integer',
      minimum: 1,
      maximum: 10,
      default: DEFAULTS.maxMiB,
    },
    totalMiB: {
      description: 'The most that deliveries above 48 KiB may take up on disk, in mebibytes.',
      type: 'integer',
      minimum: 1,
      maximum: 1_000_000,
      default: DEFAULTS.totalMiB,
    },
    keepDays: {
      description: 'Days after which they are removed.',
      type: 'integer',
      minimum: 1,
      maximum: 3_650,
      default: DEFAULTS.keepDays,
    },
  },
});

/** `core.deliveries` as it is in force, for what is not a face. */
export function deliveriesSettings({ core }: Settings): DeliveriesConfig {
  return { ...DEFAULTS, ...core['deliveries'] };
}
