import { MeshError } from '../contracts/errors.ts';
import type { Log } from '../platform/log.ts';
import type { Space } from '../storage/space.ts';
import type { Ledger, PreparedTransaction, TransactionOutcome } from './ledger.ts';
import {
  adopted,
  isOpen,
  type RecordedTransaction,
  recordOf,
  takenForExpired,
  transactions,
  withOutcome,
} from './recorded-transaction.ts';
import { outcomeError } from './refusal.ts';
import { type CarryOutOptions, decided } from './step-done.ts';

export interface RecordedTransactionsOptions {
  readonly space: Space;
  readonly ledger: Pick<Ledger, 'submit' | 'outcome'>;
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
  /** Its block height has passed, so it lands no more, but the ledger cannot say yet whether it did. */
  readonly lapsed?: boolean;
  /** Of a confirmed one. */
  readonly slot?: number;
  /** It is confirmed, and the ledger may yet take it back; then it is sent again while it can land. */
  readonly revocable?: boolean;
  /** Of a failed one: the program's own word, else our code, else the ledger's. */
  readonly refusal?: string;
}

interface Begun extends CarryOutOptions {
  readonly name: string;
  readonly signal: AbortSignal;
}

/** Transactions that expire without having landed before a call gives up. */
const ATTEMPTS = 3;
/** How many may wait for the ledger at the same time. */
const MAX_UNFINISHED = 1_000;
const RESUMED = 200;
const PARALLEL = 8;
/** How long the outcome of a name is remembered. */
const KEPT_MS = 90 * 24 * 3_600_000;

/**
 * Has the ledger take a transaction once, whatever happens in between: it is stored under the name of its purpose
 * before it is sent, so after a crash the same transaction goes on. A new one for the same name is made only once the
 * old one certainly failed or expired, and all older ones of the name were asked about again.
 */
export class RecordedTransactions {
  readonly #options: RecordedTransactionsOptions;
  readonly #running = new Map<string, Promise<LandedTransaction>>();
  readonly #resuming = new Map<string, Promise<unknown>>();

  constructor(options: RecordedTransactionsOptions) {
    this.#options = options;
  }

  /**
   * Resolves when the ledger has confirmed the transaction of that name; at once when it did so in the last 90 days,
   * unless `isDone` says that the step is not done. Concurrent calls join. `prepare` is asked for a transaction when
   * none is under way, and may be asked again. `signal` is the node's, not a caller's: a transaction goes on when its
   * caller has left. Rejects with the error of `prepare`, with the refusal of the ledger, or with
   * `ledger_unavailable`; then the name may be tried again.
   */
  carryOut(
    name: string,
    prepare: () => Promise<PreparedTransaction>,
    signal: AbortSignal,
    options: CarryOutOptions = {},
  ): Promise<LandedTransaction> {
    const running = this.#running.get(name);
    if (running) return running;
    const run = this.#carryOut(prepare, { ...options, name, signal }).finally(() => this.#running.delete(name));
    this.#running.set(name, run);
    return run;
  }

  /** The state of the newest transaction of a name. */
  async find(name: string): Promise<TransactionState | undefined> {
    const record = await this.#options.space.get(transactions.ref(name));
    if (!record) return undefined;
    const { status, signature, slot, refusal, lapsed, finalised } = record;
    return {
      ...{ status, signature },
      ...(status === 'confirmed' && slot !== undefined && { slot }),
      ...(status === 'confirmed' && finalised === false && { revocable: true }),
      ...(refusal !== undefined && { refusal }),
      ...(lapsed && { lapsed: true }),
    };
  }

