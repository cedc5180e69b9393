import type { PublicKey } from '@solana/web3.js';
import { MeshError } from '../../core/contracts/errors.ts';
import type { IncomingPage, IncomingTransfer } from '../../core/ledger/ledger.ts';
import { BoundedMap } from '../../core/platform/bounded-map.ts';
import type { Clock } from '../../core/platform/clock.ts';
import { base58Bytes, publicKey, readAccountsAt, tokenAmount } from './holdings.ts';
import { associatedTokenAddress } from './instructions.ts';
import type { History, HistoryEntry } from './settlement/history.ts';
import { HistoryReaders } from './settlement/history-readers.ts';
import type { TransactionReader } from './transaction-reader.ts';
import { transferIn } from './transfer-record.ts';
import type { Witnesses } from './witnesses.ts';

const MAX_LIMIT = 1_000;
/** Transactions read in one call, and pages walked back: anybody can put as many as they pay for into a history. */
const MAX_READ = 400;
const MAX_WALK = 20;
/** Transactions read at the same time. */
const PARALLEL = 8;
const MAX_REMEMBERED = 256;
/** How long an unchanged balance passes for no transfer: money that came may have left again. */
const QUIET_MS = 120_000;

export interface IncomingOptions {
  readonly witnesses: Witnesses;
  readonly reader: TransactionReader;
  readonly mint: PublicKey;
  readonly clock: Clock;
  /** Transactions on one page of a history; a thousand unless told. */
  readonly pageSize?: number;
}

/** Where an account stood when its history had been read to the end. */
interface Quiet {
  readonly after: string | undefined;
  readonly balance: bigint;
  readonly at: number;
}

/**
 * Reads transfers into a USDC account. Anyone can put transactions that are no transfers, and transfers of next to
 * nothing, into the history of an account: every call does bounded work, goes on where the one before stopped, and gives
 * a cursor that is behind all of it.
 */
export class Incoming {
  readonly #options: IncomingOptions;
  readonly #readers: HistoryReaders;
  readonly #quiet = new BoundedMap<string, Quiet>(MAX_REMEMBERED);

  constructor(options: IncomingOptions) {
    this.#options = options;
    this.#readers = new HistoryReaders(options.witnesses, options.pageSize);
  }

  async page(owner: string, after: string | undefined, limit: number): Promise<IncomingPage> {
    if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
      throw new MeshError('invalid_request', `The limit must be from 1 to ${MAX_LIMIT}.`);
    }
    if (after !== undefined && base58Bytes(after.slice(0, 100)).length !== 64) {
      throw new MeshError('invalid_request', 'The cursor must be a transaction signature.');
    }
    const { mint, clock } = this.#options;
    const account = associatedTokenAddress(publicKey(owner), mint);
    const key = account.toBase58();
    // Read before the history, so that a transfer in between is not taken for known.
    const balance = await this.#balance(owner, account);
    const quiet = this.#quiet.get(key);
    if (quiet && quiet.after === after && quiet.balance === balance && clock.now() - quiet.at < QUIET_MS)
      return { transfers: [], cursor: after, more: false };
    const history = this.#readers.take(key, after);
    const page = await this.#read(history, limit).finally(() => this.#readers.putBack(history));
    if (!page.more) this.#quiet.set(key, { after: page.cursor, balance, at: clock.now() });
    return page;
  }

  async #balance(owner: string, account: PublicKey): Promise<bigint> {
    const { witnesses, mint } = this.#options;
    const read = await readAccountsAt(witnesses.first, [account], 'finalized', witnesses.newest);
    return tokenAmount(read.value[0] ?? null, publicKey(owner), mint);
  }

  async #read(history: History, limit: number): Promise<IncomingPage> {
    const begin = history.after;
    const transfers: IncomingTransfer[] = [];
    const page = (more: boolean) => ({ transfers, cursor: history.after, more });
    try {
      for (let read = 0; read < MAX_READ && transfers.length < limit; ) {
        const ahead = await history.within(MAX_WALK);
        if (!ahead) return page(true);
        if (ahead.length === 0) return page(false);
        const failed = runOfFailed(ahead);
        const next = ahead.slice(0, failed || Math.min(PARALLEL, limit - transfers.length));
        const found = await Promise.all(next.map((entry) => this.#transfer(entry, history.address)));
        transfers.push(...found.flatMap((transfer) => transfer ?? []));
        history.pass(next.length);
        if (failed === 0) read += next.length;
      }
    } catch (error) {
      // The transactions that were read before it are not read again: the cursor stands behind them.
      if (history.after === begin) throw error;
    }
    return page(true);
  }

  async #transfer(entry: HistoryEntry, account: string): Promise<IncomingTransfer | undefined> {
    if (entry.failed) return undefined;
    const { reader, mint } = this.#options;
    const found = await reader.read(entry, (transaction) => transferIn(transaction, account, mint.toBase58()));
    if ('value' in found) return found.value && { signature: entry.signature, ...found.value };
    if (found.givenUp) return undefined;
    throw new MeshError('ledger_unavailable', `The transaction ${entry.signature} could not be read: ${found.unread}`);
  }
}

function runOfFailed(entries: readonly HistoryEntry[]): number {
  const end = entries.findIndex(({ failed }) => !failed);
  return end === -1 ? entries.length : end;
}
