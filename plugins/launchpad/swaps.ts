import { type Collection, collection, invalidField, isMeshError, MeshError } from '../../core/plugin.ts';
import type { Contracts, Random, Self, Space, TransactionTerms } from '../../core/services.ts';
import { failed, type LaunchpadApi } from './api.ts';
import type { KnownTokens } from './known-tokens.ts';
import type { ExecuteReply, ExecuteRequest, SwapRequest } from './shapes.ts';
import type { Signing } from './signing.ts';
import { CALL_KNOWN_FOR, type StoredSwap } from './stored.ts';
import { SOL, units } from './tokens.ts';
import { base64Of, QUOTE, type Quote, SWAP } from './upstream.ts';

export interface SwapsOptions {
  readonly api: LaunchpadApi;
  readonly signing: Signing;
  readonly known: KnownTokens;
  readonly contracts: Contracts;
  readonly self: Self;
  readonly random: Random;
  readonly space: Space;
  readonly maxSlippageBps: number;
}

/** Fees, and the rent of what a swap may open; a sale opens nothing that stays. */
const COSTS = { buy: 10_000_000n, sell: 2_000_000n };
const BPS = 10_000n;
const MAX_UNITS = 2n ** 64n - 1n;
/** Refusals, with nothing sent, that a price which has moved may be behind. */
const BY_A_MOVE: readonly string[] = ['launchpad_refused', 'transaction_refused'];

/** A quote that was held against what was asked. */
interface Trade {
  readonly raw: object;
  readonly mint: string;
  readonly action: 'buy' | 'sell';
  readonly amountIn: bigint;
  /** The least that must come out. */
  readonly least: bigint;
}

/** By the operation of a caller, so that a call repeated after a crash swaps no second time. */
const operations: Collection<StoredSwap> = collection('swaps', {
  schema: 'launchpad/stored-swap',
  ttl: CALL_KNOWN_FOR,
});

/** Swaps between SOL and tokens of the launchpad. */
export class Swaps {
  readonly #options: SwapsOptions;

  constructor(options: SwapsOptions) {
    this.#options = options;
  }

