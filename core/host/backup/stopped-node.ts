import { join } from 'node:path';
import type { Contracts } from '../../contracts/contracts.ts';
import type { Settings } from '../../contracts/settings.ts';
import type { SchemaName } from '../../contracts/typed.ts';
import { EpochJournal } from '../../messaging/epoch-journal.ts';
import { nonces } from '../../messaging/records.ts';
import type { Clock } from '../../platform/clock.ts';
import { silentLog } from '../../platform/log.ts';
import { systemRandom } from '../../platform/system-clock.ts';
import { DEFAULT_EPOCH_SECS } from '../../protocol/identity/network.ts';
import { type Identity, identityFromSeed } from '../../protocol/signer/identity.ts';
import { openStore, type Store } from '../../storage/store.ts';
import { readKeyFile } from '../key-file.ts';
import { loadStorage } from '../loader/load-storage.ts';
import type { Adapters } from '../wiring/adapters.ts';
import { KEY_FILE } from './manifest.ts';

export interface StoppedNodeOptions {
  readonly settings: Settings;
  /** Where plugins.json lies. */
  readonly folder: string;
  readonly contracts: Contracts;
  readonly adapters: Adapters;
  readonly clock: Clock;
}

/** A node that does not run: its key and its store, looked at from outside. */
export class StoppedNode {
  readonly #options: StoppedNodeOptions;

  constructor(options: StoppedNodeOptions) {
    this.#options = options;
  }

  get settings(): Settings {
    return this.#options.settings;
  }

  get dataDir(): string {
    return this.settings.dataDir;
  }

  get keyFile(): string {
    return this.settings.agent.keyFile ?? join(this.dataDir, KEY_FILE);
  }

  get storage(): string {
    return this.settings.storage.use ?? 'lowdb';
  }

  /** Throws when there is no key, or when it is unfit. */
  identity(keyFile: string = this.keyFile): Identity {
    const seed = readKeyFile(keyFile);
    if (!seed) throw new Error(`there is no key at ${keyFile}`);
    return identityFromSeed(seed);
  }

  /** Opens the store below a data folder; rejects with a sentence, also while another process has it open. */
  async open(dataDir: string = this.dataDir): Promise<Store> {
    const { folder, contracts, adapters, clock, settings } = this.#options;
    const make = await loadStorage(this.storage, folder, adapters.storage);
    const adapter = await make({ settings: settings.storage, folder: join(dataDir, 'store'), clock, log: silentLog });
    const validate = (name: string, value: unknown) => contracts.problems(name as SchemaName, value);
    return openStore(adapter, { clock, random: systemRandom, validate });
  }

  /** The epochs of a key in an open store; undefined for an aggregator, which has none. */
  async journal(store: Store, { address }: Identity): Promise<EpochJournal | undefined> {
    const { settings, clock } = this.#options;
    if (settings.profile !== 'node') return undefined;
    const space = store.space('node');
    // The length of an epoch may be the ledger's to say, which is not asked here: what the node signed by counts.
    const signed = (await space.get(nonces.ref(address)))?.epoch_secs;
    const epochSecs = signed ?? settings.network.epochSecs ?? DEFAULT_EPOCH_SECS;
    return new EpochJournal({ space, address, epochSecs, clock });
  }
}

/** Why a store of this kind is not in the data folder; undefined when it is. */
export function elsewhere({ guarantees }: Store, keyFile: string): string | undefined {
  if (guarantees.durability === 'none') return `storage ${guarantees.name} keeps nothing; keep a copy of ${keyFile}`;
  if (guarantees.processes === 'one') return undefined;
  return (
    `storage ${guarantees.name} keeps its data on its server, not in the data folder. To back it up, stop every node ` +
    `on it, save the server's data by its own means (for Redis: BGSAVE and a copy of the dump, or a copy of the ` +
    `append-only folder) and keep ${keyFile} with it. To restore, put back both, then run: mesh restore --in-place`
  );
}
