import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  createApproveInstruction,
  createAssociatedTokenAccountIdempotentInstruction,
  createInitializeMint2Instruction,
  createMintToInstruction,
  createTransferInstruction,
  getAssociatedTokenAddressSync,
  MINT_SIZE,
  TOKEN_PROGRAM_ID,
} from '@solana/spl-token';
import { Connection, Keypair, PublicKey, SystemProgram, type TransactionInstruction } from '@solana/web3.js';
import { Maker } from './maker.ts';

/** How the next call of a path goes wrong. */
export type Failure =
  | { readonly status: number; readonly body?: string; readonly headers?: Record<string, string> }
  | 'hang'
  | 'malformed'
  | 'other-tokens'
  | 'other-amount'
  /** The transaction takes twice what was asked for. */
  | 'theft'
  /** The transaction lets the service spend from the wallet later. */
  | 'delegate'
  /** It names a program that has nothing to do with a trade. */
  | 'other-program'
  /** What comes in is a tenth of what the answer says. */
  | 'short';

const OTHER_PROGRAM = new PublicKey('AddressLookupTab1e1111111111111111111111111');

/** Prices are compared in whole billionths of a dollar: with fractions one swap in ninety would give a unit less. */
const PRICE_UNITS = 1e9;

interface Order {
  readonly orderKey: string;
  readonly userPubkey: string;
  readonly inputMint: string;
  readonly outputMint: string;
  readonly rawMakingAmount: string;
  readonly rawTakingAmount: string;
  openTx?: string;
}

/**
 * Stands in for the trading service (Jupiter: swap v2 order, price v3, tokens v2, trigger v1, recurring v1). It holds real tokens on a
 * localnet and builds transactions that need the taker's signature alone: what it gives is approved to the taker first.
 */
export class TradingServiceStandIn {
  readonly url: string;
  readonly apiKey: string;
  /** Path and query of every call, oldest first. */
  readonly calls: string[] = [];
  /** US dollars by mint. */
  readonly prices = new Map<string, { usdPrice: number; decimals: number }>();
  readonly verified = new Set<string>();
  readonly #symbols = new Map<string, string>();
  readonly #server: Server;
  readonly #maker: Maker;
  readonly #failures = new Map<string, Failure>();
  readonly #orders = new Map<string, Order>();
  readonly #recurring: (Order & { interval: number; numberOfOrders: number })[] = [];

  private constructor(server: Server, connection: Connection, apiKey: string) {
    this.#server = server;
    this.#maker = new Maker(connection);
    this.apiKey = apiKey;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', (request, response) => void this.#serve(request, response));
  }

  static async start(rpcUrl: string, apiKey = 'a-key-of-the-trading-service'): Promise<TradingServiceStandIn> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new TradingServiceStandIn(server, new Connection(rpcUrl, 'confirmed'), apiKey);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** The address that needs SOL and tokens before the service can trade. */
  get maker(): string {
    return this.#maker.key.toBase58();
  }

  /** Makes a token of which the service holds plenty. */
  async token(usdPrice: number, decimals = 6, symbol = 'TEST'): Promise<string> {
    const mint = Keypair.generate();
    const held = getAssociatedTokenAddressSync(mint.publicKey, this.#maker.key);
    const payer = this.#maker.key;
    await this.#maker.send(
      [
        SystemProgram.createAccount({
          fromPubkey: payer,
          newAccountPubkey: mint.publicKey,
          lamports: await this.#maker.connection.getMinimumBalanceForRentExemption(MINT_SIZE),
          space: MINT_SIZE,
          programId: TOKEN_PROGRAM_ID,
        }),
        createInitializeMint2Instruction(mint.publicKey, decimals, payer, null),
        createAssociatedTokenAccountIdempotentInstruction(payer, held, payer, mint.publicKey),
        createMintToInstruction(mint.publicKey, held, payer, 1_000_000_000_000n),
      ],
      [mint],
    );
    this.prices.set(mint.publicKey.toBase58(), { usdPrice, decimals });
    this.#symbols.set(mint.publicKey.toBase58(), symbol);
    return mint.publicKey.toBase58();
  }

  failNext(path: string, failure: Failure): void {
    this.#failures.set(path, failure);
  }

