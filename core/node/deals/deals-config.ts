import type { Settings } from '../../internal-services.ts';
import { parseUsdc } from '../../platform/usdc.ts';
import { type TypedSchema, typed } from '../../plugin.ts';
import type { PartnerLimits } from '../../protocol/deals/partner-limits.ts';

/** `core.deals` of plugins.json. */
export interface DealsConfig {
  readonly followVerdict: boolean;
  readonly partnerStart: string;
  readonly partnerLimit: string;
  readonly minBondBps: number;
  readonly maxDisputes: number;
  readonly maxDisputedPercent: number;
}

const DEFAULTS: DealsConfig = {
  followVerdict: true,
  partnerStart: '5',
  partnerLimit: '100',
  minBondBps: 5_000,
  maxDisputes: 2,
  maxDisputedPercent: 30,
};

const usdc = { type: 'string', pattern: '^(0|[1-9][0-9]{0,11})(\\.[0-9]{1,6})?$' };

export const dealsConfig: TypedSchema<DealsConfig> = typed<DealsConfig>({
  type: 'object',
  additionalProperties: false,
  properties: {
    followVerdict: {
      description:
        "As requester, do by oneself what the agreed notary's VERDICT says: approve, or dispute at the lowest offer.",
      type: 'boolean',
      default: DEFAULTS.followVerdict,
    },
    partnerStart: {
      description:
        'USDC that a deal with a partner without history may be worth, as provider with escrow. It doubles with every two deals that settle well.',
      ...usdc,
      default: DEFAULTS.partnerStart,
    },
    partnerLimit: {
      description: 'The most USDC that it may grow to, whoever the partner is.',
      ...usdc,
      default: DEFAULTS.partnerLimit,
    },
    minBondBps: {
      description:
        'The least bond, in basis points of the amount, that this provider wants of a requester without settled deals, unless a notary is agreed.',
      type: 'integer',
      minimum: 0,
      maximum: 20_000,
      default: DEFAULTS.minBondBps,
    },
    maxDisputes: {
      description:
        'Requesters with more disputes than this are refused when too large a part of their deals is disputed.',
      type: 'integer',
      minimum: 0,
      maximum: 1_000,
      default: DEFAULTS.maxDisputes,
    },
    maxDisputedPercent: {
      description: 'That part, in per cent.',
      type: 'integer',
      minimum: 0,
      maximum: 100,
      default: DEFAULTS.maxDisputedPercent,
    },
  },
});

/** `core.deals` as it is in force, for what is not a face. */
export function dealsSettings({ core }: Settings): DealsConfig {
  return { ...DEFAULTS, ...core['deals'] };
}

export function partnerLimits(config: DealsConfig): PartnerLimits {
  const { partnerStart, partnerLimit, minBondBps, maxDisputes, maxDisputedPercent } = config;
  const [start, most] = [parseUsdc(partnerStart)!, parseUsdc(partnerLimit)!];
  return { start, most, minBondBps: BigInt(minBondBps), maxDisputes, maxDisputedPercent };
}
