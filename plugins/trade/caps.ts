import { type Collection, collection, MeshError, spendingWindow } from '../../core/plugin.ts';
import type { Clock, Space } from '../../core/services.ts';
import type { TradeConfig } from './config.ts';
import type { Day } from './stored.ts';

const LAST_QUARTER_MS = 45 * 60_000;

const days: Collection<Day> = collection('days', { schema: 'trade/day' });
const day = days.ref('trades');

/** Limits on the worth of trades, of one and of 24 hours. Counted before anything is built; given back when nothing was sent. */
export class TradeCaps {
  readonly #space: Space;
  readonly #clock: Clock;
  readonly #config: TradeConfig;

  constructor(services: { readonly space: Space; readonly clock: Clock }, config: TradeConfig) {
    this.#space = services.space;
    this.#clock = services.clock;
    this.#config = config;
  }

  /** Runs `trade` with `usd` counted; a throw of it gives them back. */
  async within<T>(usd: number, trade: () => Promise<T>): Promise<T> {
    const { maxUsdPerTrade, maxUsdPerDay } = this.#config;
    if (usd > maxUsdPerTrade) throw refusal('maxUsdPerTrade', maxUsdPerTrade, 0, usd);
    const cents = Math.ceil(usd * 100);
    const at = this.#clock.now();
    await this.#space.tx([day], (tx) => {
      const window = windowOf(tx.get(day));
      const used = Number(spendingWindow.spentIn(window, at));
      if (used + cents > Math.round(maxUsdPerDay * 100)) throw refusal('maxUsdPerDay', maxUsdPerDay, used / 100, usd);
      tx.put(day, spendingWindow.withSpent(window, at, BigInt(cents)));
    });
    try {
      return await trade();
    } catch (error) {
      await this.#space.tx([day], (tx) =>
        tx.put(day, spendingWindow.withoutSpent(windowOf(tx.get(day)), spendingWindow.quarterOf(at), BigInt(cents))),
      );
      throw error;
    }
  }
}

/** An amount that was stored by the hour counts as if it had been traded in the last quarter of it. */
function windowOf(found: Day | undefined): spendingWindow.SpendingWindow {
  if (found === undefined) return spendingWindow.EMPTY;
  if ('quarters' in found) return found;
  return { quarters: found.hours.map(({ from, cents }) => ({ from: from + LAST_QUARTER_MS, amount: String(cents) })) };
}

function refusal(cap: 'maxUsdPerTrade' | 'maxUsdPerDay', limit: number, used: number, needed: number): MeshError {
  const meant = cap === 'maxUsdPerDay' ? 'in 24 hours' : 'for one trade';
  const detail = `plugins.trade.${cap} allows ${dollars(limit)} ${meant}: ${dollars(used)} used, and this is worth ${dollars(needed)}; nothing was sent.`;
  const extra = {
    cap: `plugins.trade.${cap}`,
    limit_usd: limit,
    used_usd: used,
    needed_usd: Math.round(needed * 100) / 100,
  };
  return new MeshError('trade_cap', { detail, extra });
}

function dollars(usd: number): string {
  return `$${usd.toFixed(2)}`;
}
