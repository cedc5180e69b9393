import type { SchemaTypes } from '../../../schemas/types.ts';
import { formatUsdc, ONE_USDC } from '../../money.ts';

const BASE = 10n * ONE_USDC;

/** Required against actual stake; `least` is the smallest stake the deployment accepts. */
export function requiredStake(agentId: string, stake: bigint, least = BASE): SchemaTypes['stake-required'] {
  const deficit = least > stake ? least - stake : 0n;
  return {
    agent_id: agentId,
    base_stake_usdc: usdc(least),
    required_stake_usdc: usdc(least),
    stake_usdc: usdc(stake),
    deficit_usdc: usdc(deficit),
  };
}

function usdc(minor: bigint): number {
  return Number(formatUsdc(minor));
}
