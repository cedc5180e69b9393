import type { SchemaTypes } from '../../schemas/types.ts';
import { MeshError } from '../errors.ts';
import type { Log } from '../log.ts';
import { collection } from '../storage/declarations.ts';
import type { Space } from '../storage/space.ts';
import type { Ledger, PreparedTransaction, TransactionOutcome } from './ledger.ts';
import { type LedgerRefusal, outcomeError } from './refusal.ts';

type RecordedTransaction = SchemaTypes['recorded-transaction'];

const transactions = collection<RecordedTransaction, 'unfinished'>('ledger-transactions', {
  schema: 'recorded-transaction',
  indexes: { unfinished: ({ status, at }) => (status === 'recorded' ? [at] : undefined) },
});

export interface RecordedTransactionsOptions {
  readonly space: Space;
  readonly ledger: Pick<Ledger, 'submit'>;
  readonly log: Log;
}

/** A transaction the ledger has confirmed. */
export interface LandedTransaction {
  readonly signature: string;
  readonly slot: number;
}

export interface TransactionState {
  /** `recorded` while it is under way. */
  readonly status: 'recorded' | 'confirmed' | 'failed' | 'expired';
  readonly signature: string;
  /** Of a confirmed one. */
  readonly slot?: number;
  /** Of a failed one: the program's own word, else our code, else the ledger's. */
  readonly refusal?: string;
}

/** Transactions that expire without having landed before a call gives up. */
const ATTEMPTS = 3;
/** How many may wait for the ledger at the same time. */
const MAX_UNFINISHED = 1_000;
const RESUMED = 200;
/** How long the outcome of a name is remembered. */
const KEPT_MS = 90 * 24 * 3_600_000;

/**
 * Has the ledger take a transaction once, whatever happens in between: it is stored under the name of what it is for
 * before it is sent, so after a crash the same transaction goes on. A new one for the same name is made only once the
 * old one certainly failed or expired.
 */
export class RecordedTransactions {
  readonly #options: RecordedTransactionsOptions;
  readonly #running = new Map<string, Promise<LandedTransaction>>();
  readonly #resuming = new Map<string, Promise<unknown>>();

  constructor(options: RecordedTransactionsOptions) {
    this.#options = options;
  }

  /**
   * Resolves when the ledger has confirmed the transaction of that name; at once when it did so in the last 90 days.
   * Concurrent calls join. `prepare` is asked for a transaction when none is under way, and may be asked again.
   * `signal` is that of the node, not of a caller: what was begun goes on when its caller has left. Rejects with what
   * `prepare` threw, with the refusal of the ledger, or with `ledger_unavailable`; then the name may be tried again.
   */
  carryOut(name: string, prepare: () => Promise<PreparedTransaction>, signal: AbortSignal): Promise<LandedTransaction> {
    const running = this.#running.get(name);
    if (running) return running;
    const run = this.#carryOut(name, prepare, signal).finally(() => this.#running.delete(name));
    this.#running.set(name, run);
    return run;
  }

  /** What became of the newest transaction of a name. */
  async find(name: string): Promise<TransactionState | undefined> {
    const record = await this.#options.space.get(transactions.ref(name));
    if (!record) return undefined;
    const { status, signature, slot, refusal } = record;
    return { status, signature, ...(slot !== undefined && { slot }), ...(refusal !== undefined && { refusal }) };
  }

  /** Sends what a crash or an outage left unfinished. Whoever began it learns the outcome by calling `carryOut` again. */
  async resume(signal: AbortSignal): Promise<void> {
    const { space, log } = this.#options;
    for (const { id, value } of await space.page(transactions, { index: 'unfinished', limit: RESUMED })) {
      if (signal.aborted) return;
      if (this.#running.has(id)) continue;
      const run = this.#submit(id, value, signal)
        .catch((error: unknown) => log.warn({ transaction: id, reason: String(error) }, 'a transaction is unfinished'))
        .finally(() => this.#resuming.delete(id));
      this.#resuming.set(id, run);
      await run;
    }
  }

  async #carryOut(
    name: string,
    prepare: () => Promise<PreparedTransaction>,
    signal: AbortSignal,
  ): Promise<LandedTransaction> {
    await this.#resuming.get(name);
    for (let attempt = 1; ; attempt++) {
      const found = await this.#options.space.get(transactions.ref(name));
      const record = isOpen(found) ? found : await this.#record(name, await prepare());
      const outcome = record.status === 'confirmed' ? confirmed(record) : await this.#submit(name, record, signal);
      if (outcome.status === 'confirmed') return { signature: record.signature, slot: outcome.slot };
      if (outcome.status !== 'expired' || attempt === ATTEMPTS) throw outcomeError(outcome);
    }
  }

  /** Writes the transaction down, unless another one of that name got there first; gives the one that counts. */
  async #record(name: string, prepared: PreparedTransaction): Promise<RecordedTransaction> {
    const { space } = this.#options;
    if ((await space.count(transactions, 'unfinished')) >= MAX_UNFINISHED)
      throw new MeshError('ledger_unavailable', `${MAX_UNFINISHED} transactions wait for the ledger; try again later.`);
    const ref = transactions.ref(name);
    const { signature, bytes, lastValidBlockHeight } = prepared;
    const { value } = await space.tx([ref], (tx) => {
      const found = tx.get(ref);
      if (isOpen(found)) return found;
      const record: RecordedTransaction = { signature, bytes, lastValidBlockHeight, status: 'recorded', at: tx.now };
      tx.put(ref, record);
      return record;
    });
    return value;
  }

  async #submit(name: string, record: RecordedTransaction, signal: AbortSignal): Promise<TransactionOutcome> {
    const outcome = await this.#options.ledger.submit(record, signal).catch((error: unknown) => {
      throw signal.aborted
        ? new MeshError('not_ready', 'The transaction was recorded; the node stops and goes on later.')
        : error;
    });
    if (outcome.status !== 'pending') await this.#finish(name, record, outcome);
    return outcome;
  }

  async #finish(name: string, record: RecordedTransaction, outcome: TransactionOutcome): Promise<void> {
    const ref = transactions.ref(name);
    const { status } = outcome;
    await this.#options.space.tx([ref], (tx) => {
      if (tx.get(ref)?.signature !== record.signature || status === 'pending') return;
      const slot = status === 'confirmed' ? { slot: outcome.slot } : {};
      const refusal = status === 'failed' ? refusedAs(outcome.refusal, outcome.code) : {};
      tx.put(ref, { ...record, status, ...slot, ...refusal, at: tx.now }, { ttl: KEPT_MS });
    });
  }
}

/** Under way, or done. */
function isOpen(record: RecordedTransaction | undefined): record is RecordedTransaction {
  return record?.status === 'recorded' || record?.status === 'confirmed';
}

function confirmed({ slot = 0 }: RecordedTransaction): { status: 'confirmed'; slot: number } {
  return { status: 'confirmed', slot };
}

function refusedAs(refusal: LedgerRefusal | undefined, code: string): { refusal: string } {
  return { refusal: refusal?.programError ?? refusal?.code ?? code };
}
