import { Keypair, PublicKey } from '@solana/web3.js';
import type { Localnet } from '../../../adapters/localnet/localnet.ts';
import { registryProgram } from './program.ts';

export const PROGRAM = '8oo4J9tBB3Hna1jRQ3rWvJjojqM5DYTDJo5cejUuJy3C';
export const ASSETS = 'CoREENxT6tW1HoK8ypY1SxRMZTcVPm7R94rH4PZNhX7d';
export const COLLECTION = '6CTyGPcn8dMwKEqgtvx2XCpkGUd7uqCVK6937RSM5bhA';

const RENT = 10_000_000;

/** Places in accounts. */
const OWNER_AT = 72;
const WALLET_AT = 138;

interface State {
  readonly lamports: number;
  readonly owner: string;
  readonly data: Buffer;
}

/**
 * The registry on a localnet: a program of ours at the genuine addresses (`program.ts`), the accounts that the genuine one has from the
 * start, and what happens to assets elsewhere (sold, burned, a wallet set). It needs a localnet with `admin`.
 */
export class RegistryStandIn {
  readonly #net: Pick<Localnet, 'url'>;

  private constructor(net: Pick<Localnet, 'url'>) {
    this.#net = net;
  }

  /** What a localnet loads at its start. */
  static programs(): { readonly address: string; readonly elf: Uint8Array }[] {
    const elf = registryProgram();
    return [PROGRAM, ASSETS].map((address) => ({ address, elf }));
  }

  static async on(net: Pick<Localnet, 'url'>): Promise<RegistryStandIn> {
    const registry = new RegistryStandIn(net);
    const root = Buffer.concat([discriminator([42, 216, 8, 82, 19, 209, 223, 246]), key(COLLECTION), Buffer.alloc(33)]);
    const config = Buffer.concat([Buffer.alloc(8, 7), key(COLLECTION), Buffer.alloc(33)]);
    await registry.put(derive('root_config'), { lamports: RENT, owner: PROGRAM, data: root });
    await registry.put(derive('registry_config', COLLECTION), { lamports: RENT, owner: PROGRAM, data: config });
    await registry.put(COLLECTION, { lamports: RENT, owner: ASSETS, data: Buffer.alloc(100, 5) });
    return registry;
  }

  /** Puts an agent into the registry as if it had registered; gives its asset. */
  async add(owner: string, asset = Keypair.generate().publicKey.toBase58()): Promise<string> {
    const [address, bump] = PublicKey.findProgramAddressSync(
      [Buffer.from('agent'), key(asset)],
      new PublicKey(PROGRAM),
    );
    const data = Buffer.alloc(748);
    discriminator([241, 119, 69, 140, 233, 9, 112, 50]).copy(data);
    key(COLLECTION).copy(data, 8);
    key(owner).copy(data, 40);
    key(owner).copy(data, OWNER_AT);
    key(asset).copy(data, 104);
    data[136] = bump;
    await this.put(address.toBase58(), { lamports: RENT, owner: PROGRAM, data });
    const item = Buffer.concat([Buffer.of(1), key(owner), Buffer.of(2), key(COLLECTION), Buffer.alloc(14)]);
    await this.put(asset, { lamports: RENT, owner: ASSETS, data: item });
    return asset;
  }

  /** The asset has another owner; the registry has seen it only when it was told. */
  async sell(asset: string, to: string, isSeen = false): Promise<void> {
    await this.change(asset, (data) => key(to).copy(data, 1));
    if (isSeen) await this.change(derive('agent', asset), (data) => key(to).copy(data, OWNER_AT));
  }

  burn(asset: string): Promise<void> {
    return this.put(asset, { lamports: 0, owner: '11111111111111111111111111111111', data: Buffer.alloc(0) });
  }

  /** The agent's wallet signs for it from now on. */
  setWallet(asset: string, wallet: string): Promise<void> {
    return this.change(derive('agent', asset), (data) => {
      data[WALLET_AT] = 1;
      key(wallet).copy(data, WALLET_AT + 1);
    });
  }

  async read(address: string): Promise<State | undefined> {
    const { value } = (await this.#call('getAccountInfo', [address, { encoding: 'base64' }])) as {
      value: { lamports: number; owner: string; data: [string, string] } | null;
    };
    if (!value) return undefined;
    return { lamports: value.lamports, owner: value.owner, data: Buffer.from(value.data[0], 'base64') };
  }

  async change(address: string, edit: (data: Buffer) => unknown): Promise<void> {
    const found = await this.read(address);
    if (!found) throw new Error(`there is no account ${address}`);
    edit(found.data);
    await this.put(address, found);
  }

  async put(address: string, { lamports, owner, data }: State): Promise<void> {
    await this.#call('localnet_setAccount', [address, { lamports, owner, data: data.toString('base64') }]);
  }

  async #call(method: string, params: readonly unknown[]): Promise<unknown> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const response = await fetch(this.#net.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    const { result, error } = (await response.json()) as { result: unknown; error?: { message: string } };
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  }
}

export function derive(kind: string, ...of: readonly string[]): string {
  return PublicKey.findProgramAddressSync([Buffer.from(kind), ...of.map(key)], new PublicKey(PROGRAM))[0].toBase58();
}

function key(address: string): Buffer {
  return Buffer.from(new PublicKey(address).toBytes());
}

function discriminator(bytes: readonly number[]): Buffer {
  return Buffer.from(bytes);
}
