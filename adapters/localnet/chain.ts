import { createHash } from 'node:crypto';
import { accountsOf, type TransactionAccounts } from './accounts-of.ts';
import type { DataFolder } from './data-folder.ts';
import { type AccountState, Engine } from './engine.ts';
import { History } from './history.ts';
import type { AccountWritten, JournalEntry, Landed, ProgramLoaded, RentSet, Warped } from './journal-entry.ts';
import { memoOf } from './memo.ts';
import { Past } from './past.ts';
import { processTransaction } from './processor.ts';
import { SLOTS_PER_EPOCH, type Slots, type Stamp } from './slots.ts';
import type { Snapshot } from './snapshot.ts';
import { type DecodedTransaction, decodeTransaction } from './wire.ts';

const SNAPSHOT_EVERY = 500;

export interface ChainParts {
  readonly genesisHash: string;
  readonly slots: Slots;
  readonly historyLimit: number;
  /** Without a folder the chain lives in memory only. */
  readonly folder: DataFolder | undefined;
  readonly from: Snapshot | undefined;
}

/**
 * The chain itself: one engine, its time, its history. Every change is a journal entry that is on disk before anyone
 * can see its effect; replaying the entries rebuilds the same chain.
 */
export class Chain {
  readonly genesisHash: string;
  readonly engine: Engine;
  readonly slots: Slots;
  readonly history: History;
  readonly past: Past;
  readonly #folder: DataFolder | undefined;
  readonly #programs = new Map<string, string>();
  readonly #listeners = new Set<(landed: Landed) => void>();
  #seq: number;
  #tick: number;
  #slot = -1;
  #sinceSnapshot = 0;
  #broken: Error | undefined;

  constructor({ genesisHash, slots, historyLimit, folder, from }: ChainParts) {
    this.genesisHash = genesisHash;
    this.engine = new Engine(from?.state);
    this.slots = slots;
    this.history = new History(historyLimit);
    this.past = new Past(from?.stamp.slot ?? 0);
    this.#folder = folder;
    this.#seq = from?.seq ?? 0;
    this.#tick = from?.tick ?? 0;
    for (const [address, hash] of Object.entries(from?.programs ?? {})) this.#programs.set(address, hash);
  }

  /** How many entries the chain has. */
  get length(): number {
    return this.#seq;
  }

  /** Called with every transaction after it has landed. */
  onLanded(listener: (landed: Landed) => void): void {
    this.#listeners.add(listener);
  }

