import assert from 'node:assert/strict';
import {
  createAssociatedTokenAccountIdempotentInstruction,
  createCloseAccountInstruction,
  createInitializeMint2Instruction,
  createMintToInstruction,
  createSyncNativeInstruction,
  createTransferInstruction,
  getAssociatedTokenAddressSync,
  MINT_SIZE,
  NATIVE_MINT,
  TOKEN_PROGRAM_ID,
} from '@solana/spl-token';
import { Connection, Keypair, PublicKey, SystemProgram, type TransactionInstruction } from '@solana/web3.js';
import bs58 from 'bs58';
import { LaunchpadPools } from './launchpad-pools.ts';
import { Maker } from './maker.ts';
import { Upstream, type UpstreamAnswer, type UpstreamRequest } from './push/upstream.ts';

const SOL = NATIVE_MINT.toBase58();
const BASE = '/api/v1';
const FEE_SHARES = new PublicKey('FEE2tBhCKAt7shrod19QttSVREUYPiyMzoku1mL1gqVK');
const STAKES = new PublicKey('Stake11111111111111111111111111111111111111');
const LISTING_UUID = '0b0c6a3e-6f1d-4f5e-9d5e-1c2f3a4b5c6d';

/** How the next call of a path goes wrong. */
export type Failure =
  | { readonly status: number; readonly body?: string; readonly headers?: Record<string, string> }
  /** Its transaction takes a tenth of a SOL, or a token, more. */
  | 'theft'
  /** Somebody else pays the fee. */
  | 'other-payer'
  /** It names a program that has nothing to do with a launchpad. */
  | 'other-program'
  /** A tenth of what was promised comes in. */
  | 'short'
  /** The first of two fails in an answer that says so. */
  | 'unsuccessful';

interface Token {
  readonly keypair: Keypair;
  readonly uri: string;
  readonly name: string;
  readonly symbol: string;
  readonly description: string;
  readonly image: string;
}

/** The address of a pool's accounts, the config of a fee share: one for each token and way of sharing. */
interface Share {
  readonly keypair: Keypair;
  readonly claimers: readonly string[];
  readonly partner: string | undefined;
}

/**
 * Stands in for the launchpad (Bags, API v2) and for its source of prices (Dexscreener). It checks what it is asked, keeps tokens on a
 * localnet and builds transactions there; without one it answers what needs none.
 */
export class LaunchpadServiceStandIn {
  apiKey: string;
  /** Whether it makes a market of every token by itself: it keeps what traders get, and a hundredth of each trade is its creator's. */
  isMarket = false;
  readonly #stocked = new Map<string, Promise<void>>();
  /** For tests that set keys of any kind. */
  takesAnyKey = false;
  readonly #upstream: Upstream;
  #maker: Maker | undefined;
  #pools: LaunchpadPools | undefined;
  readonly #tokens = new Map<string, Token>();
  readonly #shares = new Map<string, Share>();
  readonly #quotes = new Map<string, string>();
  /** Lamports that each wallet has earned by token, and the accounts that name each claim of them. */
  readonly #earned = new Map<string, bigint>();
  readonly #claims = new Map<string, { readonly reference: PublicKey; readonly amount: bigint }[]>();
  readonly #failures = new Map<string, Failure>();
  readonly listed = new Set<string>();
  /** Signatures of payments that were submitted, by order. */
  readonly submitted = new Map<string, string>();
  readonly prices = new Map<string, { readonly usd: number; readonly liquidity: number; readonly volume: number }>();
  listingUsdc = 299;
  /** Base units of a token for a lamport. */
  rate = 1_000n;
  /** Whether it builds swaps that end worse than their quote, in place of refusing them; the ledger's programs would stop those. */
  buildsWorse = false;
  usdc = '';
  #count = 0;

  private constructor(upstream: Upstream, apiKey: string) {
    this.#upstream = upstream;
    this.apiKey = apiKey;
  }

