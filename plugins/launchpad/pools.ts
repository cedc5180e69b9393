import bs58 from 'bs58';
import { isMeshError, MeshError } from '../../core/plugin.ts';
import type { LedgerAccounts, ProgramAccount, Self } from '../../core/services.ts';
import { failed, type LaunchpadApi } from './api.ts';
import type { KnownTokens } from './known-tokens.ts';
import type { Prices } from './prices.ts';
import type { PoolReply, Position } from './shapes.ts';
import { SOL, units } from './tokens.ts';
import { POOL_KEYS, type PoolKeys } from './upstream.ts';

export interface PoolsOptions {
  readonly api: LaunchpadApi;
  readonly accounts: LedgerAccounts;
  readonly prices: Prices;
  readonly known: KnownTokens;
  readonly self: Self;
}

/** The content of a pool's account. */
interface Reserves {
  readonly lamports: bigint;
  readonly tokens: bigint;
  /** Lamports for one unit of the token. */
  readonly price: number;
}

/** A bonding curve (Meteora DBC), and the pool that follows it once it is full (DAMM v2). */
const CURVE = { program: 'dbcij3LWUppWqq96dh6gJWwBifmcGfLSB5D4DuSMaqN', mark: [213, 224, 5, 209, 98, 69, 119, 92] };
const POOL = { program: 'cpamdpZCGKUy5JxQXB4dcpGPiikHawvSWAd6mEn1sGG', mark: [241, 154, 109, 4, 17, 177, 109, 188] };
const CURVE_AT = { mint: 136, tokens: 232, lamports: 240, price: 280, bytes: 424 };
const POOL_AT = { first: 168, reserve: 376, other: 384, price: 456, bytes: 1_112 };
const DECIMALS_AT = 44;
const LAMPORTS = 1e9;
const PRICE_BITS = 64n;
/** Tokens that are looked up at the launchpad for one list of positions: it counts calls by the hour. */
const LOOKUPS = 20;

/** Pools of tokens by the ledger's own accounts, and what this wallet holds of such tokens. */
export class Pools {
  readonly #options: PoolsOptions;

  constructor(options: PoolsOptions) {
    this.#options = options;
  }

  async pool(mint: string): Promise<PoolReply> {
    const { accounts, prices } = this.#options;
    const keys = await this.#keys(mint);
    if (!keys) throw new MeshError('not_found', `The launchpad has no pool of ${mint}.`);
    const address = keys.dammV2PoolKey ?? keys.dbcPoolKey;
    const [account, token] = await accounts.latest([address, mint]);
    if (!account || !token) throw failed(`its pool ${address} is not on the ledger`);
    const reserves = keys.dammV2PoolKey ? poolOf(account, mint) : curveOf(account, mint);
    if (!reserves) throw failed(`the account ${address} is no pool of ${mint}`);
    const found = (await prices.of([mint, SOL])).get(mint);
    const sol = await prices.sol();
    // A market that nobody has listed yet has the price of its pool, and both sides of a pool are worth the same.
    const usd = found?.usd ?? (reserves.price * 10 ** (token.data[DECIMALS_AT] ?? 0) * sol) / LAMPORTS;
    return {
      token_mint: mint,
      sol_reserves: units(reserves.lamports),
      token_reserves: units(reserves.tokens),
      price_usd: usd,
      tvl_usd: found?.liquidity ?? (2 * Number(reserves.lamports) * sol) / LAMPORTS,
      volume_24h_usd: found?.volume ?? 0,
    };
  }

  async positions(): Promise<Position[]> {
    const { accounts, prices, self } = this.#options;
    const { tokens } = await accounts.holdings(self.address);
    const usdc = accounts.usdcMint;
    const held = tokens.filter(({ mint }) => mint !== usdc && mint !== SOL);
    const own = await this.#ofLaunchpad(held.map(({ mint }) => mint));
    const shown = held.filter(({ mint }) => own.has(mint));
    const found = await prices.of(shown.map(({ mint }) => mint));
    return shown.map(({ mint, amount, decimals }) => ({
      token_mint: mint,
      balance: amount.toString(),
      value_usd: (Number(amount) / 10 ** decimals) * (found.get(mint)?.usd ?? 0),
    }));
  }

  /** Those that were launched or traded here, and those of which the launchpad has a pool. */
  async #ofLaunchpad(mints: readonly string[]): Promise<ReadonlySet<string>> {
    const { known } = this.#options;
    const own = new Set<string>();
    let lookups = 0;
    for (const mint of mints) {
      const word = await known.isOfLaunchpad(mint);
      if (word === undefined && lookups++ < LOOKUPS) {
        const isThere = (await this.#keys(mint)) !== undefined;
        await known.looked(mint, isThere);
        if (isThere) own.add(mint);
      } else if (word) own.add(mint);
    }
    return own;
  }

  async #keys(mint: string): Promise<PoolKeys | undefined> {
    try {
      return await this.#options.api.get(POOL_KEYS, '/solana/bags/pools/token-mint', { tokenMint: mint });
    } catch (error) {
      if (isMeshError(error) && error.code === 'launchpad_refused') return undefined;
      throw error;
    }
  }
}

function curveOf({ owner, data }: ProgramAccount, mint: string): Reserves | undefined {
  const bytes = Buffer.from(data);
  if (owner !== CURVE.program || bytes.length < CURVE_AT.bytes || !isMarked(bytes, CURVE.mark)) return undefined;
  if (addressAt(bytes, CURVE_AT.mint) !== mint) return undefined;
  return {
    tokens: bytes.readBigUInt64LE(CURVE_AT.tokens),
    lamports: bytes.readBigUInt64LE(CURVE_AT.lamports),
    price: squared(bytes, CURVE_AT.price),
  };
}

/** The token may be either side of its pool; the price is that of the first in the second. */
function poolOf({ owner, data }: ProgramAccount, mint: string): Reserves | undefined {
  const bytes = Buffer.from(data);
  if (owner !== POOL.program || bytes.length < POOL_AT.bytes || !isMarked(bytes, POOL.mark)) return undefined;
  const sides = [addressAt(bytes, POOL_AT.first), addressAt(bytes, POOL_AT.first + 32)];
  const reserves = [bytes.readBigUInt64LE(POOL_AT.reserve), bytes.readBigUInt64LE(POOL_AT.other)];
  const price = squared(bytes, POOL_AT.price);
  const side = sides.indexOf(mint);
  if (side < 0 || sides[1 - side] !== SOL) return undefined;
  const isFirst = side === 0;
  return { tokens: reserves[side]!, lamports: reserves[1 - side]!, price: isFirst || price === 0 ? price : 1 / price };
}

function isMarked(bytes: Buffer, mark: readonly number[]): boolean {
  return mark.every((byte, index) => bytes[index] === byte);
}

/** A price is kept as its root in 64 binary places. */
function squared(bytes: Buffer, at: number): number {
  const root = bytes.readBigUInt64LE(at) + (bytes.readBigUInt64LE(at + 8) << PRICE_BITS);
  return (Number(root) / 2 ** 64) ** 2;
}

function addressAt(bytes: Buffer, at: number): string {
  return bs58.encode(bytes.subarray(at, at + 32));
}
