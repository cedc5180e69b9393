import { type Context, definePlugin, type Limit, MeshError, route, typed } from '../../core/plugin.ts';
import {
  AggregatorCalls,
  Clock,
  Contracts,
  Http,
  LedgerAccounts,
  Random,
  Self,
  Transactions,
} from '../../core/services.ts';
import { LaunchpadApi } from './api.ts';
import { ApiKey } from './api-key.ts';
import { Claims } from './claims.ts';
import { checkUrl, config, type LaunchpadConfig } from './config.ts';
import { ERRORS } from './errors.ts';
import { FeeShares } from './fee-share.ts';
import { KnownTokens } from './known-tokens.ts';
import { Launches } from './launches.ts';
import { Listings } from './listings.ts';
import { Pools } from './pools.ts';
import { Prices } from './prices.ts';
import * as shapes from './shapes.ts';
import { Signing } from './signing.ts';
import { STORED } from './stored.ts';
import { Swaps } from './swaps.ts';
import { MINT, SOME_MINT } from './tokens.ts';

const READS: Limit = { per: 'principal', rate: 120, window: 60 };
const STEPS: Limit = { per: 'principal', rate: 30, window: 60 };
const SUBMIT_MS = 60_000;
const FIRST_MS = 2_000;

const TOKEN = typed<string>({ ...MINT, examples: [SOME_MINT] });
const CONFIGURED = ['launchpad_not_configured'] as const;
const UPSTREAM = [
  ...CONFIGURED,
  'launchpad_rate_limited',
  'launchpad_refused',
  'upstream_failed',
  'rate_limited',
  'forbidden',
] as const;
const MONEY = [
  ...UPSTREAM,
  'insufficient_funds',
  'transaction_refused',
  'spending_cap',
  'launchpad_cap',
  'ledger_unavailable',
  'conflict',
] as const;
const STEP = { auth: 'api-secret', limit: STEPS, feature: 'launchpad', money: true, idempotency: true } as const;
const READ = { auth: 'api-secret', limit: READS, feature: 'launchpad' } as const;