  /** Throws once the journal could not be written: the memory is then ahead of the disk, and must not be shown. */
  check(): void {
    if (this.#broken) throw this.#broken;
  }

  /** Brings the engine to the current slot. Call before anything runs. */
  enter(): Stamp {
    const stamp = this.slots.now();
    if (stamp.slot !== this.#slot) this.#enter(stamp, this.#tick + 1);
    return stamp;
  }

  accountsOf(transaction: DecodedTransaction): TransactionAccounts {
    return accountsOf(transaction.message, (address) => this.engine.account(address));
  }

  /** Runs a transaction; undefined when it was refused without a trace. */
  land(transaction: DecodedTransaction): Landed | undefined {
    const stamp = this.enter();
    const accounts = this.accountsOf(transaction);
    const processed = processTransaction(this.engine, transaction, accounts);
    if (!processed) return undefined;
    const { meta, before } = processed;
    this.past.record(stamp.slot, before);
    const { keys } = accounts;
    const landed: Landed = {
      kind: 'transaction',
      seq: this.#seq,
      tick: this.#tick,
      stamp,
      signature: transaction.signatures[0]!,
      bytes: transaction.bytes.toString('base64'),
      keys,
      memo: memoOf(transaction.message, keys),
      meta,
    };
    this.history.add(landed, this.#append(landed));
    setImmediate(() => {
      for (const listener of this.#listeners) listener(landed);
    });
    return landed;
  }

  setAccount(address: string, { lamports, data, owner, executable }: AccountState): void {
    const stamp = this.enter();
    const entry: AccountWritten = {
      kind: 'account',
      seq: this.#seq,
      tick: this.#tick,
      stamp,
      address,
      lamports: String(lamports),
      data: data.toString('base64'),
      owner,
      executable,
    };
    this.#apply(entry);
    this.#append(entry);
  }

  /** Puts a program at an address, unless exactly this program is already there. */
  loadProgram(address: string, elf: Uint8Array): void {
    if (this.#programs.get(address) === hashOf(elf)) return;
    const stamp = this.enter();
    const text = Buffer.from(elf).toString('base64');
    const entry: ProgramLoaded = { kind: 'program', seq: this.#seq, tick: this.#tick, stamp, address, elf: text };
    this.#apply(entry);
    this.#append(entry);
  }

  /** From here on an account has to hold this much a byte. */
  setRent(lamportsPerByte: bigint): void {
    const stamp = this.enter();
    const text = String(lamportsPerByte);
    const entry: RentSet = { kind: 'rent', seq: this.#seq, tick: this.#tick, stamp, lamportsPerByte: text };
    this.#apply(entry);
    this.#append(entry);
  }

  warp(slots: number, blocks: number, seconds: number): Stamp {
    const stamp = this.slots.warp(slots, blocks, seconds);
    const entry: Warped = { kind: 'warp', seq: this.#seq, tick: this.#tick, stamp };
    this.#slot = -1;
    this.#append(entry);
    return stamp;
  }

  /** Takes back a journal entry: into the history, and into the state when the snapshot does not have it yet. */
  replay(text: string): void {
    const entry = JSON.parse(text) as JournalEntry;
    if (entry.seq >= this.#seq) {
      this.slots.resume(entry.stamp);
      this.#enter(entry.stamp, entry.tick);
      this.#apply(entry);
      this.#seq = entry.seq + 1;
      this.#sinceSnapshot += 1;
    }
    if (entry.kind === 'transaction') this.history.add(entry, text);
  }

  snapshot(): void {
    if (!this.#folder || this.#broken) return;
    const { genesisHash } = this;
    this.#folder.keep(
      {
        genesisHash,
        seq: this.#seq,
        tick: this.#tick,
        stamp: this.slots.now(),
        programs: Object.fromEntries(this.#programs),
        state: this.engine.snapshot(),
      },
      this.history.oldest() ?? this.#seq,
    );
    this.#sinceSnapshot = 0;
  }

  close(): void {
    try {
      if (this.#sinceSnapshot > 0) this.snapshot();
    } finally {
      this.#folder?.close();
    }
  }

  #enter(stamp: Stamp, tick: number): void {
    for (; this.#tick < tick; this.#tick++) this.engine.nextBlockhash();
    if (stamp.slot === this.#slot) return;
    this.#slot = stamp.slot;
    this.engine.setTime(stamp.slot, stamp.unix, SLOTS_PER_EPOCH, this.slots.slotHashes(stamp.slot));
  }

  #apply(entry: JournalEntry): void {
    if (entry.kind === 'account') {
      const { address, owner, executable } = entry;
      const data = Buffer.from(entry.data, 'base64');
      this.past.record(entry.stamp.slot, [[address, this.engine.account(address)]]);
      this.engine.setAccount(address, { lamports: BigInt(entry.lamports), data, owner, executable });
    } else if (entry.kind === 'program') {
      const elf = Buffer.from(entry.elf, 'base64');
      this.past.record(entry.stamp.slot, [[entry.address, this.engine.account(entry.address)]]);
      this.engine.addProgram(entry.address, elf);
      this.#programs.set(entry.address, hashOf(elf));
    } else if (entry.kind === 'transaction') {
      const transaction = decodeTransaction(Buffer.from(entry.bytes, 'base64'));
      const processed = processTransaction(this.engine, transaction, this.accountsOf(transaction));
      this.past.record(entry.stamp.slot, processed?.before ?? []);
      if (JSON.stringify(processed?.meta) !== JSON.stringify(entry.meta)) {
        throw new Error(`The localnet journal does not replay: transaction ${entry.signature} had another result.`);
      }
    } else if (entry.kind === 'rent') {
      this.engine.rentPerByte = BigInt(entry.lamportsPerByte);
    } else {
      this.#slot = -1;
    }
  }

  #append(entry: JournalEntry): string {
    this.check();
    const text = JSON.stringify(entry);
    try {
      this.#folder?.append(text);
      this.#seq += 1;
      this.#sinceSnapshot += 1;
      if (this.#sinceSnapshot >= SNAPSHOT_EVERY) this.snapshot();
    } catch (cause) {
      this.#broken = new Error('The localnet cannot write its folder; free some space and restart it.', { cause });
      throw this.#broken;
    }
    return text;
  }
}

function hashOf(elf: Uint8Array): string {
  return createHash('sha256').update(elf).digest('hex');
}
