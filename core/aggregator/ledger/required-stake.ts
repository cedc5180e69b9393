import type { SchemaTypes } from '../../../schemas/types.ts';
import { formatUsdc, ONE_USDC } from '../../platform/usdc.ts';
import { DEFAULT_PARAMETERS, FLAGGED, ONE } from '../analytics/parameters.ts';

const BASE = 10n * ONE_USDC;
/** One abandoned deal may be an accident; each further one asks for one base more, up to so many. */
const FREE = 1;
const MOST_BASES = 8n;

export interface Staked {
  /** Minor units staked on the ledger. */
  readonly stake: bigint;
  /** Deals that the agent was to deliver and did not. */
  readonly abandoned: number;
  /** Its present anomaly, and C of its cluster by behaviour, in millionths; 0 unless given. */
  readonly anomaly?: number;
  readonly coordination?: number;
  /** The smallest stake the deployment accepts. */
  readonly least?: bigint | undefined;
}

/**
 * Required against actual stake. Only a flagged agent is asked for more by the analytics: few deals with few partners are
 * a small anomaly, and no reason to turn somebody away who has staked the base.
 */
export function requiredStake(
  agentId: string,
  { stake, abandoned, anomaly = 0, coordination = 0, least = BASE }: Staked,
): SchemaTypes['stake-required'] {
  const bases = 1n + BigInt(Math.max(0, abandoned - FREE));
  const { anomaly: beta1, coordination: beta3 } = DEFAULT_PARAMETERS;
  const risk = anomaly > FLAGGED ? BigInt(Math.round(beta1 * anomaly + beta3 * coordination)) : 0n;
  const required = least * (bases < MOST_BASES ? bases : MOST_BASES) + (least * risk) / BigInt(ONE);
  const deficit = required > stake ? required - stake : 0n;
  return {
    agent_id: agentId,
    base_stake_usdc: usdc(least),
    current_anomaly: anomaly / ONE,
    c_coefficient: coordination / ONE,
    beta_1: beta1,
    beta_3: beta3,
    required_stake_usdc: usdc(required),
    stake_usdc: usdc(stake),
    deficit_usdc: usdc(deficit),
  };
}

function usdc(minor: bigint): number {
  return Number(formatUsdc(minor));
}
