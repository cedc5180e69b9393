import { answer, definePlugin, type Limit, MeshError, route, typed } from '../../core/plugin.ts';
import { Clock, Contracts, Http, LedgerAccounts, Random, Self, Transactions } from '../../core/services.ts';
import { TradeCaps } from './caps.ts';
import { checkPair } from './checks.ts';
import { config } from './config.ts';
import * as orderShapes from './order-shapes.ts';
import { Orders } from './orders.ts';
import { Sending } from './sending.ts';
import { TradingService } from './service.ts';
import * as shapes from './shapes.ts';
import { STORED } from './stored.ts';
import { Swaps } from './swaps.ts';

/** The trading service counts half a call a second without a key, so more would only be turned away there. */
const READS: Limit = { per: 'principal', rate: 120, window: 60 };
const TRADES: Limit = { per: 'principal', rate: 30, window: 60 };
const UPSTREAM = ['upstream_failed', 'rate_limited'] as const;
const MONEY = [
  ...UPSTREAM,
  'transaction_refused',
  'spending_cap',
  'trade_cap',
  'insufficient_funds',
  'ledger_unavailable',
  'conflict',
] as const;
const ID = typed<string>({ type: 'string', pattern: '^[0-9a-f]{16}$', examples: ['3f1c5b0e9a7d4c21'] });

