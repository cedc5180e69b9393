import { type Collection, collection, MeshError } from '../../core/plugin.ts';
import type { Clock, Space } from '../../core/services.ts';
import type { TradeConfig } from './config.ts';
import type { Day } from './stored.ts';

const DAY_MS = 24 * 3_600_000;
const HOUR_MS = 3_600_000;

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
    const from = this.#clock.now() - (this.#clock.now() % HOUR_MS);
    await this.#space.tx([day], (tx) => {
      const hours = (tx.get(day)?.hours ?? []).filter((hour) => hour.from + DAY_MS > tx.now - HOUR_MS);
      const used = hours.reduce((sum, hour) => sum + hour.cents, 0);
      if (used + cents > Math.round(maxUsdPerDay * 100)) throw refusal('maxUsdPerDay', maxUsdPerDay, used / 100, usd);
      tx.put(day, { hours: added(hours, from, cents) });
    });
    try {
      return await trade();
    } catch (error) {
      await this.#space.tx([day], (tx) => tx.put(day, { hours: added(tx.get(day)?.hours ?? [], from, -cents) }));
      throw error;
    }
  }
}

function added(hours: Day['hours'], from: number, cents: number): Day['hours'] {
  const before = hours.find((hour) => hour.from === from)?.cents ?? 0;
  const others = hours.filter((hour) => hour.from !== from);
  return [...others, { from, cents: Math.max(0, before + cents) }].slice(-26);
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
