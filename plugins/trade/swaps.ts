import { collection, MeshError, OneByOne } from '../../core/plugin.ts';
import type {
  Clock,
  LedgerAccounts,
  Random,
  Self,
  Space,
  TransactionEntry,
  TransactionRequest,
  TransactionState,
} from '../../core/services.ts';
import type { TradeCaps } from './caps.ts';
import { checkMints, checkPair, unitsOf, worthOf } from './checks.ts';
import type { TradeConfig } from './config.ts';
import { checkQuoted, quotedBy } from './quotes.ts';
import { COSTS, type Sending, sent, spending } from './sending.ts';
import type { TradingService } from './service.ts';
import type { PendingSwap, SwapReply, SwapRequest } from './shapes.ts';
import type { Asked, Waiting } from './stored.ts';
import { type Pair, SOL } from './tokens.ts';

export interface SwapsOptions {
  readonly service: TradingService;
  readonly sending: Sending;
  readonly caps: TradeCaps;
  readonly accounts: LedgerAccounts;
  readonly self: Self;
  readonly clock: Clock;
  readonly random: Random;
  readonly space: Space;
  readonly config: TradeConfig;
}

const DEFAULT_SLIPPAGE_BPS = 50;
const BPS = 10_000n;
const PENDING_MS = 300_000;
const MOST_PENDING = 100;

const waiting = collection<Waiting, 'age'>('waiting', {
  schema: 'trade/waiting',
  ttl: PENDING_MS,
  indexes: { age: ({ created }) => [created] },
});
/** Swaps that were asked for lately, so that a late confirmation is told from one of nothing. */
const asked = collection<Asked>('asked', { schema: 'trade/asked', ttl: 24 * 3_600_000 });

/** Swaps with the wallet of this agent, within what the operator allows and what the prices of the moment say. */
export class Swaps {
  readonly #options: SwapsOptions;
  /** Confirmations and rejections, those of one swap one after the other. */
  readonly #turns = new OneByOne();

  constructor(options: SwapsOptions) {
    this.#options = options;
  }

