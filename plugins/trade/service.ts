import { MeshError, type TypedSchema, typed } from '../../core/plugin.ts';
import type { Contracts, Http } from '../../core/services.ts';
import type { TradeConfig } from './config.ts';
import type { Pair } from './tokens.ts';

const TIMEOUT_MS = 15_000;
const MAX_DETAIL = 300;

/** A swap that the trading service has built: our signature is all it lacks. */
export interface BuiltSwap {
  readonly inAmount: bigint;
  readonly outAmount: bigint;
  readonly least: bigint;
  readonly transaction: string;
}

export interface Price {
  readonly usdPrice: number;
  readonly decimals: number;
}

interface Wanted extends Pair {
  readonly amount: bigint;
  readonly slippageBps: number;
}

const UNITS = { type: 'string', pattern: '^[0-9]{1,20}$' };
const TRANSACTION = { type: 'string', minLength: 1, maxLength: 2_000 };
const ORDER: TypedSchema<{
  inputMint: string;
  outputMint: string;
  inAmount: string;
  outAmount: string;
  otherAmountThreshold: string;
  transaction?: string | null;
  errorCode?: number;
  errorMessage?: string;
}> = typed({
  type: 'object',
  required: ['inputMint', 'outputMint', 'inAmount', 'outAmount', 'otherAmountThreshold'],
  properties: {
    inputMint: { type: 'string' },
    outputMint: { type: 'string' },
    inAmount: UNITS,
    outAmount: UNITS,
    otherAmountThreshold: UNITS,
    transaction: { type: ['string', 'null'], maxLength: 2_000 },
    errorCode: { type: 'integer' },
    errorMessage: { type: 'string' },
  },
});
const PRICES: TypedSchema<Record<string, Price | null>> = typed({
  type: 'object',
  additionalProperties: {
    type: ['object', 'null'],
    required: ['usdPrice', 'decimals'],
    properties: {
      usdPrice: { type: 'number', exclusiveMinimum: 0 },
      decimals: { type: 'integer', minimum: 0, maximum: 18 },
    },
  },
});
const TOKENS: TypedSchema<{ id: string; isVerified?: boolean }[]> = typed({
  type: 'array',
  maxItems: 500,
  items: {
    type: 'object',
    required: ['id'],
    properties: { id: { type: 'string' }, isVerified: { type: ['boolean', 'null'] } },
  },
});
const OBJECT: TypedSchema<object> = typed({ type: 'object' });
const LIMIT: TypedSchema<{ order: string; transaction: string }> = typed({
  type: 'object',
  required: ['order', 'transaction'],
  properties: { order: { type: 'string', maxLength: 44 }, transaction: TRANSACTION },
});
const CANCEL: TypedSchema<{ transactions: string[] }> = typed({
  type: 'object',
  required: ['transactions'],
  properties: { transactions: { type: 'array', minItems: 1, maxItems: 20, items: TRANSACTION } },
});
const RECURRING: TypedSchema<{ transaction: string }> = typed({
  type: 'object',
  required: ['transaction'],
  properties: { transaction: TRANSACTION },
});
const RECURRING_ORDERS: TypedSchema<{ time?: { orderKey: string; openTx?: string }[] }> = typed({
  type: 'object',
  properties: {
    time: {
      type: 'array',
      maxItems: 1_000,
      items: {
        type: 'object',
        required: ['orderKey'],
        properties: { orderKey: { type: 'string' }, openTx: { type: 'string' } },
      },
    },
  },
});

/** The trading service: quotes, prices, tokens, and the transactions that it builds. It signs and sends nothing for us. */
export class TradingService {
  readonly #http: Http;
  readonly #contracts: Contracts;
  readonly #config: TradeConfig;

  constructor({ http, contracts }: { readonly http: Http; readonly contracts: Contracts }, config: TradeConfig) {
    this.#http = http;
    this.#contracts = contracts;
    this.#config = config;
  }

  /** Without a taker it is a quote only. */
  quote(wanted: Wanted): Promise<object> {
    return this.#get(OBJECT, '/swap/v2/order', orderQuery(wanted));
  }

  async swap(wanted: Wanted, taker: string): Promise<BuiltSwap> {
    // A market maker's quote has to be executed by the service; every other swap we send ourselves, recorded first.
    const query = { ...orderQuery(wanted), taker, excludeRouters: 'jupiterz' };
    const order = await this.#get(ORDER, '/swap/v2/order', query);
    if (!order.transaction)
      throw unavailable(order.errorMessage ? reasonIn(order) : 'it found no way to trade these tokens');
    if (order.inputMint !== wanted.input_mint || order.outputMint !== wanted.output_mint)
      throw unavailable('it answered for other tokens');
    const [inAmount, outAmount, least] = [order.inAmount, order.outAmount, order.otherAmountThreshold].map(BigInt);
    if (inAmount !== wanted.amount) throw unavailable(`it answered for an amount of ${inAmount}, not ${wanted.amount}`);
    return { inAmount, outAmount: outAmount!, least: least!, transaction: order.transaction };
  }

