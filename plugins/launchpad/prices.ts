import { MeshError, type TypedSchema, typed } from '../../core/plugin.ts';
import type { Clock, Http } from '../../core/services.ts';
import { SOL } from './tokens.ts';

export interface Price {
  readonly usd: number;
  /** US dollars that lie in the market's pool, and that were traded in 24 hours. */
  readonly liquidity: number;
  readonly volume: number;
}

interface Pair {
  readonly baseToken: { readonly address: string };
  readonly priceUsd?: string | null;
  readonly liquidity?: { readonly usd?: number | null } | null;
  readonly volume?: { readonly h24?: number | null } | null;
}

const DOLLARS = { type: ['number', 'null'], minimum: 0 };
const PAIRS: TypedSchema<readonly Pair[]> = typed({
  type: 'array',
  maxItems: 1_000,
  items: {
    type: 'object',
    required: ['baseToken'],
    properties: {
      baseToken: { type: 'object', required: ['address'], properties: { address: { type: 'string' } } },
      priceUsd: { type: ['string', 'null'], pattern: '^[0-9.]{1,60}$' },
      liquidity: { type: ['object', 'null'], properties: { usd: DOLLARS } },
      volume: { type: ['object', 'null'], properties: { h24: DOLLARS } },
    },
  },
});

const KEPT_MS = 30_000;
const MOST_KEPT = 1_000;
/** Tokens of one call, by its documentation. */
const MOST_ASKED = 30;

/** Prices in US dollars by the pair of each token with the most liquidity. */
export class Prices {
  readonly #http: Http;
  readonly #clock: Clock;
  readonly #url: string;
  readonly #known = new Map<string, { readonly at: number; readonly price: Price | undefined }>();

  constructor({ http, clock }: { readonly http: Http; readonly clock: Clock }, url: string) {
    this.#http = http;
    this.#clock = clock;
    this.#url = url.replace(/\/$/, '');
  }

  /** Tokens that nobody trades are left out. Rejects with `upstream_failed` where the source fails. */
  async of(mints: readonly string[]): Promise<ReadonlyMap<string, Price>> {
    const now = this.#clock.now();
    const fresh = (mint: string) => (this.#known.get(mint)?.at ?? -KEPT_MS) + KEPT_MS > now;
    const wanted = [...new Set(mints)].filter((mint) => !fresh(mint));
    for (let first = 0; first < wanted.length; first += MOST_ASKED)
      await this.#ask(wanted.slice(first, first + MOST_ASKED), now);
    return new Map(
      mints.flatMap((mint) => {
        const price = this.#known.get(mint)?.price;
        return price ? [[mint, price] as const] : [];
      }),
    );
  }

  /** US dollars for one SOL. */
  async sol(): Promise<number> {
    const price = (await this.of([SOL])).get(SOL);
    if (!price) throw new MeshError('upstream_failed', 'The source of prices knows no price of SOL.');
    return price.usd;
  }

  async #ask(mints: readonly string[], now: number): Promise<void> {
    const pairs = await this.#http.json(PAIRS, `${this.#url}/tokens/v1/solana/${mints.join(',')}`);
    if (this.#known.size + mints.length > MOST_KEPT) this.#known.clear();
    for (const mint of mints) {
      const own = pairs.filter((pair) => pair.baseToken.address === mint && Number(pair.priceUsd) > 0).map(priceOf);
      own.sort((one, other) => other.liquidity - one.liquidity);
      this.#known.set(mint, { at: now, price: own[0] });
    }
  }
}

function priceOf({ priceUsd, liquidity, volume }: Pair): Price {
  return { usd: Number(priceUsd), liquidity: liquidity?.usd ?? 0, volume: volume?.h24 ?? 0 };
}
