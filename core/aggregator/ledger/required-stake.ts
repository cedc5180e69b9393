import type { SchemaTypes } from '../../../schemas/types.ts';
import { formatUsdc, ONE_USDC } from '../../platform/usdc.ts';

const BASE = 10n * ONE_USDC;
/** One abandoned deal may be an accident; each further one asks for one base more, up to so many. */
const FREE = 1;
const MOST_BASES = 8n;

export interface Staked {
  /** Minor units staked on the ledger. */
  readonly stake: bigint;
  /** Deals that the agent was to deliver and did not. */
  readonly abandoned: number;
  /** The smallest stake the deployment accepts. */
  readonly least?: bigint | undefined;
}

/** Required against actual stake. */
export function requiredStake(
  agentId: string,
  { stake, abandoned, least = BASE }: Staked,
): SchemaTypes['stake-required'] {
  const bases = 1n + BigInt(Math.max(0, abandoned - FREE));
  const required = least * (bases < MOST_BASES ? bases : MOST_BASES);
  const deficit = required > stake ? required - stake : 0n;
  return {
    agent_id: agentId,
    base_stake_usdc: usdc(least),
    required_stake_usdc: usdc(required),
    stake_usdc: usdc(stake),
    deficit_usdc: usdc(deficit),
  };
}

function usdc(minor: bigint): number {
  return Number(formatUsdc(minor));
}
