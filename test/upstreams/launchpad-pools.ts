import { Keypair, PublicKey } from '@solana/web3.js';

const CURVES = 'dbcij3LWUppWqq96dh6gJWwBifmcGfLSB5D4DuSMaqN';
const POOLS = 'cpamdpZCGKUy5JxQXB4dcpGPiikHawvSWAd6mEn1sGG';
const SOL = new PublicKey('So11111111111111111111111111111111111111112');

/** Accounts of pools on a localnet, written byte by byte as their programs write them. */
export class LaunchpadPools {
  readonly #rpcUrl: string;
  readonly #pools = new Map<string, { readonly curve: PublicKey; pool?: PublicKey }>();

  constructor(rpcUrl: string) {
    this.#rpcUrl = rpcUrl;
  }

  async open(mint: string): Promise<void> {
    if (this.#pools.has(mint)) return;
    const curve = Keypair.generate().publicKey;
    this.#pools.set(mint, { curve });
    const data = Buffer.alloc(424);
    Buffer.from([213, 224, 5, 209, 98, 69, 119, 92]).copy(data);
    new PublicKey(mint).toBuffer().copy(data, 136);
    data.writeBigUInt64LE(900_000_000_000_000_000n, 232);
    data.writeBigUInt64LE(30_000_000_000n, 240);
    writeRoot(data, 280, 1 / 1_000);
    await this.#set(curve, CURVES, data);
  }

  async keys(mint: string) {
    const { curve, pool } = this.#pools.get(mint)!;
    const keys = { dbcConfigKey: curve.toBase58(), dbcPoolKey: curve.toBase58() };
    return pool ? { ...keys, dammV2PoolKey: pool.toBase58() } : keys;
  }

  /** The token is the second side of its pool. */
  async migrate(mint: string): Promise<void> {
    const pool = Keypair.generate().publicKey;
    const data = Buffer.alloc(1_112);
    Buffer.from([241, 154, 109, 4, 17, 177, 109, 188]).copy(data);
    SOL.toBuffer().copy(data, 168);
    new PublicKey(mint).toBuffer().copy(data, 200);
    data.writeBigUInt64LE(85_000_000_000n, 376);
    data.writeBigUInt64LE(200_000_000_000_000n, 384);
    writeRoot(data, 456, 500);
    await this.#set(pool, POOLS, data);
    this.#pools.get(mint)!.pool = pool;
  }

  async #set(address: PublicKey, owner: string, data: Buffer): Promise<void> {
    const state = { lamports: 10_000_000, data: data.toString('base64'), owner };
    const params = [address.toBase58(), state];
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'localnet_setAccount', params });
    const answer = await fetch(this.#rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    const { error } = (await answer.json()) as { error?: { message: string } };
    if (error) throw new Error(error.message);
  }
}

/** The root of a price in 64 binary places. */
function writeRoot(data: Buffer, at: number, price: number): void {
  const root = BigInt(Math.round(Math.sqrt(price) * 2 ** 52)) << 12n;
  data.writeBigUInt64LE(root & (2n ** 64n - 1n), at);
  data.writeBigUInt64LE(root >> 64n, at + 8);
}
