import { parseUsdc } from '../../platform/usdc.ts';
import { type TypedSchema, typed } from '../../plugin.ts';
import type { LeasePolicy } from './lease-policy.ts';

/** `core.lease` of plugins.json. */
export interface LeaseConfig {
  readonly pay: LeasePolicy['pay'];
  readonly ahead: number;
  readonly maxAmount: string;
  readonly budget: string;
  /** Absent: only agents whose lease is deactivated are kept out, where the mesh asks for leases. */
  readonly gate?: boolean;
}

const usdc = { type: 'string', pattern: '^(0|[1-9][0-9]{0,12})(\\.[0-9]{1,6})?$' };

export const leaseConfig: TypedSchema<LeaseConfig> = typed<LeaseConfig>({
  type: 'object',
  additionalProperties: false,
  properties: {
    pay: {
      description: 'When the node pays its lease by itself: while it has a stake, always, or never.',
      enum: ['staked', 'always', 'never'],
      default: 'staked',
    },
    ahead: { description: 'Epochs paid beyond the present one.', type: 'integer', minimum: 0, maximum: 29, default: 0 },
    maxAmount: { description: 'The most USDC one automatic payment may cost.', ...usdc, default: '5' },
    budget: { description: 'The most USDC automatic payments may cost in 30 epochs.', ...usdc, default: '40' },
    gate: {
      description:
        'true: take envelopes only from agents whose lease is paid or in grace; false: from all. Without it agents whose lease is deactivated are kept out where the mesh asks for leases, and those that never had one are let in.',
      type: 'boolean',
    },
  },
});

export function leasePolicy({ pay, ahead, maxAmount, budget }: LeaseConfig): LeasePolicy {
  return { pay, ahead, maxAmount: parseUsdc(maxAmount)!, budget: parseUsdc(budget)! };
}