  /** The quote as the launchpad gives it. */
  async quote({ token_mint, amount, action, slippage_bps }: SwapRequest): Promise<object> {
    const units = BigInt(amount);
    if (units > MAX_UNITS) throw invalidField('/amount', 'must be less than 2^64');
    if (token_mint === SOL) throw invalidField('/token_mint', 'is SOL itself, which is the other side of every swap');
    const [inputMint, outputMint] = action === 'buy' ? [SOL, token_mint] : [token_mint, SOL];
    return this.#options.api.get(QUOTE, '/trade/quote', {
      ...{ inputMint, outputMint, amount: units.toString() },
      ...(slippage_bps === undefined
        ? { slippageMode: 'auto' }
        : { slippageMode: 'manual', slippageBps: String(slippage_bps) }),
    });
  }

  /** `body` is the request as it came, since a quote goes on as it is. */
  async execute(request: ExecuteRequest, body: unknown, operation: string | undefined): Promise<ExecuteReply> {
    const done = operation === undefined ? undefined : await this.#done(operation);
    if (done) return done;
    const trade = await this.#trade(request, body);
    try {
      return await this.#swap(trade, operation);
    } catch (error) {
      throw isMeshError(error) && BY_A_MOVE.includes(error.code) ? await this.#reasonOf(error, trade) : error;
    }
  }

  async #swap(trade: Trade, operation: string | undefined): Promise<ExecuteReply> {
    const { api, signing, self, random, space, known } = this.#options;
    const { amountIn, mint, action } = trade;
    await signing.checkFunds(action === 'buy' ? { lamports: amountIn } : { tokens: { [mint]: amountIn } });
    const { swapTransaction } = await api.post(SWAP, '/trade/swap', {
      quoteResponse: trade.raw,
      userPublicKey: self.address,
    });
    let swap: StoredSwap = { amount_in: '0', amount_out: '0' };
    const name = Buffer.from(random.bytes(16)).toString('hex');
    const wanted = { key: keyOf(name), transaction: base64Of(swapTransaction), ...termsOf(trade) };
    const state = await signing.send(wanted, async (report) => {
      const out = action === 'buy' ? (report.tokens[mint] ?? 0n) : report.lamports;
      swap = { amount_in: amountIn.toString(), amount_out: (out > 0n ? out : 0n).toString(), name };
      await space.put(operations.ref(operation ?? name), swap);
      const [input_mint, output_mint] = action === 'buy' ? [SOL, mint] : [mint, SOL];
      const details = { token_mint: mint, input_mint, output_mint };
      const amounts = { input_amount: swap.amount_in, output_amount: swap.amount_out };
      return { type: 'swap', action, details: { ...details, ...amounts } };
    });
    await known.traded(mint);
    return replyOf(swap, state);
  }

  /** The launchpad and the ledger refuse what the market gives no more, and name no price: a new quote tells. */
  async #reasonOf(refusal: MeshError, { mint, action, amountIn, least }: Trade): Promise<MeshError> {
    const present = await this.quote({ token_mint: mint, amount: amountIn.toString(), action }).catch(() => undefined);
    const now = BigInt((present as Quote | undefined)?.outAmount ?? least);
    if (now >= least) return refusal;
    return new MeshError('launchpad_quote_changed', {
      detail: `The quote promised at least ${least}, and the market gives ${now} now; nothing was sent.`,
      extra: { quoted: least.toString(), now: now.toString() },
    });
  }

  async #done(operation: string): Promise<ExecuteReply | undefined> {
    const { space, signing } = this.#options;
    const swap = await space.get(operations.ref(operation));
    const state = swap && (await signing.found(keyOf(swap.name ?? operation)));
    return swap && state && replyOf(swap, state);
  }

  /** From the quote that was handed in, else from a new one; nothing in it is believed without being held against the request. */
  async #trade(request: ExecuteRequest, body: unknown): Promise<Trade> {
    const given = quoteIn(body);
    if (!given) {
      const swap = swapOf(request);
      return this.#checked(await this.quote(swap), swap, (reason) => failed(`its quote ${reason}`));
    }
    const { value, at } = given;
    const wrong = (reason: string) => invalidField(at, reason);
    const [problem] = this.#options.contracts.problems(QUOTE, value);
    if (problem) throw invalidField(`${at}${problem.pointer}`, problem.message);
    // Of a quote as the body itself, the slippage is the quote's own.
    return this.#checked(value, at === '' ? {} : request, wrong);
  }

  #checked(raw: object, wanted: Partial<SwapRequest>, wrong: (reason: string) => MeshError): Trade {
    const quote = raw as Quote;
    const { inputMint, outputMint } = quote;
    if ((inputMint === SOL) === (outputMint === SOL)) throw wrong('is no quote between SOL and a token');
    const action = inputMint === SOL ? 'buy' : 'sell';
    const mint = action === 'buy' ? outputMint : inputMint;
    const [amountIn, out] = [BigInt(quote.inAmount), BigInt(quote.outAmount)];
    const least = BigInt(quote.minOutAmount ?? quote.otherAmountThreshold ?? quote.outAmount);
    if (wanted.action !== undefined && wanted.action !== action) throw wrong(`is a quote to ${action}`);
    if (wanted.token_mint !== undefined && wanted.token_mint !== mint) throw wrong(`is a quote for ${mint}`);
    if (wanted.amount !== undefined && BigInt(wanted.amount) !== amountIn)
      throw wrong(`is a quote for an amount of ${amountIn}`);
    if (amountIn === 0n || amountIn > MAX_UNITS || out > MAX_UNITS) throw wrong('has an amount that no ledger has');
    if (least > out) throw wrong('asks for more than it promises');
    this.#checkSlippage(out, least, wanted.slippage_bps, wrong);
    return { raw, mint, action, amountIn, least };
  }

  #checkSlippage(out: bigint, least: bigint, asked: number | undefined, wrong: (reason: string) => MeshError): void {
    const { maxSlippageBps } = this.#options;
    // The launchpad may round the least down.
    if (asked !== undefined && least + 1n < leastOf(out, asked)) throw wrong(`allows more slippage than ${asked} bps`);
    if (least + 1n >= leastOf(out, maxSlippageBps)) return;
    const needed = out === 0n ? Number(BPS) : Number(((out - least) * BPS) / out);
    const detail = `plugins.launchpad.maxSlippageBps allows ${maxSlippageBps}, and the quote allows ${needed}; nothing was sent.`;
    const extra = { cap: 'plugins.launchpad.maxSlippageBps', limit: maxSlippageBps, needed };
    throw new MeshError('launchpad_cap', { detail, extra });
  }
}

function swapOf({ token_mint, amount, action, slippage_bps }: ExecuteRequest): SwapRequest {
  if (token_mint === undefined) throw invalidField('/token_mint', 'is required');
  if (amount === undefined) throw invalidField('/amount', 'is required');
  if (action === undefined) throw invalidField('/action', 'is required');
  return { token_mint, amount, action, ...(slippage_bps !== undefined && { slippage_bps }) };
}

/** The quote of a body as it came, with its place there. */
function quoteIn(body: unknown): { readonly value: object; readonly at: string } | undefined {
  const members = body as Readonly<Record<string, unknown>>;
  for (const name of ['quote', 'quote_response', 'quoteResponse']) {
    const value = members[name];
    if (typeof value === 'object' && value !== null) return { value, at: `/${name}` };
  }
  const isQuote = ['inputMint', 'outputMint', 'inAmount'].some((name) => Object.hasOwn(members, name));
  return isQuote ? { value: members, at: '' } : undefined;
}

function termsOf({ action, mint, amountIn, least }: Trade): TransactionTerms {
  if (action === 'buy') return { spend: { lamports: amountIn + COSTS.buy }, receive: { tokens: { [mint]: least } } };
  // The income pays for the costs, so the two are one amount.
  const tokens = { [mint]: amountIn };
  if (least <= COSTS.sell) return { spend: { lamports: COSTS.sell - least, tokens } };
  return { spend: { tokens }, receive: { lamports: least - COSTS.sell } };
}

function leastOf(out: bigint, bps: number): bigint {
  return (out * (BPS - BigInt(bps))) / BPS;
}

function keyOf(name: string): string {
  return `swap/${name}`;
}

function replyOf({ amount_in, amount_out }: StoredSwap, { signature, status }: { signature: string; status: string }) {
  const amounts = { amount_in: units(BigInt(amount_in)), amount_out: units(BigInt(amount_out)) };
  return { txid: signature, ...amounts, status: status as ExecuteReply['status'] };
}
