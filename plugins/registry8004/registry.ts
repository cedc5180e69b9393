import bs58 from 'bs58';
import { isMeshError, MeshError } from '../../core/plugin.ts';
import type { Clock, LedgerAccounts, ProgramAccount } from '../../core/services.ts';
import { ASSETS, type Place } from './places.ts';

/** The answer of the registry. `unknown`: it could not be asked, or what it said makes no sense; that is no answer. */
export type Answer =
  | { readonly status: 'registered'; readonly asset: string; readonly key: string }
  /** `gone`: the registry has an account of it, but the asset was burned, or is none of the collection. */
  | { readonly status: 'unregistered'; readonly gone?: true }
  | { readonly status: 'unknown'; readonly reason: string };

/** First eight bytes of an agent's account and of the root's. */
const AGENT = Uint8Array.from([241, 119, 69, 140, 233, 9, 112, 50]);
const ROOT = Uint8Array.from([42, 216, 8, 82, 19, 209, 223, 246]);
const ROOT_BYTES = 73;
/** Places in an agent's account. */
const COLLECTION_AT = 8;
const OWNER_AT = 72;
const ASSET_AT = 104;
const WALLET_AT = 138;
/** Places in an asset, and the marks of one that lives and belongs to a collection. */
const ASSET_BYTES = 66;
const LIVING = 1;
const OF_COLLECTION = 2;
/** Assets of one key that are looked at. */
const MOST_ASSETS = 20;
/** In place of a key; no key is empty. */
const NOBODY = '';
/** Milliseconds for which a ledger without a registry is not asked for it again by those who can do without. */
const MISSING_MS = 60_000;
/** How long the collection is believed: it is set once. */
const COLLECTION_MS = 600_000;

/** The registry on one cluster, by finalised accounts. */
export class Registry {
  readonly #ledger: LedgerAccounts;
  readonly #place: Place;
  readonly #clock: Clock;
  #collection: { readonly address: string; readonly at: number } | undefined;
  #missingAt: number | undefined;

  constructor(ledger: LedgerAccounts, place: Place, clock: Clock) {
    this.#ledger = ledger;
    this.#place = place;
    this.#clock = clock;
  }

  /** The collection of all registered assets; rejects with `ledger_unavailable` where there is none. */
  async collection(): Promise<string> {
    const known = this.#collection;
    if (known && Math.abs(this.#clock.now() - known.at) < COLLECTION_MS) return known.address;
    const root = this.#ledger.derive(this.#place.program, [Buffer.from('root_config')]);
    const [account] = (await this.#ledger.get([root])).value;
    this.#missingAt = account ? undefined : this.#clock.now();
    if (!account) throw new MeshError('ledger_unavailable', `There is no registry at ${this.#place.program}.`);
    const { owner, data } = account;
    if (owner !== this.#place.program || data.length !== ROOT_BYTES || !startsWith(data, ROOT))
      throw new MeshError('ledger_unavailable', `${root} is not the root of the registry.`);
    this.#collection = { address: addressAt(data, 8), at: this.#clock.now() };
    return this.#collection.address;
  }

  /** Whether the ledger showed within the last minute that nobody has set up a registry there; then nothing is an asset. */
  get isMissing(): boolean {
    return this.#missingAt !== undefined && Math.abs(this.#clock.now() - this.#missingAt) < MISSING_MS;
  }

  /** Which asset a key signs for. Of several it is the one with the lowest address. */
  byKey(key: string): Promise<Answer> {
    return this.#answered(async () => {
      const bytes = bs58.decode(key);
      const [owned, held] = await Promise.all([
        this.#assetsWith({ offset: OWNER_AT, bytes }),
        this.#assetsWith({ offset: WALLET_AT, bytes: Buffer.concat([Uint8Array.of(1), bytes]) }),
      ]);
      const assets = [...new Set([...owned.assets, ...held.assets])].sort();
      const signers = await this.#keysOf(assets, Math.max(owned.slot, held.slot));
      const asset = assets.find((one) => signers.get(one) === key);
      if (asset !== undefined) return { status: 'registered', asset, key };
      const isAll = owned.assets.length < MOST_ASSETS && held.assets.length < MOST_ASSETS;
      return isAll ? { status: 'unregistered' } : unknown(`${key} has more assets than are looked at`);
    });
  }

  /** Which key signs for an asset. */
  byAsset(asset: string): Promise<Answer> {
    return this.#answered(async () => {
      const key = (await this.#keysOf([asset], 0)).get(asset);
      if (key === undefined) return { status: 'unregistered' };
      return key === NOBODY ? { status: 'unregistered', gone: true } : { status: 'registered', asset, key };
    });
  }

  async #answered(ask: () => Promise<Answer>): Promise<Answer> {
    try {
      return await ask();
    } catch (error) {
      if (isMeshError(error) && error.code === 'ledger_unavailable') return unknown(error.message);
      throw error;
    }
  }

