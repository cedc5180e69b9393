import { MeshError } from '../../contracts/errors.ts';
import { formatUsdc } from '../../platform/usdc.ts';
import type { CapName } from './caps.ts';

export interface CapUse {
  readonly cap: CapName;
  /** Minor units. */
  readonly limit: bigint;
  readonly used: bigint;
  readonly needed: bigint;
  /** Unix milliseconds: from then on there is room, when nothing else is spent. Absent where waiting does not help. */
  readonly freeFrom?: number | undefined;
}

const MEANT: Readonly<Record<CapName, string>> = {
  maxEscrow: 'for one deal (bond included) or transfer',
  maxStake: 'at stake',
  maxPerDay: 'in 24 hours',
  maxPerPartnerPerDay: 'to one partner in 24 hours',
  maxX402PerDay: 'by x402 in 24 hours',
};

/** The refusal names the cap, the amounts used and left, the time of new room, and the setting that raises it. */
export function capRefusal({ cap, limit, used, needed, freeFrom }: CapUse): MeshError {
  const setting = `core.money.${cap}`;
  const flag = `--${cap.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  const left = limit > used ? limit - used : 0n;
  const frees = freeFrom === undefined ? undefined : new Date(freeFrom).toISOString();
  const detail = [
    `${setting} allows ${formatUsdc(limit)} USDC ${MEANT[cap]}:`,
    `${formatUsdc(used)} used, ${formatUsdc(left)} left, and this needs ${formatUsdc(needed)}; nothing was sent.`,
    frees === undefined ? 'Waiting does not help.' : `There is room from ${frees} on.`,
    `To allow more, start the node with a higher ${setting} (${flag}); read SECURITY.md first.`,
  ].join(' ');
  return new MeshError('spending_cap', {
    detail,
    extra: {
      cap: setting,
      limit_usdc: formatUsdc(limit),
      used_usdc: formatUsdc(used),
      left_usdc: formatUsdc(left),
      needed_usdc: formatUsdc(needed),
      free_from: frees ?? null,
    },
  });
}
