import { isDeepStrictEqual } from 'node:util';
import { MeshError } from '../../core/contracts/errors.ts';
import { BoundedMap } from '../../core/platform/bounded-map.ts';
import type { Clock } from '../../core/platform/clock.ts';
import type { Log } from '../../core/platform/log.ts';
import type { Metrics } from '../../core/platform/metrics.ts';
import type { Answer } from './answers.ts';
import { type JsonRpc, RpcRefusal } from './json-rpc.ts';
import type { Witnesses } from './witnesses.ts';

/** The newest transaction version that nodes are asked for; a node does not show a newer one. */
export const NEWEST_VERSION = 1;
const UNSUPPORTED_VERSION = -32015;
/** How often, and for how long, a transaction is tried before it is passed over. */
const TRIES = 3;
const PATIENCE_MS = 60_000;
const MAX_TRIED = 256;

/** A transaction as a history lists it. */
export interface Listed {
  readonly signature: string;
  readonly slot: number;
}

/**
 * The facts read from a transaction, or the reason why it could not be read. `givenUp`: the nodes answer for other
 * transactions and not for this one, so a reader of the history goes on behind it.
 */
export type Found<T> = { readonly value: T } | { readonly unread: string; readonly givenUp: boolean };

export interface TransactionReaderOptions {
  readonly witnesses: Witnesses;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics?: Pick<Metrics, 'counter'>;
}

/**
 * Reads finalised transactions, by the word of every node. A transaction that cannot be read is passed over in the
 * end.
 */
export class TransactionReader {
  readonly #options: TransactionReaderOptions;
  readonly #count: () => void;
  readonly #tried = new BoundedMap<string, { readonly since: number; readonly times: number }>(MAX_TRIED);
  /** The newest transaction that could be read: it shows that the fault lies with the other one. */
  #known: Listed | undefined;

  constructor(options: TransactionReaderOptions) {
    this.#options = options;
    const help = 'Transactions of the ledger that could not be read and were passed over.';
    const count = options.metrics?.counter('mesh_ledger_transactions_passed_over_total', help);
    this.#count = () => count?.();
  }

  /** `decode` throws where the answer is not what it must be. Fails where a node does not answer at all. */
  async read<T>(listed: Listed, decode: (transaction: Answer) => T): Promise<Found<T>> {
    const { all } = this.#options.witnesses;
    let first: { readonly value: T } | undefined;
    for (const rpc of all) {
      const found = await this.#from(rpc, listed, decode);
      if ('unread' in found) return found;
      if (first && !isDeepStrictEqual(first.value, found.value)) {
        const reason = `RPC ${rpc.standing.ordinal} says something else than RPC 1 of ${listed.signature}`;
        rpc.standing.failed('getTransaction', 'disagrees', reason);
        return this.#unread(listed, reason);
      }
      first ??= found;
    }
    this.#tried.delete(listed.signature);
    this.#known = listed;
    return first!;
  }

  async #from<T>(rpc: JsonRpc, listed: Listed, decode: (transaction: Answer) => T): Promise<Found<T>> {
    try {
      const transaction = await fetched(rpc, listed);
      return transaction
        ? { value: decode(transaction) }
        : await this.#unread(listed, 'the ledger lists it and lacks it');
    } catch (error) {
      if (!(error instanceof MeshError) || error.code !== 'ledger_unavailable') throw error;
      if (!(error.cause instanceof RpcRefusal) || error.cause.code !== UNSUPPORTED_VERSION)
        return this.#unread(listed, error.message);
      this.#passOver(listed, error.cause.message);
      return { unread: error.message, givenUp: true };
    }
  }

  async #unread(listed: Listed, reason: string): Promise<{ unread: string; givenUp: boolean }> {
    const now = this.#options.clock.now();
    const { since, times } = this.#tried.get(listed.signature) ?? { since: now, times: 0 };
    this.#tried.set(listed.signature, { since, times: times + 1 });
    const givenUp = times + 1 >= TRIES && now - since >= PATIENCE_MS && (await this.#readsOthers(listed));
    if (givenUp) this.#passOver(listed, reason);
    return { unread: reason, givenUp };
  }

  /** Whether every node answers properly for a transaction that could be read before. */
  async #readsOthers({ signature }: Listed): Promise<boolean> {
    const known = this.#known;
    if (!known || known.signature === signature) return false;
    try {
      return (await Promise.all(this.#options.witnesses.all.map((rpc) => fetched(rpc, known)))).every((one) => one);
    } catch {
      return false;
    }
  }

  #passOver({ signature, slot }: Listed, reason: string): void {
    this.#tried.delete(signature);
    this.#count();
    this.#options.log.warn(
      { signature, slot, reason },
      'a transaction of the ledger cannot be read and is passed over',
    );
  }
}

/** The finalised transaction, which is the one that was listed; undefined where the node lacks it. */
async function fetched(rpc: JsonRpc, { signature, slot }: Listed): Promise<Answer | undefined> {
  const options = { commitment: 'finalized', encoding: 'json', maxSupportedTransactionVersion: NEWEST_VERSION };
  const transaction = await rpc.ask('getTransaction', [signature, options]);
  if (transaction.isNull) return undefined;
  const first = transaction.at('transaction').at('signatures').at(0);
  if (first.text() !== signature) throw first.wrong('the signature that was asked for');
  const landed = transaction.at('slot');
  if (landed.natural() !== slot) throw landed.wrong('the slot it is listed under');
  return transaction;
}