  async #assetsWith(match: { readonly offset: number; readonly bytes: Uint8Array }) {
    const { slot, value } = await this.#ledger.find(this.#place.program, {
      matches: [{ offset: 0, bytes: AGENT }, match],
      part: { offset: ASSET_AT, length: 32 },
      limit: MOST_ASSETS,
    });
    const assets = value.map(({ address, data }) => {
      const asset = bs58.encode(data);
      if (data.length !== 32 || this.#accountOf(asset) !== address)
        throw new MeshError('ledger_unavailable', `The registry names ${address} as the account of another asset.`);
      return asset;
    });
    return { slot, assets };
  }

  /** The keys that sign for assets which are registered and live; `NOBODY` for one that was registered. */
  async #keysOf(assets: readonly string[], atLeast: number): Promise<Map<string, string>> {
    const keys = new Map<string, string>();
    if (assets.length === 0) return keys;
    const collection = await this.collection();
    const addresses = assets.flatMap((asset) => [this.#accountOf(asset), asset]);
    const { value } = await this.#ledger.get(addresses, atLeast);
    for (const [index, asset] of assets.entries()) {
      const key = this.#keyIn(asset, value[2 * index] ?? null, value[2 * index + 1] ?? null, collection);
      if (key !== undefined) keys.set(asset, key);
    }
    return keys;
  }

  /** The agent's wallet where the registry has seen the asset's owner of now, else that owner. */
  #keyIn(
    asset: string,
    account: ProgramAccount | null,
    item: ProgramAccount | null,
    collection: string,
  ): string | undefined {
    if (!account || account.owner !== this.#place.program) return undefined;
    const { data } = account;
    if (!startsWith(data, AGENT) || data.length <= WALLET_AT || addressAt(data, ASSET_AT) !== asset)
      throw new MeshError('ledger_unavailable', `The account of the asset ${asset} is not the one of an agent.`);
    if (addressAt(data, COLLECTION_AT) !== collection || !item || item.owner !== ASSETS) return NOBODY;
    const isMember = item.data.length >= ASSET_BYTES && item.data[0] === LIVING && item.data[33] === OF_COLLECTION;
    if (!isMember || addressAt(item.data, 34) !== collection) return NOBODY;
    const owner = addressAt(item.data, 1);
    const hasWallet = data[WALLET_AT] === 1 && data.length >= WALLET_AT + 33;
    return hasWallet && addressAt(data, OWNER_AT) === owner ? addressAt(data, WALLET_AT + 1) : owner;
  }

  #accountOf(asset: string): string {
    return this.#ledger.derive(this.#place.program, [Buffer.from('agent'), bs58.decode(asset)]);
  }
}

function unknown(reason: string): Answer {
  return { status: 'unknown', reason };
}

function startsWith(data: Uint8Array, bytes: Uint8Array): boolean {
  return Buffer.compare(data.subarray(0, bytes.length), bytes) === 0;
}

function addressAt(data: Uint8Array, offset: number): string {
  return bs58.encode(data.subarray(offset, offset + 32));
}