  /** What a service does when a trade it built has landed: it lists it with its transaction. */
  async #opened(orders: Iterable<Order>): Promise<void> {
    for (const order of orders) {
      if (order.openTx !== undefined) continue;
      const account = new PublicKey(order.orderKey);
      const [landed] = await this.#maker.connection.getSignaturesForAddress(account, { limit: 1 }, 'confirmed');
      if (landed) order.openTx = landed.signature;
    }
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url!, this.url);
    this.calls.push(request.url!);
    let text = '';
    for await (const chunk of request) text += chunk;
    const failure = this.#failures.get(url.pathname);
    this.#failures.delete(url.pathname);
    const answer = (status: number, body: unknown, headers: Record<string, string> = {}) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    };
    if (failure === 'hang') return;
    if (failure === 'malformed') return answer(200, '{"inAmount": ');
    if (typeof failure === 'object')
      return answer(failure.status, failure.body ?? { error: 'told to fail' }, failure.headers);
    if (request.headers['x-api-key'] !== this.apiKey) return answer(401, { code: 401, message: 'bad key' });
    try {
      const body = text === '' ? {} : JSON.parse(text);
      answer(200, await this.#answer(request.method!, url, body, failure));
    } catch (error) {
      answer(400, { error: (error as Error).message, errorCode: 1 });
    }
  }

  async #answer(
    method: string,
    { pathname, searchParams }: URL,
    body: any,
    failure: Failure | undefined,
  ): Promise<unknown> {
    const query = (name: string) => {
      const value = searchParams.get(name);
      if (value === null) throw new Error(`missing ${name}`);
      return value;
    };
    switch (`${method} ${pathname}`) {
      case 'GET /swap/v2/order':
        return this.#order(query, searchParams.get('taker'), searchParams.get('slippageBps') ?? '50', failure);
      case 'GET /price/v3':
        return Object.fromEntries(
          query('ids')
            .split(',')
            .flatMap((mint) =>
              this.prices.has(mint) ? [[mint, { ...this.prices.get(mint), blockId: 1, liquidity: 1e6 }]] : [],
            ),
        );
      case 'GET /tokens/v2/search':
      case 'GET /tokens/v2/tag':
        return [...this.prices]
          .filter(([mint]) =>
            pathname.endsWith('tag')
              ? this.verified.has(mint)
              : query('query') === this.#symbols.get(mint) || query('query').split(',').includes(mint),
          )
          .map(([id, { decimals, usdPrice }]) => ({
            id,
            decimals,
            usdPrice,
            symbol: this.#symbols.get(id) ?? 'TEST',
            isVerified: this.verified.has(id),
          }));
      case 'POST /trigger/v1/createOrder': {
        const { maker, payer, inputMint, outputMint, params, computeUnitPrice } = body;
        if (payer !== maker || computeUnitPrice !== 'auto') throw new Error('invalid createOrder');
        if (!/^\d+$/.test(params.makingAmount) || !/^\d+$/.test(params.takingAmount))
          throw new Error('amounts must be text');
        const opened = await this.#open(maker, inputMint, BigInt(params.makingAmount), failure);
        const order = {
          ...opened.order,
          inputMint,
          outputMint,
          rawMakingAmount: params.makingAmount,
          rawTakingAmount: params.takingAmount,
        };
        this.#orders.set(order.orderKey, order);
        return { order: order.orderKey, transaction: opened.transaction, requestId: 'r' };
      }
      case 'GET /trigger/v1/getTriggerOrders': {
        if (query('orderStatus') !== 'active') throw new Error('only active orders');
        await this.#opened(this.#orders.values());
        const orders = [...this.#orders.values()].filter(
          (one) => one.userPubkey === query('user') && one.openTx !== undefined,
        );
        return { user: query('user'), orderStatus: 'active', orders, totalPages: 1, page: 1 };
      }
      case 'POST /trigger/v1/cancelOrders':
        return {
          requestId: 'c',
          transactions: await Promise.all(body.orders.map((key: string) => this.#cancel(body.maker, key))),
        };
      case 'POST /recurring/v1/createOrder': {
        const { user, inputMint, outputMint, params } = body;
        const { inAmount, numberOfOrders, interval } = params.time;
        if (!Number.isInteger(inAmount) || !(numberOfOrders >= 2) || !(interval >= 60))
          throw new Error('invalid params.time');
        const { order, transaction } = await this.#open(user, inputMint, BigInt(inAmount), failure);
        this.#recurring.push({
          ...order,
          inputMint,
          outputMint,
          rawMakingAmount: String(inAmount),
          rawTakingAmount: '0',
          interval,
          numberOfOrders,
        });
        return { requestId: 'd', transaction };
      }
      case 'GET /recurring/v1/getRecurringOrders':
        await this.#opened(this.#recurring);
        return {
          user: query('user'),
          orderStatus: 'active',
          time: this.#recurring.filter(({ openTx }) => openTx),
          totalPages: 1,
          page: 1,
        };
      default:
        throw new Error(`no such endpoint: ${method} ${pathname}`);
    }
  }

  async #order(
    query: (name: string) => string,
    taker: string | null,
    slippageBps: string,
    failure: Failure | undefined,
  ) {
    const [inputMint, outputMint, amount] = [query('inputMint'), query('outputMint'), BigInt(query('amount'))];
    const [from, to] = [this.prices.get(inputMint), this.prices.get(outputMint)];
    if (!from || !to) throw new Error('TOKEN_NOT_TRADABLE');
    const [has, wants] = [from, to].map(({ usdPrice }) => BigInt(Math.round(usdPrice * PRICE_UNITS)));
    const outAmount = (amount * has! * 10n ** BigInt(to.decimals)) / (wants! * 10n ** BigInt(from.decimals));
    const least = (outAmount * BigInt(10_000 - Number(slippageBps))) / 10_000n;
    const order = {
      mode: 'manual',
      inputMint: failure === 'other-tokens' ? outputMint : inputMint,
      outputMint,
      inAmount: (failure === 'other-amount' ? amount + 1n : amount).toString(),
      outAmount: outAmount.toString(),
      otherAmountThreshold: least.toString(),
      swapMode: 'ExactIn',
      slippageBps: Number(slippageBps),
      routePlan: [],
      router: 'metis',
      requestId: 'q',
      transaction: null as string | null,
    };
    if (taker === null) return order;
    const owner = new PublicKey(taker);
    const gives = failure === 'short' ? outAmount / 10n : outAmount;
    const takes = this.#maker.takes(owner, inputMint, failure === 'theft' ? amount * 2n : amount);
    if (failure === 'other-program') takes[0]!.keys.push({ pubkey: OTHER_PROGRAM, isSigner: false, isWritable: false });
    order.transaction = await this.#built(owner, [
      ...takes,
      ...(failure === 'delegate'
        ? [
            createApproveInstruction(
              getAssociatedTokenAddressSync(new PublicKey(inputMint), owner),
              this.#maker.key,
              owner,
              amount,
            ),
          ]
        : []),
      ...(await this.#maker.gives(owner, outputMint, gives)),
    ]);
    return order;
  }

  /** Sets tokens aside in an account that only this order uses. */
  async #open(user: string, mint: string, amount: bigint, failure: Failure | undefined) {
    const order = Keypair.generate().publicKey;
    const owner = new PublicKey(user);
    const token = new PublicKey(mint);
    const aside = getAssociatedTokenAddressSync(token, this.#maker.key);
    const takes = createTransferInstruction(
      getAssociatedTokenAddressSync(token, owner),
      aside,
      owner,
      failure === 'theft' ? amount * 2n : amount,
    );
    // The order's address is named, so that its history leads to the transaction that opened it.
    takes.keys.push({ pubkey: order, isSigner: false, isWritable: false });
    const transaction = await this.#built(owner, [
      createAssociatedTokenAccountIdempotentInstruction(owner, aside, this.#maker.key, token),
      takes,
    ]);
    return { order: { orderKey: order.toBase58(), userPubkey: user }, transaction };
  }

  async #cancel(maker: string, key: string): Promise<string> {
    const order = this.#orders.get(key);
    if (order?.userPubkey !== maker) throw new Error(`no active order ${key}`);
    this.#orders.delete(key);
    const owner = new PublicKey(maker);
    return this.#built(owner, await this.#maker.gives(owner, order.inputMint, BigInt(order.rawMakingAmount)));
  }

  async #built(payer: PublicKey, instructions: TransactionInstruction[]): Promise<string> {
    return (await this.#maker.built(payer, instructions)).toString('base64');
  }
}
