import { createHash } from 'node:crypto';
import { type Collection, collection } from '../../core/plugin.ts';
import type { Random, Self, Space } from '../../core/services.ts';
import type { LaunchpadApi } from './api.ts';
import type { FeeShares } from './fee-share.ts';
import { withBlankImage } from './image.ts';
import type { KnownTokens } from './known-tokens.ts';
import type { LaunchReply, LaunchRequest } from './shapes.ts';
import type { Signing } from './signing.ts';
import type { StoredLaunch } from './stored.ts';
import { base64Of, LAUNCH_TRANSACTION, TOKEN_INFO } from './upstream.ts';

export interface LaunchesOptions {
  readonly api: LaunchpadApi;
  readonly feeShares: FeeShares;
  readonly signing: Signing;
  readonly known: KnownTokens;
  readonly self: Self;
  readonly random: Random;
  readonly space: Space;
  readonly defaultImageUrl: string | undefined;
}

/** Rent of the mint, its name and its pool, and fees. */
const COSTS = 50_000_000n;
const FEE = 5_000n;
const DAY_MS = 24 * 3_600_000;

const launches: Collection<StoredLaunch> = collection('launches', { schema: 'launchpad/stored-launch', ttl: DAY_MS });

/**
 * Launches of tokens: metadata, fee share, transaction. Each step is on disk before the next one is begun, so a launch that a
 * crash cut goes on where it was when it is asked for again, and its token is launched once.
 */
export class Launches {
  readonly #options: LaunchesOptions;
  readonly #running = new Map<string, Promise<LaunchReply>>();

  constructor(options: LaunchesOptions) {
    this.#options = options;
  }

  /** Without an operation, the same words within a day are the same launch. */
  launch(request: LaunchRequest, operation: string | undefined): Promise<LaunchReply> {
    const { name, symbol, description, image_url, initial_buy_lamports = 0 } = request;
    const image = image_url ?? this.#options.defaultImageUrl;
    const wanted: StoredLaunch = {
      ...{ name, symbol, description, initial_buy: BigInt(initial_buy_lamports).toString() },
      ...(image !== undefined && { image_url: image }),
    };
    const named = operation === undefined ? `words ${JSON.stringify(wanted)}` : `operation ${operation}`;
    const id = createHash('sha256').update(named).digest('hex');
    const running = this.#running.get(id);
    if (running) return running;
    const run = this.#run(id, wanted).finally(() => this.#running.delete(id));
    this.#running.set(id, run);
    return run;
  }

  async #run(id: string, wanted: StoredLaunch): Promise<LaunchReply> {
    const { signing, space } = this.#options;
    const ref = launches.ref(id);
    let launch = await space.get(ref);
    if (!launch) {
      // Before anything is asked of others: without a ledger, or with an empty wallet, there is no launch.
      await signing.checkFunds({ lamports: BigInt(wanted.initial_buy) + FEE });
      launch = wanted;
    }
    if (launch.token_mint === undefined || launch.metadata_uri === undefined) {
      const { tokenMint: token_mint, tokenMetadata: metadata_uri } = await this.#upload(launch);
      launch = { ...launch, token_mint, metadata_uri };
      await space.put(ref, launch);
    }
    const { token_mint: mint = '', metadata_uri = '' } = launch;
    if (launch.config_key === undefined) {
      launch = { ...launch, config_key: await this.#options.feeShares.configKey(mint) };
      await space.put(ref, launch);
    }
    // Sent transactions are known longer than launches: the same words of another day are another token.
    const key = `launch/${id}/${mint}`;
    const { signature, status } = (await signing.found(key)) ?? (await this.#send(key, launch));
    await this.#options.known.launched(mint, launch.description);
    return { token_mint: mint, metadata_uri, txid: signature, status: status as LaunchReply['status'] };
  }

  async #upload({ name, symbol, description, image_url }: StoredLaunch) {
    const { api, random } = this.#options;
    const path = '/token-launch/create-token-info';
    const fields = { name, symbol, description };
    if (image_url !== undefined) return api.post(TOKEN_INFO, path, { ...fields, imageUrl: image_url });
    const boundary = Buffer.from(random.bytes(16)).toString('hex');
    return api.upload(TOKEN_INFO, path, withBlankImage(fields, boundary));
  }

  async #send(key: string, launch: StoredLaunch) {
    const { api, self, signing } = this.#options;
    const { token_mint: mint = '', metadata_uri: ipfs, config_key: configKey, symbol, initial_buy } = launch;
    const buy = BigInt(initial_buy);
    const transaction = await api.post(LAUNCH_TRANSACTION, '/token-launch/create-launch-transaction', {
      ...{ ipfs, tokenMint: mint, wallet: self.address, initialBuyLamports: Number(buy), configKey },
    });
    const details = { token_mint: mint, symbol, initial_buy_lamports: initial_buy };
    const wanted = {
      ...{ key, transaction: base64Of(transaction), cosigners: [mint] },
      spend: { lamports: buy + COSTS },
      ...(buy > 0n && { receive: { tokens: { [mint]: 1n } } }),
    };
    return signing.send(wanted, async () => ({ type: 'launchpad', action: 'launch', details }));
  }
}