/** Tokens of this agent at a launchpad (Bags): launched, traded, their fees claimed, listed at a chart site, with the wallet of this node. */
export const launchpadPlugin = definePlugin({
  name: 'launchpad',
  api: '2.1',
  summary: 'Launches of tokens, their pools, swaps, fees and chart listings.',
  // Which programs a transaction may call says plugins.launchpad.programs; the address of the launchpad is the operator's.
  permissions: ['http:*', 'money:sign:*', 'aggregators:/sponsor/fee-share-config'],
  config,
  flags: {
    apiKey: { flag: '--launchpad-api-key', type: 'text', secret: true, summary: 'the API key of the launchpad' },
    partnerWallet: {
      flag: '--launchpad-partner-wallet',
      type: 'text',
      summary: 'the wallet that earns a part of the fees of launches through this node',
    },
    partnerKey: { flag: '--launchpad-partner-key', type: 'text', summary: 'its partner config at the launchpad' },
  },
  errors: {
    ...ERRORS,
    launchpad_quote_changed: [
      409,
      'The market gives less than the quote promised, or a listing costs more than was told.',
    ],
    launchpad_cap: [403, 'A cap of the operator on the launchpad does not allow this.'],
  },
  schemas: [
    ...STORED,
    ...[
      shapes.launchRequest,
      shapes.launchReply,
      shapes.quoteRequest,
      shapes.executeRequest,
      shapes.rawQuote,
      shapes.executeReply,
      shapes.poolReply,
      shapes.positionsReply,
      shapes.claimableReply,
      shapes.claimRequest,
      shapes.claimReply,
      shapes.availableReply,
      shapes.listingRequest,
      shapes.listingReply,
      shapes.keyRequest,
      shapes.configReply,
    ].map(({ schema }) => schema),
  ],
  node: {
    uses: {
      ...{ http: Http, contracts: Contracts, clock: Clock, random: Random, self: Self },
      ...{ transactions: Transactions, accounts: LedgerAccounts, aggregators: AggregatorCalls },
    },
    routes: {
      config: route('GET /launchpad/config', {
        ...READ,
        summary: 'Which launchpad this node uses, and how; never the key.',
        reply: shapes.configReply,
        errors: CONFIGURED,
      }),
      launch: route('POST /launchpad/launch', {
        ...STEP,
        summary: 'Launches a token whose fees go to this agent: metadata, fee share, transaction.',
        body: shapes.launchRequest,
        reply: shapes.launchReply,
        errors: MONEY,
      }),
      quote: route('POST /launchpad/swap/quote', {
        ...READ,
        summary: 'A quote as the launchpad gives it; nothing is done.',
        body: shapes.quoteRequest,
        reply: shapes.rawQuote,
        errors: UPSTREAM,
      }),
      execute: route('POST /launchpad/swap/execute', {
        ...STEP,
        summary: 'Swaps, by a quote that was asked for or by a new one.',
        body: shapes.executeRequest,
        reply: shapes.executeReply,
        errors: [...MONEY, 'launchpad_quote_changed'],
      }),
      pool: route('GET /launchpad/pool/:token_mint', {
        ...READ,
        summary: 'The pool of a token: reserves by the ledger, price and trade in US dollars.',
        params: { token_mint: TOKEN },
        reply: shapes.poolReply,
        errors: [...UPSTREAM, 'not_found', 'ledger_unavailable'],
      }),
      positions: route('GET /launchpad/positions', {
        ...READ,
        summary: 'The tokens of the launchpad that the wallet holds.',
        reply: shapes.positionsReply,
        errors: [...UPSTREAM, 'ledger_unavailable'],
      }),
      setApiKey: route('POST /launchpad/set-api-key', {
        auth: 'api-secret',
        limit: STEPS,
        feature: 'launchpad',
        summary: 'Sets the key of the launchpad, or replaces it; it holds at once and over restarts.',
        body: shapes.keyRequest,
      }),
      claimable: route('GET /launchpad/claimable', {
        ...READ,
        summary: 'Fees that the creator of tokens can claim.',
        reply: shapes.claimableReply,
        errors: UPSTREAM,
      }),
      claim: route('POST /launchpad/claim', {
        ...STEP,
        summary: 'Claims the fees of a token.',
        body: shapes.claimRequest,
        reply: shapes.claimReply,
        errors: MONEY,
      }),
      checkListing: route('GET /launchpad/chart-listing/check/:token_mint', {
        ...READ,
        summary: 'Whether a token can be listed at the chart site, and for how much.',
        params: { token_mint: TOKEN },
        reply: shapes.availableReply,
        errors: UPSTREAM,
      }),
      list: route('POST /launchpad/chart-listing/list', {
        ...STEP,
        summary: 'Orders and pays the listing of a token at the chart site, once.',
        body: shapes.listingRequest,
        reply: shapes.listingReply,
        errors: [...MONEY, 'launchpad_quote_changed'],
      }),
    },
    async setup(services, { config, space, log, folder, note }: Context<LaunchpadConfig>) {
      checkUrl(config.apiUrl);
      if ((config.partnerWallet === undefined) !== (config.partnerKey === undefined))
        note('launchpad: --launchpad-partner-wallet and --launchpad-partner-key hold together only; one is missing');
      const key = await ApiKey.open(folder, config.apiKey);
      const api = new LaunchpadApi({ ...services, url: config.apiUrl, key: () => key.value() });
      const known = new KnownTokens(space);
      const prices = new Prices(services, config.pricesUrl);
      const signing = new Signing({ ...services, log, programs: config.programs });
      const shared = { ...services, api, known, prices, signing, space, log, config };
      const feeShares = new FeeShares(shared);
      const launches = new Launches({ ...shared, feeShares, defaultImageUrl: config.defaultImageUrl });
      const swaps = new Swaps({ ...shared, maxSlippageBps: config.maxSlippageBps });
      const pools = new Pools(shared);
      const claims = new Claims(shared);
      const listings = new Listings(shared);
      /** Without a key nothing is asked of anybody, nor looked at. */
      const configured = () => void key.value();
      const able = () => {
        configured();
        if (!services.accounts.cluster)
          throw new MeshError('ledger_unavailable', 'There is no ledger here; start with --rpc-url.');
      };
      return {
        preconditions: {
          ...{ config: configured, quote: configured, claimable: configured, checkListing: configured },
          ...{ launch: able, execute: able, claim: able, list: able, pool: able, positions: able },
        },
        routes: {
          config: () => ({
            ...{ api_url: config.apiUrl, fee_bps: 0, creator_fee_bps: 10_000 },
            partner_configured: feeShares.partner.partner !== undefined,
            api_key_source: key.source,
          }),
          launch: ({ body, operationId }) => launches.launch(body, operationId),
          quote: ({ body }) => swaps.quote(body),
          execute: ({ body, rawBody, operationId }) =>
            swaps.execute(body, rawBody.length > 0 ? JSON.parse(Buffer.from(rawBody).toString()) : {}, operationId),
          pool: ({ params }) => pools.pool(params.token_mint),
          positions: () => pools.positions(),
          setApiKey: ({ body }) => key.set(body.api_key),
          claimable: () => claims.claimable(),
          claim: ({ body, operationId }) => claims.claim(body.token_mint, operationId),
          checkListing: ({ params }) => listings.check(params.token_mint),
          list: ({ body }) => listings.list(body),
        },
        jobs: [{ name: 'listings', every: SUBMIT_MS, first: FIRST_MS, run: (signal) => listings.submit(signal) }],
      };
    },
  },
});