/** Swaps, prices, limit orders and recurring orders through a trading service (Jupiter), with the wallet of this node. */
export const tradePlugin = definePlugin({
  name: 'trade',
  api: '2.0',
  summary: 'Swaps, prices, limit and recurring orders.',
  // Whichever programs the best route of the moment leads through.
  permissions: ['http:*', 'money:sign:*'],
  config,
  errors: {
    trade_cap: [403, 'A cap on what may be traded does not allow this.'],
    quote_changed: [409, 'The market gives less than the quote promised.'],
    price_moved: [409, 'The trade would lose more than the operator allows.'],
    swap_over: [410, 'This swap waits for a confirmation no more.'],
  },
  schemas: [
    ...STORED,
    ...[
      shapes.swapReply,
      shapes.pendingReply,
      shapes.rejectedReply,
      shapes.rawQuote,
      shapes.rawPrices,
      shapes.rawTokens,
      shapes.rawOrders,
      orderShapes.orderReply,
      orderShapes.cancelReply,
      orderShapes.dcaReply,
    ].map(({ schema }) => schema),
  ],
  node: {
    uses: {
      ...{ http: Http, contracts: Contracts, clock: Clock, random: Random, self: Self },
      ...{ transactions: Transactions, accounts: LedgerAccounts },
    },
    routes: {
      quote: route('GET /trade/quote', {
        auth: 'api-read',
        limit: READS,
        feature: 'trade',
        summary: 'A quote for a swap; nothing is done.',
        query: shapes.quoteQuery,
        reply: shapes.rawQuote,
        errors: UPSTREAM,
      }),
      price: route('GET /trade/price', {
        auth: 'api-read',
        limit: READS,
        feature: 'trade',
        summary: 'Prices of tokens in US dollars.',
        query: shapes.priceQuery,
        reply: shapes.rawPrices,
        errors: UPSTREAM,
      }),
      tokens: route('GET /trade/tokens', {
        auth: 'api-read',
        limit: READS,
        feature: 'trade',
        summary: 'Tokens that can be traded, by symbol, name or mint.',
        query: shapes.tokensQuery,
        reply: shapes.rawTokens,
        errors: UPSTREAM,
      }),
      swap: route('POST /trade/swap', {
        auth: 'api',
        limit: TRADES,
        feature: 'trade',
        money: true,
        idempotency: true,
        summary: 'Swaps tokens of the wallet, or asks for a confirmation (202).',
        body: shapes.swapRequest,
        reply: shapes.swapReply,
        statuses: [202],
        errors: [...MONEY, 'quote_changed', 'price_moved'],
      }),
      pending: route('GET /trade/swap/pending', {
        auth: 'api-read',
        limit: READS,
        feature: 'trade',
        summary: 'Swaps that wait for a confirmation, at most five minutes.',
        reply: shapes.pendingReply,
      }),
      confirm: route('POST /trade/swap/confirm/:swap_id', {
        auth: 'api',
        limit: TRADES,
        feature: 'trade',
        money: true,
        idempotency: true,
        summary: 'Does a swap that waits for a confirmation.',
        params: { swap_id: ID },
        reply: shapes.swapReply,
        errors: [...MONEY, 'swap_over', 'quote_changed', 'price_moved'],
      }),
      reject: route('POST /trade/swap/reject/:swap_id', {
        auth: 'api',
        limit: TRADES,
        feature: 'trade',
        summary: 'Forgets a swap that waits for a confirmation.',
        params: { swap_id: ID },
        reply: shapes.rejectedReply,
        errors: ['swap_over'],
      }),
      limitCreate: route('POST /trade/limit/create', {
        auth: 'api',
        limit: TRADES,
        feature: 'trade',
        money: true,
        idempotency: true,
        summary: 'Sets tokens aside until they can be swapped at a price.',
        body: orderShapes.limitRequest,
        reply: orderShapes.orderReply,
        errors: MONEY,
      }),
      limitOrders: route('GET /trade/limit/orders', {
        auth: 'api-read',
        limit: READS,
        feature: 'trade',
        summary: 'Limit orders that wait for their price.',
        query: shapes.ordersQuery,
        reply: shapes.rawOrders,
        errors: UPSTREAM,
      }),
      limitCancel: route('POST /trade/limit/cancel', {
        auth: 'api',
        limit: TRADES,
        feature: 'trade',
        money: true,
        summary: 'Takes limit orders back.',
        body: orderShapes.cancelRequest,
        reply: orderShapes.cancelReply,
        errors: MONEY,
      }),
      dcaCreate: route('POST /trade/dca/create', {
        auth: 'api',
        limit: TRADES,
        feature: 'trade',
        money: true,
        idempotency: true,
        summary: 'Sets tokens aside and swaps a part of them again and again.',
        body: orderShapes.dcaRequest,
        reply: orderShapes.dcaReply,
        errors: MONEY,
      }),
    },
    setup({ http, contracts, accounts, ...services }, { config, space, log }) {
      const service = new TradingService({ http, contracts }, config);
      const caps = new TradeCaps({ space, ...services }, config);
      const sending = new Sending({ space, log, ...services }, config);
      const swaps = new Swaps({ service, sending, caps, accounts, space, config, ...services });
      const orders = new Orders({ service, sending, caps, accounts, ...services });
      const ledger = () => requireLedger(accounts);
      return {
        preconditions: { swap: ledger, confirm: ledger, limitCreate: ledger, limitCancel: ledger, dcaCreate: ledger },
        routes: {
          quote({ query }) {
            const { amount, slippage_bps: slippageBps = 50, ...pair } = query;
            checkPair(pair);
            return service.quote({ ...pair, amount: BigInt(amount), slippageBps });
          },
          price: ({ query }) => service.prices(query.ids.split(',')),
          tokens: ({ query }) => service.tokens(query.q),
          async swap({ body, operationId }) {
            const done = await swaps.swap(body, operationId);
            return done.status === 'pending_confirmation' ? answer(done, { status: 202 }) : done;
          },
          pending: async () => ({ pending: await swaps.pending() }),
          confirm: ({ params, operationId }) => swaps.confirm(params.swap_id, operationId),
          reject: ({ params }) => swaps.reject(params.swap_id),
          limitCreate: ({ body, operationId }) => orders.limit(body, operationId),
          limitOrders: ({ query }) => service.orders(query.wallet ?? services.self.address),
          limitCancel: ({ body }) => orders.cancel(body.orders),
          dcaCreate: ({ body, operationId }) => orders.recurring(body, operationId),
        },
      };
    },
  },
});

/** Without one no request could be carried out, whatever it says. */
function requireLedger({ cluster }: LedgerAccounts): void {
  if (!cluster) throw new MeshError('ledger_unavailable', 'There is no ledger here; start with --rpc-url.');
}