  async swap(request: SwapRequest, operation: string | undefined): Promise<SwapReply> {
    const { config, accounts } = this.#options;
    const amount = unitsOf(request.amount, '/amount');
    checkPair(request);
    const quoted = quotedBy(request, amount);
    const done = await this.#done(operation);
    if (done) return done;
    await checkMints(accounts, request);
    const asks =
      config.confirm === 'always' || (config.confirm === 'unknown' && !(await this.#isKnown(request.output_mint)));
    if (asks && !request.force) return this.#ask(request, amount, quoted);
    return this.#swap(request, amount, quoted, [operation]);
  }

  async pending(): Promise<readonly PendingSwap[]> {
    const found = await this.#options.space.page(waiting, { index: 'age', limit: MOST_PENDING });
    const done = await Promise.all(found.map(({ id }) => this.#done(confirmationOf(id))));
    return found.filter((_, index) => !done[index]).map(({ id, value }) => shown(id, value));
  }

  confirm(id: string, operation: string | undefined): Promise<SwapReply> {
    return this.#turns.run(id, async () => {
      const done = await this.#done(operation);
      if (done) return done;
      const swap = await this.#waiting(id);
      const confirmation = confirmationOf(id);
      const quoted = swap.quoted === undefined ? undefined : BigInt(swap.quoted);
      const reply =
        (await this.#done(confirmation)) ??
        (await this.#swap(swap, BigInt(swap.amount), quoted, [operation, confirmation]));
      await this.#end(id);
      return reply;
    });
  }

  reject(id: string): Promise<{ status: 'rejected'; swap_id: string }> {
    return this.#turns.run(id, async () => {
      await this.#waiting(id);
      if (await this.#done(confirmationOf(id))) throw over();
      await this.#end(id);
      return { status: 'rejected', swap_id: id };
    });
  }

  /** The answer to an operation whose transaction was sent before. */
  async #done(operation: string | undefined): Promise<SwapReply | undefined> {
    const done = await this.#options.sending.done(operation);
    return done && swapReply(done.state, BigInt(done.inAmount ?? '0'), BigInt(done.outAmount ?? '0'));
  }

  async #swap(
    request: SwapRequest,
    amount: bigint,
    quoted: bigint | undefined,
    operations: readonly (string | undefined)[],
  ): Promise<SwapReply> {
    const { service, self, sending } = this.#options;
    const { input_mint, output_mint, slippage_bps: slippageBps = DEFAULT_SLIPPAGE_BPS } = request;
    const value = await worthOf(service, input_mint, amount);
    return this.#options.caps.within(value, async () => {
      const built = await service.swap({ input_mint, output_mint, amount, slippageBps }, self.address);
      const least = leastOf(built.outAmount, slippageBps);
      checkQuoted(quoted, built.outAmount);
      await this.#checkPrice(request, amount, least);
      const terms = { ...spending(input_mint, amount), ...receiving(output_mint, least) };
      const report = await sending.inspected({ transaction: built.transaction, ...terms });
      const out = output_mint === SOL ? report.lamports : (report.tokens[output_mint] ?? 0n);
      const amounts = { inAmount: amount.toString(), outAmount: out.toString() };
      const entry: TransactionEntry = {
        ...{ type: 'swap', action: 'swap' },
        details: { input_mint, output_mint, input_amount: amounts.inAmount, output_amount: amounts.outAmount },
      };
      const wanted = { transaction: built.transaction, ...terms, entry };
      const state = await sending.send(operations, wanted, amounts);
      return swapReply(state, amount, out);
    });
  }

  async #isKnown(mint: string): Promise<boolean> {
    const { config, service } = this.#options;
    if (config.known.includes(mint)) return true;
    const found = await service.tokens(mint);
    return found.some(({ id, isVerified }) => id === mint && isVerified === true);
  }

  async #ask(
    { input_mint, output_mint, slippage_bps = DEFAULT_SLIPPAGE_BPS }: SwapRequest,
    amount: bigint,
    quoted: bigint | undefined,
  ): Promise<SwapReply> {
    const { random, space, clock } = this.#options;
    const id = Buffer.from(random.bytes(8)).toString('hex');
    if ((await space.count(waiting, 'age')) >= MOST_PENDING)
      throw new MeshError('rate_limited', { detail: `${MOST_PENDING} swaps wait for a confirmation.`, retryAfter: 60 });
    const swap: Waiting = {
      ...{ input_mint, output_mint, amount: amount.toString(), slippage_bps, created: clock.now() },
      ...(quoted !== undefined && { quoted: quoted.toString() }),
    };
    await space.tx([], (tx) => {
      tx.put(waiting.ref(id), swap);
      tx.put(asked.ref(id), { at: tx.now });
    });
    return {
      status: 'pending_confirmation',
      swap_id: id,
      message: 'Nothing was done: confirm the swap, or reject it.',
      expires_at: shown(id, swap).expires_at,
    };
  }

  /** A swap that waits, or whose confirmation has not been answered. */
  async #waiting(id: string): Promise<Waiting> {
    const { space } = this.#options;
    const found = await space.get(waiting.ref(id));
    if (found) return found;
    if (await space.get(asked.ref(id))) throw over();
    throw new MeshError('not_found', `No swap ${id} waits for a confirmation.`);
  }

  async #end(id: string): Promise<void> {
    await this.#options.space.tx([], (tx) => tx.del(waiting.ref(id)));
  }

  /** The worst result must be worth nearly what it costs, whatever the service calls its price impact. */
  async #checkPrice({ input_mint, output_mint }: Pair, amount: bigint, least: bigint): Promise<void> {
    const { config, service } = this.#options;
    const [gives, takes] = await Promise.all([
      worthOf(service, input_mint, amount),
      worthOf(service, output_mint, least),
    ]);
    if (takes >= gives * (1 - config.maxLossBps / 10_000)) return;
    const detail = `The result may be worth $${takes.toFixed(2)}, and what it costs is worth $${gives.toFixed(2)}; plugins.trade.maxLossBps allows ${config.maxLossBps / 100} % less. Nothing was sent.`;
    throw new MeshError('price_moved', { detail, extra: { gives_usd: gives, takes_usd: takes } });
  }
}

/** The operation of confirming a swap, whoever's call it is. */
function confirmationOf(id: string): string {
  return `confirm/${id}`;
}

function over(): MeshError {
  return new MeshError('swap_over', 'This swap was confirmed or rejected already, or its five minutes are over.');
}

function leastOf(out: bigint, slippageBps: number): bigint {
  return (out * (BPS - BigInt(slippageBps))) / BPS;
}

function receiving(mint: string, least: bigint): Pick<TransactionRequest, 'receive'> {
  if (mint !== SOL) return { receive: { tokens: { [mint]: least } } };
  return least > COSTS ? { receive: { lamports: least - COSTS } } : {};
}

function shown(id: string, { created, ...swap }: Waiting): PendingSwap {
  const at = (ms: number) => new Date(ms).toISOString();
  return { swap_id: id, ...swap, created_at: at(created), expires_at: at(created + PENDING_MS) };
}

function swapReply(state: TransactionState, given: bigint, got: bigint): SwapReply {
  const { txid, status } = sent(state);
  return { status, in_amount: given.toString(), out_amount: got.toString(), txid, signature: txid };
}