  static async start(apiKey = 'a-key-of-the-launchpad'): Promise<LaunchpadServiceStandIn> {
    let self: LaunchpadServiceStandIn;
    const upstream = await Upstream.start((request) => self.#serve(request));
    self = new LaunchpadServiceStandIn(upstream, apiKey);
    self.prices.set(SOL, { usd: 150, liquidity: 1e9, volume: 1e9 });
    return self;
  }

  /** From now on it builds transactions for this localnet, which serves its admin methods. */
  connect(rpcUrl: string, usdc: string): void {
    this.#maker = new Maker(new Connection(rpcUrl, 'confirmed'));
    this.#pools = new LaunchpadPools(rpcUrl);
    this.usdc = usdc;
  }

  stop(): void {
    this.#upstream.stop();
  }

  get url(): string {
    return this.#upstream.url + BASE;
  }

  get pricesUrl(): string {
    return this.#upstream.url;
  }

  /** `host:port`, for the grant of a plugin that may call it. */
  get host(): string {
    return new URL(this.#upstream.url).host;
  }

  /** Lines of all calls, oldest first. */
  get calls(): string[] {
    return this.#upstream.requests.map(({ method, path }) => `${method} ${path}`);
  }

  callsOf(path: string): number {
    return this.calls.filter((line) => line.split(' ')[1]!.startsWith(BASE + path)).length;
  }

  /** Everything that came with the calls, for tests that look for what must not be there. */
  get requests(): readonly UpstreamRequest[] {
    return this.#upstream.requests;
  }

  /** The address that needs SOL and USDC before the service can build transactions. */
  get maker(): string {
    return this.#built.key.toBase58();
  }

  get #built(): Maker {
    if (!this.#maker) throw new Error('this needs the localnet');
    return this.#maker;
  }

  failNext(path: string, failure: Failure): void {
    this.#failures.set(BASE + path, failure);
  }

  token(mint: string): Token | undefined {
    return this.#tokens.get(mint);
  }

  /** The mints of all tokens that were uploaded under a symbol. */
  tokensOf(symbol: string): string[] {
    return [...this.#tokens].filter(([, token]) => token.symbol === symbol).map(([mint]) => mint);
  }

  share(key: string): Share | undefined {
    return [...this.#shares.values()].find(({ keypair }) => keypair.publicKey.toBase58() === key);
  }

  /** The account that shares the fees of a token. */
  configOf(mint: string): string | undefined {
    return [...this.#shares].find(([name]) => JSON.parse(name)[0] === mint)?.[1].keypair.publicKey.toBase58();
  }

  /** Puts tokens that were launched, and SOL, where the service can give them to traders and creators. */
  async stock(mint: string, amount: bigint, lamports: bigint): Promise<void> {
    const maker = this.#built;
    const { keypair } = this.#tokens.get(mint)!;
    const [held, wrapped] = [keypair.publicKey, NATIVE_MINT].map((one) =>
      getAssociatedTokenAddressSync(one, maker.key),
    );
    await maker.send(
      [
        createAssociatedTokenAccountIdempotentInstruction(maker.key, held!, maker.key, keypair.publicKey),
        createMintToInstruction(keypair.publicKey, held!, keypair.publicKey, amount),
        createAssociatedTokenAccountIdempotentInstruction(maker.key, wrapped!, maker.key, NATIVE_MINT),
        SystemProgram.transfer({ fromPubkey: maker.key, toPubkey: wrapped!, lamports }),
        createSyncNativeInstruction(wrapped!),
      ],
      [keypair],
    );
  }

  async gift(mint: string, wallet: string, amount: bigint): Promise<void> {
    const maker = this.#built;
    const [token, owner] = [new PublicKey(mint), new PublicKey(wallet)];
    const [from, to] = [maker.key, owner].map((one) => getAssociatedTokenAddressSync(token, one));
    await maker.send([
      createAssociatedTokenAccountIdempotentInstruction(maker.key, to!, owner, token),
      createTransferInstruction(from!, to!, maker.key, amount),
    ]);
  }

  earn(wallet: string, mint: string, lamports: bigint): void {
    const key = `${wallet}/${mint}`;
    this.#earned.set(key, (this.#earned.get(key) ?? 0n) + lamports);
  }

  /** Moves a token's pool from its curve to the pool that follows it. */
  async migrate(mint: string): Promise<void> {
    await this.#pools!.migrate(mint);
  }

  async #serve(request: UpstreamRequest): Promise<UpstreamAnswer> {
    const { pathname, searchParams } = new URL(request.path, this.#upstream.url);
    if (pathname.startsWith('/tokens/v1/solana/')) return { status: 200, json: this.#pairs(pathname.split('/')[4]!) };
    const failure = this.#failures.get(pathname);
    this.#failures.delete(pathname);
    if (!this.takesAnyKey && request.headers['x-api-key'] !== this.apiKey) return unsuccessful(401, 'Invalid API key');
    if (typeof failure === 'object') {
      const { status, headers = {}, body } = failure;
      return { status, headers, json: body === undefined ? { success: false, error: 'told to fail' } : body };
    }
    if (failure === 'unsuccessful') return unsuccessful(200, `told to fail with ${this.apiKey}`);
    try {
      const query = (name: string) => {
        const value = searchParams.get(name);
        assert.notEqual(value, null, `${name} is missing`);
        return value!;
      };
      const response = await this.#answer(`${request.method} ${pathname.slice(BASE.length)}`, query, request, failure);
      // This one was seen to answer bare.
      const json = pathname.endsWith('/trade/swap') ? response : { success: true, response };
      return { status: 200, json };
    } catch (error) {
      return unsuccessful(400, (error as Error).message);
    }
  }

  async #answer(
    line: string,
    query: (name: string) => string,
    request: UpstreamRequest,
    failure: Failure | undefined,
  ): Promise<unknown> {
    const isForm = String(request.headers['content-type']).startsWith('multipart/form-data');
    const body = isForm ? formOf(request) : request.body === '' ? {} : JSON.parse(request.body);
    switch (line) {
      case 'POST /token-launch/create-token-info':
        return this.#tokenInfo(body);
      case 'POST /fee-share/config':
        return this.#feeShare(body, failure);
      case 'POST /token-launch/create-launch-transaction':
        return this.#launch(body, failure);
      case 'GET /trade/quote':
        return this.#quote(query);
      case 'POST /trade/swap':
        return this.#swap(body, failure);
      case 'GET /solana/bags/pools/token-mint': {
        const mint = query('tokenMint');
        const token = this.#tokens.get(mint);
        assert.ok(token && this.#pools, 'Pool not found');
        return { tokenMint: mint, ...(await this.#pools.keys(mint)) };
      }
      case 'GET /token-launch/claimable-positions':
        return this.#claimable(query('wallet'));
      case 'POST /token-launch/claim-txs/v3':
        return this.#claim(body, failure);
      case 'GET /solana/dexscreener/order-availability':
        return { available: !this.listed.has(query('tokenAddress')) };
      case 'POST /solana/dexscreener/create-order':
        return this.#order(body, failure);
      case 'POST /solana/dexscreener/submit-payment':
        return this.#payment(body);
      default:
        throw new Error(`no such endpoint: ${line}`);
    }
  }

  #tokenInfo({ name, symbol, description, imageUrl, image }: any) {
    assert.ok(name?.length >= 1 && name.length <= 32, 'name must have 1 to 32 characters');
    assert.ok(symbol?.length >= 1 && symbol.length <= 10, 'symbol must have at most 10 characters');
    assert.ok(description?.length >= 1 && description.length <= 1_000, 'description must have 1 to 1000 characters');
    assert.notEqual(imageUrl === undefined, image === undefined, 'exactly one of image and imageUrl is needed');
    const keypair = Keypair.generate();
    const tokenMint = keypair.publicKey.toBase58();
    const uri = `https://ipfs.example/ipfs/${tokenMint}`;
    this.#tokens.set(tokenMint, { keypair, uri, name, symbol, description, image: imageUrl ?? image });
    return { tokenMint, tokenMetadata: uri, tokenLaunch: { name, symbol, tokenMint, status: 'PRE_LAUNCH', uri } };
  }

  /** Two transactions of which the second stands on the first. */
  async #feeShare(body: any, failure: Failure | undefined) {
    const { payer, baseMint, claimersArray, basisPointsArray, partner, partnerConfig } = body;
    assert.ok(this.#tokens.has(baseMint), 'baseMint is unknown');
    assert.equal(claimersArray.length, basisPointsArray.length);
    assert.equal(
      basisPointsArray.reduce((sum: number, one: number) => sum + one, 0),
      10_000,
    );
    assert.equal(partner === undefined, partnerConfig === undefined, 'partner and partnerConfig go together');
    const name = JSON.stringify([baseMint, claimersArray, basisPointsArray, partner ?? null]);
    const share = this.#shares.get(name) ?? { keypair: Keypair.generate(), claimers: claimersArray, partner };
    this.#shares.set(name, share);
    const maker = this.#built;
    const config = share.keypair.publicKey;
    const found = await maker.connection.getAccountInfo(config);
    const isDone = found !== null && found.lamports > 2_000_000;
    const answer = {
      needsCreation: !isDone,
      feeShareAuthority: baseMint,
      meteoraConfigKey: config.toBase58(),
      bundles: [],
    };
    if (isDone) return { ...answer, transactions: [] };
    const from = new PublicKey(payer);
    const create = SystemProgram.createAccount({
      fromPubkey: from,
      newAccountPubkey: config,
      lamports: 2_000_000,
      space: 100,
      programId: FEE_SHARES,
    });
    const more = failure === 'theft' ? 100_000_000 : 10_000;
    const fill = SystemProgram.transfer({ fromPubkey: from, toPubkey: config, lamports: more });
    const given = [
      found ? undefined : await maker.built(from, [create], [share.keypair]),
      await maker.built(from, [fill]),
    ];
    const transactions = given.flatMap((bytes) =>
      bytes ? [{ transaction: bs58.encode(bytes), blockhash: { blockhash: 'b', lastValidBlockHeight: 1 } }] : [],
    );
    return { ...answer, transactions };
  }

  async #launch({ ipfs, tokenMint, wallet, initialBuyLamports, configKey }: any, failure: Failure | undefined) {
    const token = this.#tokens.get(tokenMint);
    assert.ok(token, 'tokenMint is unknown');
    assert.equal(ipfs, token.uri);
    assert.ok(Number.isInteger(initialBuyLamports) && initialBuyLamports >= 0, 'initialBuyLamports must be a number');
    const share = this.share(configKey);
    const maker = this.#built;
    assert.ok(share && (await maker.connection.getAccountInfo(share.keypair.publicKey)), 'configKey does not exist');
    const owner = new PublicKey(wallet);
    const mint = token.keypair.publicKey;
    const held = getAssociatedTokenAddressSync(mint, owner);
    const lamports = await maker.connection.getMinimumBalanceForRentExemption(MINT_SIZE);
    const buy = BigInt(initialBuyLamports) + (failure === 'theft' ? 100_000_000n : 0n);
    const instructions: TransactionInstruction[] = [
      SystemProgram.createAccount({
        fromPubkey: owner,
        newAccountPubkey: mint,
        lamports,
        space: MINT_SIZE,
        programId: TOKEN_PROGRAM_ID,
      }),
      createInitializeMint2Instruction(mint, 9, mint, null),
      ...(buy === 0n ? [] : maker.takes(owner, SOL, buy)),
      createAssociatedTokenAccountIdempotentInstruction(owner, held, owner, mint),
      ...(initialBuyLamports === 0
        ? []
        : [createMintToInstruction(mint, held, mint, 1_000n * BigInt(initialBuyLamports))]),
    ];
    const isOther = failure === 'other-payer';
    const signers = isOther ? [maker.keypair, token.keypair] : [token.keypair];
    const bytes = await maker.built(isOther ? maker.key : owner, naming(instructions, failure), signers);
    await this.#pools!.open(tokenMint);
    // A thousand base units of nine decimals for a lamport, at 150 dollars for a SOL.
    if (this.isMarket) this.prices.set(tokenMint, { usd: 0.15, liquidity: 9_000, volume: 0 });
    return bs58.encode(bytes);
  }

  #quote(query: (name: string) => string) {
    const [inputMint, outputMint, amount] = [query('inputMint'), query('outputMint'), BigInt(query('amount'))];
    const mint = inputMint === SOL ? outputMint : inputMint;
    assert.ok(inputMint === SOL || outputMint === SOL);
    assert.ok(this.#tokens.has(mint), 'Token is not tradable');
    const mode = query('slippageMode');
    assert.ok(mode === 'auto' || mode === 'manual');
    const slippageBps = mode === 'manual' ? Number(query('slippageBps')) : 200;
    const out = this.#out(inputMint, amount);
    const least = (out * BigInt(10_000 - slippageBps)) / 10_000n;
    const quote = {
      ...{ requestId: `q-${++this.#count}`, contextSlot: 1, inAmount: amount.toString(), inputMint },
      ...{ outAmount: out.toString(), outputMint, minOutAmount: least.toString() },
      ...{ otherAmountThreshold: least.toString(), priceImpactPct: '0.10', slippageBps },
      routePlan: [{ venue: 'dbc', inAmount: amount.toString(), outAmount: out.toString(), inputMint, outputMint }],
      platformFee: { amount: '0', feeBps: 100, feeAccount: this.#maker?.key.toBase58() ?? mint },
      simulatedComputeUnits: null,
    };
    this.#quotes.set(quote.requestId, JSON.stringify(quote));
    return quote;
  }

  #out(inputMint: string, amount: bigint): bigint {
    return inputMint === SOL ? amount * this.rate : amount / this.rate;
  }

  async #swap({ quoteResponse, userPublicKey }: any, failure: Failure | undefined) {
    assert.equal(JSON.stringify(quoteResponse), this.#quotes.get(quoteResponse.requestId), 'this is no quote of ours');
    const owner = new PublicKey(userPublicKey);
    const { inputMint, outputMint } = quoteResponse;
    const gives = BigInt(quoteResponse.inAmount);
    const takes = this.#out(inputMint, gives);
    if (!this.buildsWorse) assert.ok(takes >= BigInt(quoteResponse.minOutAmount), 'Slippage tolerance exceeded');
    const maker = this.#built;
    if (this.isMarket) await this.#trade(inputMint === SOL ? outputMint : inputMint, inputMint === SOL ? gives : takes);
    const out = failure === 'short' ? takes / 10n : takes;
    const instructions = [
      ...maker.takes(owner, inputMint, failure === 'theft' ? gives + 100_000_000n : gives),
      ...(outputMint === SOL ? await this.#lamports(owner, out) : await maker.gives(owner, outputMint, out)),
    ];
    const bytes = await maker.built(owner, naming(instructions, failure));
    return { swapTransaction: bs58.encode(bytes), computeUnitLimit: 400_000, lastValidBlockHeight: 1 };
  }

  async #trade(mint: string, lamports: bigint): Promise<void> {
    const stocked = this.#stocked.get(mint) ?? this.stock(mint, 10n ** 18n, 5_000_000_000n);
    this.#stocked.set(mint, stocked);
    await stocked.catch((error: unknown) => {
      this.#stocked.delete(mint);
      throw error;
    });
    const share = [...this.#shares].find(([name]) => JSON.parse(name)[0] === mint)?.[1];
    for (const claimer of share?.claimers ?? []) this.earn(claimer, mint, lamports / 100n);
  }

  /** Wrapped for the way, so that the owner's signature is all it needs. */
  async #lamports(
    owner: PublicKey,
    amount: bigint,
    { approved = amount, reference }: { readonly approved?: bigint; readonly reference?: PublicKey } = {},
  ): Promise<TransactionInstruction[]> {
    const [open, give] = await this.#built.gives(owner, SOL, amount, approved);
    if (reference) give!.keys.push({ pubkey: reference, isSigner: false, isWritable: false });
    return [
      open!,
      give!,
      createCloseAccountInstruction(getAssociatedTokenAddressSync(NATIVE_MINT, owner), owner, owner),
    ];
  }

  async #left(wallet: string, mint: string): Promise<bigint> {
    const key = `${wallet}/${mint}`;
    let left = this.#earned.get(key) ?? 0n;
    for (const { reference, amount } of this.#claims.get(key) ?? []) {
      const landed = await this.#built.connection.getSignaturesForAddress(reference, { limit: 1 }, 'confirmed');
      if (landed.some(({ err }) => err === null)) left -= amount;
    }
    return left;
  }

  /** Two rows of a token, as before and after a migration. */
  async #claimable(wallet: string) {
    const rows: object[] = [];
    for (const key of this.#earned.keys()) {
      const [owner, baseMint] = key.split('/') as [string, string];
      if (owner !== wallet) continue;
      const left = await this.#left(owner, baseMint);
      for (const part of [left / 2n, left - left / 2n])
        if (part > 0n)
          rows.push({
            baseMint,
            isMigrated: false,
            isCustomFeeVault: true,
            totalClaimableLamportsUserShare: Number(part),
          });
    }
    return rows;
  }

  /** Two transactions and a row that has none. */
  async #claim({ feeClaimer, tokenMint }: any, failure: Failure | undefined) {
    const left = await this.#left(feeClaimer, tokenMint);
    const key = `${feeClaimer}/${tokenMint}`;
    const owner = new PublicKey(feeClaimer);
    const rows: object[] = [];
    for (const amount of [left / 2n, left - left / 2n]) {
      if (amount === 0n) continue;
      const reference = Keypair.generate().publicKey;
      this.#claims.set(key, [...(this.#claims.get(key) ?? []), { reference, amount }]);
      const instructions = await this.#lamports(owner, amount, { approved: left, reference });
      if (failure === 'theft') instructions.push(...this.#built.takes(owner, SOL, amount + 100_000_000n));
      const bytes = await this.#built.built(owner, naming(instructions, failure), [], 'legacy');
      rows.push({ tx: bs58.encode(bytes), blockhash: { blockhash: this.maker, lastValidBlockHeight: 1 } });
    }
    const [some] = rows as { tx: string }[];
    if (some) rows.splice(1, 0, { tx: some.tx, blockhash: { blockhash: '1'.repeat(32), lastValidBlockHeight: 0 } });
    return rows;
  }

  async #order(body: any, failure: Failure | undefined) {
    const { tokenAddress, description, iconImageUrl, headerImageUrl, payerWallet, payWithSol } = body;
    assert.ok(description.length >= 1 && description.length <= 1_000);
    for (const url of [iconImageUrl, headerImageUrl]) assert.match(url, /^https:/);
    assert.equal(payWithSol, false);
    assert.ok(!this.listed.has(tokenAddress), 'Token is listed already');
    const owner = new PublicKey(payerWallet);
    const maker = this.#built;
    const amount = BigInt(Math.round(this.listingUsdc * 1e6));
    const usdc = new PublicKey(this.usdc);
    const pays = createTransferInstruction(
      getAssociatedTokenAddressSync(usdc, owner),
      getAssociatedTokenAddressSync(usdc, maker.key),
      owner,
      failure === 'theft' ? amount + 1_000_000n : amount,
    );
    const bytes = await maker.built(owner, naming([pays], failure));
    const orderUUID = `${LISTING_UUID}-${++this.#count}`;
    return {
      ...{ orderUUID, recipientWallet: this.maker, priceUSDC: this.listingUsdc },
      ...{ transaction: bs58.encode(bytes), lastValidBlockHeight: 1 },
    };
  }

  async #payment({ orderUUID, paymentSignature }: any) {
    const { value } = await this.#built.connection.getSignatureStatus(paymentSignature);
    assert.ok(value && value.err === null, 'the payment is not on the ledger');
    this.submitted.set(orderUUID, paymentSignature);
    return 'submitted';
  }

  #pairs(addresses: string) {
    const asked = addresses.split(',');
    assert.ok(asked.length <= 30);
    return asked.flatMap((address) => {
      const price = this.prices.get(address);
      if (!price) return [];
      const pair = { chainId: 'solana', dexId: 'meteora', baseToken: { address }, quoteToken: { address: SOL } };
      const { usd, liquidity, volume } = price;
      const listed = { ...pair, priceUsd: String(usd), liquidity: { usd: liquidity }, volume: { h24: volume } };
      // One with less liquidity, which nobody should believe, and one without a price.
      return [{ ...listed, priceUsd: '99999', liquidity: { usd: 1 } }, listed, { ...pair, priceUsd: null }];
    });
  }
}

function naming(instructions: TransactionInstruction[], failure: Failure | undefined): TransactionInstruction[] {
  const [first] = instructions;
  if (failure === 'other-program') first!.keys.push({ pubkey: STAKES, isSigner: false, isWritable: false });
  return instructions;
}

function unsuccessful(status: number, error: string): UpstreamAnswer {
  return { status, json: { success: false, error } };
}

/** The fields of a form; that of an image is the name of its file. */
function formOf({ headers, body }: UpstreamRequest): Record<string, string> {
  const boundary = /boundary=(\S+)/.exec(String(headers['content-type']))![1]!;
  const parts = body.split(`--${boundary}`);
  assert.equal(parts.at(-1)!.trim(), '--', 'the form does not end');
  return Object.fromEntries(
    parts.slice(1, -1).map((part) => {
      const [, name, file] = /name="(\w+)"(?:; filename="([^"]+)")?/.exec(part)!;
      return [name!, file ?? part.split('\r\n\r\n')[1]!.replace(/\r\n$/, '')];
    }),
  );
}
