import type { Settings } from '../../internal-services.ts';
import { formatUsdc, parseUsdc } from '../../platform/usdc.ts';
import { type TypedSchema, typed } from '../../plugin.ts';

/** `core.money` of plugins.json. */
export type MoneyConfig = Readonly<Record<CapName, string>>;
export type CapName = 'maxEscrow' | 'maxStake' | 'maxPerDay' | 'maxPerPartnerPerDay' | 'maxX402PerDay';

/** The most that may leave this node's wallet, in minor units. */
export type Caps = Readonly<Record<CapName, bigint>>;

/** The most that one payment by x402 takes, in minor units; the specification's. */
export const MAX_X402 = 10_000_000n;

/** Small, because nobody has audited the program or the node (decision 020). */
const DEFAULTS: MoneyConfig = {
  ...{ maxEscrow: '25', maxStake: '100', maxPerDay: '100', maxPerPartnerPerDay: '50' },
  maxX402PerDay: '25',
};

const usdc = { type: 'string', pattern: '^(0|[1-9][0-9]{0,12})(\\.[0-9]{1,6})?$' };

export const moneyConfig: TypedSchema<MoneyConfig> = typed<MoneyConfig>({
  type: 'object',
  additionalProperties: false,
  properties: {
    maxEscrow: {
      description:
        'The most USDC one deal may take from the wallet: the locked amount with its bond, or the payment. The same for one transfer of a plugin.',
      ...usdc,
      default: DEFAULTS.maxEscrow,
    },
    maxStake: { description: 'The most USDC that may be at stake.', ...usdc, default: DEFAULTS.maxStake },
    maxPerDay: {
      description: 'The most USDC that may leave the wallet in 24 hours, for whatever.',
      ...usdc,
      default: DEFAULTS.maxPerDay,
    },
    maxPerPartnerPerDay: {
      description:
        'The most USDC that deals with one partner, and transfers of plugins to it, may take from the wallet in 24 hours.',
      ...usdc,
      default: DEFAULTS.maxPerPartnerPerDay,
    },
    maxX402PerDay: {
      description:
        'The most USDC that payments by x402 may take from the wallet in 24 hours. One of them takes 10 at most.',
      ...usdc,
      default: DEFAULTS.maxX402PerDay,
    },
  },
});

/** The caps of a configuration that was checked. */
export function capsOf({ core }: Pick<Settings, 'core'>): Caps {
  const given: Partial<MoneyConfig> = core['money'] ?? {};
  const cap = (name: CapName) => parseUsdc(given[name] ?? DEFAULTS[name])!;
  return {
    maxEscrow: cap('maxEscrow'),
    maxStake: cap('maxStake'),
    maxPerDay: cap('maxPerDay'),
    maxPerPartnerPerDay: cap('maxPerPartnerPerDay'),
    maxX402PerDay: cap('maxX402PerDay'),
  };
}

/** For the boot report. */
export function capsLine({ maxEscrow, maxStake, maxPerDay, maxPerPartnerPerDay, maxX402PerDay }: Caps): string {
  const all = [maxEscrow, maxStake, maxPerDay, maxPerPartnerPerDay, maxX402PerDay];
  const [escrow, stake, day, partner, x402] = all.map(formatUsdc);
  return `caps: ${escrow} USDC a deal, ${stake} at stake, ${day} in 24 hours, ${partner} of it to one partner, ${x402} by x402 (core.money); unaudited, see SECURITY.md`;
}
