import type { PublicKey } from '@solana/web3.js';
import { MeshError } from '../../core/contracts/errors.ts';
import type { IncomingPage, IncomingTransfer, PassedOver } from '../../core/ledger/ledger.ts';
import type { Answer } from './answers.ts';
import { base58Bytes, publicKey } from './holdings.ts';
import { associatedTokenAddress } from './instructions.ts';
import { History, type HistoryEntry } from './settlement/history.ts';
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

export interface IncomingOptions {
  readonly witnesses: Witnesses;
  readonly reader: TransactionReader;
  readonly mint: PublicKey;
  /** Transactions on one page of a history; a thousand unless told. */
  readonly pageSize?: number;
}

/**
 * Reads transfers into a USDC account. Anyone can put transactions that are no transfers, and transfers of next to
 * nothing, into the history of an account: every call does bounded work, goes on where the one before stopped, and gives
 * a cursor that is behind all of it.
 */
export class Incoming {
  readonly #options: IncomingOptions;
  readonly #readers: HistoryReaders;

  constructor(options: IncomingOptions) {
    this.#options = options;
    this.#readers = new HistoryReaders(options.witnesses, options.pageSize);
  }

  /** With `payouts` also what vaults paid. */
  async page(owner: string, after: string | undefined, limit: number, payouts = false): Promise<IncomingPage> {
    if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
      throw new MeshError('invalid_request', `The limit must be from 1 to ${MAX_LIMIT}.`);
    }
    if (after !== undefined && base58Bytes(after.slice(0, 100)).length !== 64) {
      throw new MeshError('invalid_request', 'The cursor must be a transaction signature.');
    }
    const account = associatedTokenAddress(publicKey(owner), this.#options.mint);
    const history = this.#readers.take(account.toBase58(), after);
    return this.#read(history, limit, payouts).finally(() => this.#readers.putBack(history));
  }

  /** A transaction that was passed over, once more. */
  async one(owner: string, { signature, slot }: PassedOver, payouts = false): Promise<IncomingTransfer | undefined> {
    const account = associatedTokenAddress(publicKey(owner), this.#options.mint);
    const history = new History(this.#options.witnesses, account.toBase58(), undefined);
    const found = await this.#transfer({ signature, slot, failed: false }, history, payouts);
    if (found && 'passedOver' in found) throw unreadable(signature, found.reason);
    return found;
  }

  async #read(history: History, limit: number, payouts: boolean): Promise<IncomingPage> {
    const begin = history.after;
    const transfers: IncomingTransfer[] = [];
    const passedOver: PassedOver[] = [];
    const page = (more: boolean) => ({ transfers, cursor: history.after, more, passedOver });
    try {
      for (let read = 0; read < MAX_READ && transfers.length < limit; ) {
        const ahead = await history.within(MAX_WALK);
        if (!ahead) return page(true);
        if (ahead.length === 0) return page(false);
        const failed = runOfFailed(ahead);
        const next = ahead.slice(0, failed || Math.min(PARALLEL, limit - transfers.length));
        const found = await Promise.all(next.map((entry) => this.#transfer(entry, history, payouts)));
        for (const one of found) {
          if (one && 'passedOver' in one) passedOver.push(one.passedOver);
          else if (one) transfers.push(one);
        }
        history.pass(next.length);
        if (failed === 0) read += next.length;
      }
    } catch (error) {
      // The transactions that were read before it are not read again: the cursor stands behind them.
      if (history.after === begin) throw error;
    }
    return page(true);
  }

  async #transfer(
    entry: HistoryEntry,
    history: History,
    payouts: boolean,
  ): Promise<IncomingTransfer | { readonly passedOver: PassedOver; readonly reason: string } | undefined> {
    if (entry.failed) return undefined;
    const { reader, mint } = this.#options;
    const { signature, slot } = entry;
    const decode = (of: Answer) => transferIn(of, history.address, mint.toBase58(), payouts);
    const found = await reader.read(entry, history.decoding(decode));
    if ('value' in found) return found.value && { signature, ...found.value };
    if (found.givenUp) return { passedOver: { signature, slot }, reason: found.unread };
    throw unreadable(signature, found.unread);
  }
}

function unreadable(signature: string, reason: string): MeshError {
  return new MeshError('ledger_unavailable', `The transaction ${signature} could not be read: ${reason}`);
}

function runOfFailed(entries: readonly HistoryEntry[]): number {
  const end = entries.findIndex(({ failed }) => !failed);
  return end === -1 ? entries.length : end;
}
