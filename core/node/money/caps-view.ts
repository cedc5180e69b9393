import type { SchemaTypes } from '../../../schemas/types.ts';
import { fallsTo, type SpendingWindow, spentIn } from '../../platform/spending-window.ts';
import { formatUsdc } from '../../platform/usdc.ts';
import { type Caps, MAX_X402 } from './caps.ts';

export function capsView(
  caps: Caps,
  day: SpendingWindow,
  x402: SpendingWindow,
  partner: SpendingWindow | undefined,
  now: number,
): SchemaTypes['portfolio-caps'] {
  return {
    max_escrow_usdc: formatUsdc(caps.maxEscrow),
    max_stake_usdc: formatUsdc(caps.maxStake),
    day: use(caps.maxPerDay, day, now),
    x402: use(caps.maxX402PerDay, x402, now),
    max_x402_usdc: formatUsdc(MAX_X402),
    partner_limit_usdc: formatUsdc(caps.maxPerPartnerPerDay),
    ...(partner && { partner: use(caps.maxPerPartnerPerDay, partner, now) }),
  };
}

function use(limit: bigint, window: SpendingWindow, now: number): SchemaTypes['cap-use'] {
  const used = spentIn(window, now);
  return {
    limit_usdc: formatUsdc(limit),
    used_usdc: formatUsdc(used),
    left_usdc: formatUsdc(limit > used ? limit - used : 0n),
    unused_from: used === 0n ? null : new Date(fallsTo(window, now, 0n)).toISOString(),
  };
}
