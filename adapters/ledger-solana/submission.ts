import type { Clock } from '../../core/clock.ts';
import type { PreparedTransaction, TransactionOutcome } from '../../core/ledger/ledger.ts';
import type { LedgerRefusal } from '../../core/ledger/refusal.ts';
import { Answer } from './answers.ts';
import { type JsonRpc, RpcRefusal } from './json-rpc.ts';

const FIRST_PAUSE_MS = 300;
const MAX_PAUSE_MS = 4_000;
const PREFLIGHT_FAILED = -32002;
const MAX_REMEMBERED = 1_000;

/** Refusals that say nothing about the transaction: it is already known, or the node does not see its blockhash yet. */
const HARMLESS: ReadonlySet<string> = new Set(['AlreadyProcessed', 'BlockhashNotFound']);

/** What an error of a transaction, given in base64, means in our words; undefined when nobody knows. */
export type RefusalOf = (bytes: string, error: unknown) => LedgerRefusal | undefined;

/** Sends transactions and finds out what became of them. */
export class Submission {
  readonly #rpc: JsonRpc;
  readonly #clock: Clock;
  readonly #refusalOf: RefusalOf;
  /** Prepared in this process and never sent: only of these a refusal by preflight is the end. */
  readonly #unsent = new Set<string>();

  constructor(rpc: JsonRpc, clock: Clock, refusalOf: RefusalOf) {
    this.#rpc = rpc;
    this.#clock = clock;
    this.#refusalOf = refusalOf;
  }

  prepared(transaction: PreparedTransaction): void {
    if (this.#unsent.size >= MAX_REMEMBERED) this.#unsent.delete(this.#unsent.values().next().value!);
    this.#unsent.add(transaction.signature);
  }

  async submit(transaction: PreparedTransaction, signal?: AbortSignal): Promise<TransactionOutcome> {
    let pause = FIRST_PAUSE_MS;
    for (;;) {
      const refused = await this.#send(transaction, signal);
      if (refused) return refused;
      const outcome = await this.outcome(transaction, signal);
      if (outcome.status !== 'pending') return outcome;
      await this.#clock.sleep(pause, signal);
      pause = Math.min(pause * 1.5, MAX_PAUSE_MS);
    }
  }

  async outcome(transaction: PreparedTransaction, signal?: AbortSignal): Promise<TransactionOutcome> {
    // The height is read first and finalised: if it has passed and the status, read later, is unknown, nothing can
    // land any more.
    const height = await this.#rpc.call('getBlockHeight', [{ commitment: 'finalized' }], signal);
    const options = { searchTransactionHistory: true };
    const result = await this.#rpc.call('getSignatureStatuses', [[transaction.signature], options], signal);
    const status = new Answer(result, 'getSignatureStatuses').at('value').at(0);
    if (status.isNull) {
      const passed = new Answer(height, 'getBlockHeight').integer() > transaction.lastValidBlockHeight;
      return { status: passed ? 'expired' : 'pending' };
    }
    if (status.at('confirmationStatus').raw === 'processed') return { status: 'pending' };
    if (!status.at('err').isNull) return this.#failed(transaction, status.at('err').raw);
    return { status: 'confirmed', slot: status.at('slot').integer() };
  }

  /** One try to send. An outcome only when it is certain that the transaction will never land. */
  async #send(transaction: PreparedTransaction, signal?: AbortSignal): Promise<TransactionOutcome | undefined> {
    const firstTime = this.#unsent.delete(transaction.signature);
    const options = {
      encoding: 'base64',
      preflightCommitment: 'confirmed',
      skipPreflight: !firstTime,
      maxRetries: 0,
    };
    try {
      await this.#rpc.once('sendTransaction', [transaction.bytes, options], signal);
    } catch (error) {
      signal?.throwIfAborted();
      // Without an answer it may have been sent all the same; the outcome will tell.
      if (!firstTime || !(error instanceof RpcRefusal) || error.code !== PREFLIGHT_FAILED) return undefined;
      const cause = new Answer(error.data, 'sendTransaction').at('err');
      if (cause.isNull || (typeof cause.raw === 'string' && HARMLESS.has(cause.raw))) return undefined;
      return this.#failed(transaction, cause.raw);
    }
    return undefined;
  }

  /** The code is the name of Solana's `TransactionError`, the detail its JSON. */
  #failed({ bytes }: PreparedTransaction, error: unknown): TransactionOutcome {
    const code = typeof error === 'string' ? error : (Object.keys(Object(error))[0] ?? 'Unknown');
    const refusal = this.#refusalOf(bytes, error);
    return { status: 'failed', code, detail: JSON.stringify(error).slice(0, 500), ...(refusal && { refusal }) };
  }
}
