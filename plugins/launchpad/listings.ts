import { collection, type Log, MeshError } from '../../core/plugin.ts';
import type { Clock, LedgerAccounts, Self, Space } from '../../core/services.ts';
import type { LaunchpadApi } from './api.ts';
import type { LaunchpadConfig } from './config.ts';
import type { KnownTokens } from './known-tokens.ts';
import type { AvailableReply, ListingReply, ListingRequest } from './shapes.ts';
import type { Signing } from './signing.ts';
import type { StoredListing, StoredPrice } from './stored.ts';
import { AVAILABILITY, base64Of, ORDER, SUBMITTED } from './upstream.ts';

export interface ListingsOptions {
  readonly api: LaunchpadApi;
  readonly signing: Signing;
  readonly accounts: LedgerAccounts;
  readonly known: KnownTokens;
  readonly self: Self;
  readonly clock: Clock;
  readonly space: Space;
  readonly log: Log;
  readonly config: Pick<LaunchpadConfig, 'listingUsdc' | 'maxListingUsdc'>;
}

/** Fees, and the rent of the account that is paid into. */
const COSTS = 5_000_000n;
const DAY_MS = 24 * 3_600_000;
const MICRO = 1e6;
const BATCH = 100;

const listings = collection<StoredListing, 'unsubmitted'>('listings', {
  schema: 'launchpad/stored-listing',
  ttl: 366 * DAY_MS,
  indexes: { unsubmitted: ({ submitted, at }) => (submitted ? undefined : [at]) },
});
const lastPrice = collection<StoredPrice>('listing-price', { schema: 'launchpad/stored-price' }).ref('last');

/** Listings of tokens at a chart site, paid in USDC: order, payment, and the word to the launchpad that it was paid. */
export class Listings {
  readonly #options: ListingsOptions;
  readonly #running = new Map<string, Promise<ListingReply>>();

  constructor(options: ListingsOptions) {
    this.#options = options;
  }

  async check(mint: string): Promise<AvailableReply> {
    const { available } = await this.#options.api.get(AVAILABILITY, '/solana/dexscreener/order-availability', {
      tokenAddress: mint,
    });
    return { available, cost_usdc: await this.#cost() };
  }

  /** Once for each token: a repeated call joins, or gets what was paid before. */
  list(request: ListingRequest): Promise<ListingReply> {
    const { token_mint: mint } = request;
    const running = this.#running.get(mint);
    if (running) return running;
    const run = this.#list(request).finally(() => this.#running.delete(mint));
    this.#running.set(mint, run);
    return run;
  }

  /** Tells the launchpad of payments that it was not told of, or did not take; run again and again. */
  async submit(signal: AbortSignal): Promise<void> {
    const { space } = this.#options;
    const waiting = await space.page(listings, { index: 'unsubmitted', limit: BATCH });
    for (const { id: mint, value } of waiting) {
      if (signal.aborted) return;
      if (this.#running.has(mint) || (await this.#paid(mint, value))) continue;
      // No payment of it landed, and none can after a day.
      if (value.at + DAY_MS < this.#options.clock.now()) await space.del(listings.ref(mint));
    }
  }

  async #list({ token_mint: mint, image_url, description }: ListingRequest): Promise<ListingReply> {
    const { api, signing, accounts, self, known, space } = this.#options;
    const begun = await space.get(listings.ref(mint));
    const paid = begun && (await this.#paid(mint, begun));
    if (paid) return paid;
    const usdc = accounts.usdcMint;
    if (usdc === undefined) throw new MeshError('ledger_unavailable');
    if (!(await this.check(mint)).available)
      throw new MeshError('conflict', `${mint} cannot be listed: it is listed already, or an order is under way.`);
    const order = await api.post(ORDER, '/solana/dexscreener/create-order', {
      ...{ tokenAddress: mint, iconImageUrl: image_url, headerImageUrl: image_url, payerWallet: self.address },
      description: description ?? (await known.description(mint)) ?? `The token ${mint}.`,
      payWithSol: false,
    });
    const told = await this.#cost();
    await space.put(lastPrice, { usdc: order.priceUSDC });
    this.#checkPrice(order.priceUSDC, told);
    if (!order.transaction) throw new MeshError('conflict', `Somebody has paid for the listing of ${mint} already.`);
    const amount = microOf(order.priceUSDC);
    await signing.checkFunds({ tokens: { [usdc]: amount } });
    const listing: StoredListing = { order_uuid: order.orderUUID, submitted: false, at: this.#options.clock.now() };
    const wanted = {
      ...{ key: keyOf(listing), transaction: base64Of(order.transaction) },
      spend: { lamports: COSTS, tokens: { [usdc]: amount } },
    };
    await signing.send(wanted, async () => {
      await space.put(listings.ref(mint), listing);
      const details = { token_mint: mint, order_uuid: order.orderUUID };
      return { type: 'launchpad', action: 'chart-listing', direction: 'out', amount, details };
    });
    return (await this.#paid(mint, listing))!;
  }

  /** Tells the launchpad of a payment that it does not know; undefined when no payment can have landed. */
  async #paid(mint: string, listing: StoredListing): Promise<ListingReply | undefined> {
    const { signing, api, space, log } = this.#options;
    const state = await signing.found(keyOf(listing));
    if (!state) return undefined;
    const { order_uuid } = listing;
    const reply = { order_uuid, payment_txid: state.signature };
    if (listing.submitted) return { ...reply, status: 'submitted' };
    if (state.status === 'pending') return { ...reply, status: 'paid' };
    try {
      await api.post(SUBMITTED, '/solana/dexscreener/submit-payment', {
        orderUUID: order_uuid,
        paymentSignature: state.signature,
      });
    } catch (error) {
      log.warn({ order_uuid, reason: String(error) }, 'the launchpad does not know yet that a listing was paid');
      return { ...reply, status: 'paid' };
    }
    await space.put(listings.ref(mint), { ...listing, submitted: true });
    return { ...reply, status: 'submitted' };
  }

  async #cost(): Promise<number> {
    return (await this.#options.space.get(lastPrice))?.usdc ?? this.#options.config.listingUsdc;
  }

  /** An order costs no more than the operator allows, and no more than a check has told until now: that was the quote. */
  #checkPrice(usdc: number, told: number): void {
    const { maxListingUsdc } = this.#options.config;
    if (usdc > maxListingUsdc) {
      const detail = `plugins.launchpad.maxListingUsdc allows ${maxListingUsdc} USDC, and the listing costs ${usdc}; nothing was sent.`;
      const extra = { cap: 'plugins.launchpad.maxListingUsdc', limit: maxListingUsdc, needed: usdc };
      throw new MeshError('launchpad_cap', { detail, extra });
    }
    if (usdc <= told) return;
    throw new MeshError('launchpad_quote_changed', {
      detail: `The listing was said to cost ${told} USDC and costs ${usdc} now; nothing was sent. Ask again to pay that.`,
      extra: { quoted: String(told), now: String(usdc) },
    });
  }
}

function keyOf({ order_uuid }: StoredListing): string {
  return `listing/${Buffer.from(order_uuid).toString('base64url').slice(0, 100)}`;
}

/** Minor units, a part of one counted as a whole. */
function microOf(usdc: number): bigint {
  return BigInt(Math.ceil(Number((usdc * MICRO).toFixed(3))));
}