  async prices(mints: readonly string[]): Promise<Record<string, Price | null>> {
    return this.#get(PRICES, '/price/v3', { ids: mints.join(',') });
  }

  tokens(query: string | undefined): Promise<{ id: string; isVerified?: boolean }[]> {
    return query === undefined || query === ''
      ? this.#get(TOKENS, '/tokens/v2/tag', { query: 'verified' })
      : this.#get(TOKENS, '/tokens/v2/search', { query });
  }

  limitOrder(
    maker: string,
    pair: Pair,
    params: Readonly<Record<string, string>>,
  ): Promise<{ order: string; transaction: string }> {
    return this.#post(LIMIT, '/trigger/v1/createOrder', {
      ...{ inputMint: pair.input_mint, outputMint: pair.output_mint, maker, payer: maker, params },
      computeUnitPrice: 'auto',
    });
  }

  orders(user: string): Promise<object> {
    return this.#get(OBJECT, '/trigger/v1/getTriggerOrders', { user, orderStatus: 'active' });
  }

  async cancel(maker: string, orders: readonly string[]): Promise<readonly string[]> {
    const body = { maker, orders, computeUnitPrice: 'auto' };
    return (await this.#post(CANCEL, '/trigger/v1/cancelOrders', body)).transactions;
  }

  async recurring(
    user: string,
    pair: Pair,
    time: { readonly inAmount: number; readonly numberOfOrders: number; readonly interval: number },
  ): Promise<string> {
    const body = { user, inputMint: pair.input_mint, outputMint: pair.output_mint, params: { time } };
    return (await this.#post(RECURRING, '/recurring/v1/createOrder', body)).transaction;
  }

  /** The order that a transaction opened; undefined while the service does not list it. */
  async recurringOrder(user: string, signature: string): Promise<string | undefined> {
    const query = { user, recurringType: 'time', orderStatus: 'active' };
    const { time = [] } = await this.#get(RECURRING_ORDERS, '/recurring/v1/getRecurringOrders', query);
    return time.find(({ openTx }) => openTx === signature)?.orderKey;
  }

  #get<T>(shape: TypedSchema<T>, path: string, query: Readonly<Record<string, string>>): Promise<T> {
    return this.#ask(shape, `${path}?${new URLSearchParams(query)}`);
  }

  #post<T>(shape: TypedSchema<T>, path: string, json: object): Promise<T> {
    return this.#ask(shape, path, json);
  }

  async #ask<T>(shape: TypedSchema<T>, path: string, json?: object): Promise<T> {
    const { apiUrl, apiKey } = this.#config;
    const headers = apiKey === undefined ? {} : { 'x-api-key': apiKey };
    const url = apiUrl.replace(/\/$/, '') + path;
    const answer = await this.#http.request(url, {
      headers,
      timeout: TIMEOUT_MS,
      maxBytes: 4_194_304,
      ...(json && { json }),
    });
    if (answer.status === 429) {
      const seconds = Number(answer.headers.get('retry-after'));
      const retryAfter = Number.isInteger(seconds) && seconds > 0 && seconds < 3_600 ? seconds : 60;
      throw new MeshError('rate_limited', { detail: 'The trading service asks to slow down.', retryAfter });
    }
    const said = parsed(answer.text());
    if (answer.status < 200 || answer.status > 299) throw unavailable(reasonIn(said), answer.status);
    const [problem] = this.#contracts.problems(shape, said);
    if (problem) throw unavailable(`its answer has another shape: ${problem.pointer || 'it'} ${problem.message}`);
    return said as T;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Its own words, of which nothing is believed but that they are text. */
function reasonIn(said: unknown): string {
  const { error, errorMessage, message, cause } = (said ?? {}) as Record<string, unknown>;
  const words = [error, errorMessage, message, cause].find((one) => typeof one === 'string' && one !== '');
  return words === undefined ? 'it gave no reason' : JSON.stringify(words).slice(0, MAX_DETAIL);
}

function unavailable(reason: string, status?: number): MeshError {
  const extra = status === undefined ? {} : { extra: { upstream_status: status } };
  return new MeshError('upstream_failed', { detail: `The trading service did not do it: ${reason}.`, ...extra });
}

function orderQuery({ input_mint, output_mint, amount, slippageBps }: Wanted): Record<string, string> {
  const pair = { inputMint: input_mint, outputMint: output_mint };
  return { ...pair, amount: amount.toString(), slippageBps: String(slippageBps) };
}