  /**
   * Sends transactions that a crash or an outage left unfinished, and looks again at confirmed ones that are not
   * finalised yet: one that the ledger took back is sent again while it can land. A caller learns the outcome by
   * calling `carryOut`.
   */
  async resume(signal: AbortSignal): Promise<void> {
    const { space } = this.#options;
    for (const index of ['unfinal', 'unfinished'] as const) {
      const found = await space.page(transactions, { index, limit: RESUMED });
      const idle = found.filter(({ id }) => !this.#running.has(id));
      for (let first = 0; first < idle.length && !signal.aborted; first += PARALLEL)
        await Promise.all(idle.slice(first, first + PARALLEL).map(({ id, value }) => this.#resume(id, value, signal)));
    }
  }

  async #resume(name: string, record: RecordedTransaction, signal: AbortSignal): Promise<void> {
    if (this.#running.has(name)) return;
    const look = record.status === 'confirmed' || record.lapsed;
    const run = (look ? this.#look(name, record) : this.#submit({ name, signal }, record))
      .catch((error: unknown) =>
        this.#options.log.warn({ transaction: name, reason: String(error) }, 'a transaction is unfinished'),
      )
      .finally(() => this.#resuming.delete(name));
    this.#resuming.set(name, run);
    await run;
  }

  async #carryOut(prepare: () => Promise<PreparedTransaction>, begun: Begun): Promise<LandedTransaction> {
    const { name } = begun;
    await this.#resuming.get(name);
    for (let attempt = 1; ; attempt++) {
      const found = await this.#options.space.get(transactions.ref(name));
      const landed = await this.#landed(begun, found);
      if (landed) return landed;
      const before = await this.#options.space.get(transactions.ref(name));
      const record = before?.status === 'recorded' ? before : await this.#record(name, await prepare(), before);
      if (record !== before && record.status === 'recorded') await begun.recorded?.(toSend(record));
      const outcome = record.status === 'confirmed' ? confirmed(record) : await this.#submit(begun, record);
      if (outcome.status === 'confirmed') return { signature: record.signature, slot: outcome.slot };
      if (outcome.status !== 'expired' || attempt === ATTEMPTS) throw outcomeError(outcome);
    }
  }

  /** The transaction that has done the step of this name already, if any; fails while that cannot be told. */
  async #landed(begun: Begun, found: RecordedTransaction | undefined): Promise<LandedTransaction | undefined> {
    if (found?.status === 'recorded') return undefined;
    if (found?.status === 'confirmed') {
      const record = found.finalised === false ? await this.#look(begun.name, found) : found;
      if (record.status === 'recorded') return undefined;
      if (record.status === 'confirmed' && record.finalised === false)
        return begun.until === 'finalised' ? this.#finalise(begun, record) : landing(record);
      if (record.status === 'confirmed') return this.#stillDone(begun, landing(record));
      return this.#landed(begun, record);
    }
    return (await this.#landedEarlier(begun, found)) ?? this.#doneOtherwise(begun, found);
  }

  /** Asks the ledger again about every transaction of the name that was taken for expired. */
  async #landedEarlier(begun: Begun, found: RecordedTransaction | undefined): Promise<LandedTransaction | undefined> {
    if (!found) return undefined;
    for (const sent of takenForExpired(found)) {
      const outcome = await this.#options.ledger.outcome(sent);
      if (outcome.status === 'pending' && !outcome.lapsed) throw outcomeError(outcome);
      if (outcome.status !== 'confirmed') continue;
      const landed = { signature: sent.signature, slot: outcome.slot };
      const done = outcome.finalised ? await this.#stillDone(begun, landed) : landed;
      if (!done) continue;
      this.#options.log.warn(
        { transaction: begun.name, signature: sent.signature, slot: outcome.slot },
        'a transaction that had been taken for expired has landed; no other is sent',
      );
      await this.#write(begun.name, found, (now) => withOutcome(adopted(found, sent), outcome, now));
      return done;
    }
    return undefined;
  }

  /** Undefined when the caller knows from the ledger that the effect of a landed transaction is not there (any more). */
  async #stillDone({ isDone }: Begun, landed: LandedTransaction): Promise<LandedTransaction | undefined> {
    const done = isDone ? await isDone(landed.slot) : true;
    if (done === false) return undefined;
    return typeof done === 'object' ? done : landed;
  }

  /** Whether the step was done by something that is not in our records. */
  async #doneOtherwise(
    { isDone }: Begun,
    found: RecordedTransaction | undefined,
  ): Promise<LandedTransaction | undefined> {
    const done = await isDone?.(found?.slot ?? 0);
    if (typeof done === 'object') return done;
    return done && found?.status === 'expired' ? landing(found) : undefined;
  }

  /** Writes the transaction down, unless another one of that name got there first; gives the one that counts. */
  async #record(
    name: string,
    prepared: PreparedTransaction,
    before: RecordedTransaction | undefined,
  ): Promise<RecordedTransaction> {
    const { space } = this.#options;
    if ((await space.count(transactions, 'unfinished')) >= MAX_UNFINISHED)
      throw new MeshError('ledger_unavailable', `${MAX_UNFINISHED} transactions wait for the ledger; try again later.`);
    const ref = transactions.ref(name);
    const { value } = await space.tx([ref], (tx) => {
      const found = tx.get(ref);
      if (isOpen(found) && found.signature !== before?.signature) return found;
      const record = recordOf(prepared, found, tx.now);
      tx.put(ref, record);
      return record;
    });
    return value;
  }

  async #submit(begun: Begun, record: RecordedTransaction): Promise<TransactionOutcome> {
    const { name, signal, until } = begun;
    const said = await this.#options.ledger.submit(toSend(record), signal, until).catch((error: unknown) => {
      throw signal.aborted
        ? new MeshError('not_ready', 'The transaction was recorded; the node stops and goes on later.')
        : error;
    });
    const outcome = await decided(said, record, begun);
    await this.#write(name, record, (now) => withOutcome(record, outcome, now));
    return outcome;
  }

  /** Asks what became of it without sending it. */
  async #look(name: string, record: RecordedTransaction): Promise<RecordedTransaction> {
    const outcome = await this.#options.ledger.outcome(record);
    if (outcome.status === 'pending' && record.status === 'recorded') return record;
    if (outcome.status === 'confirmed' && !outcome.finalised) return record;
    return this.#write(name, record, (now) => withOutcome(record, outcome, now));
  }

  async #finalise(begun: Begun, record: RecordedTransaction): Promise<LandedTransaction | undefined> {
    const outcome = await this.#submit(begun, record);
    if (outcome.status === 'confirmed') return { signature: record.signature, slot: outcome.slot };
    return this.#landed(begun, await this.#options.space.get(transactions.ref(begun.name)));
  }

  /** Replaces the record, unless its name has gone on to another transaction meanwhile; gives the one that counts. */
  async #write(
    name: string,
    before: RecordedTransaction,
    next: (now: number) => RecordedTransaction,
  ): Promise<RecordedTransaction> {
    const ref = transactions.ref(name);
    const { value } = await this.#options.space.tx([ref], (tx) => {
      const found = tx.get(ref);
      if (found?.signature !== before.signature) return found ?? before;
      const record = next(tx.now);
      tx.put(ref, record, isLasting(record) ? {} : { ttl: KEPT_MS });
      return record;
    });
    return value;
  }
}

/** A record that still has to be looked at never expires. */
function isLasting({ status, finalised }: RecordedTransaction): boolean {
  return status === 'recorded' || (status === 'confirmed' && finalised === false);
}

function toSend({ signature, bytes, lastValidBlockHeight, madeAfter }: RecordedTransaction): PreparedTransaction {
  return { signature, bytes, lastValidBlockHeight, ...(madeAfter !== undefined && { madeAfter }) };
}

function landing({ signature, slot = 0 }: RecordedTransaction): LandedTransaction {
  return { signature, slot };
}

function confirmed({ slot = 0 }: RecordedTransaction): { status: 'confirmed'; slot: number } {
  return { status: 'confirmed', slot };
}
