import type { SchemaTypes } from '../../../schemas/types.ts';
import { MeshError } from '../../contracts/errors.ts';
import type { RecordedTransactions, TransactionState } from '../../ledger/recorded-transactions.ts';
import { internalToken } from '../../platform/token.ts';
import { collection } from '../../storage/declarations.ts';
import type { Space } from '../../storage/space.ts';
import type { Tx } from '../../storage/transaction.ts';
import type { PartnerKeys } from '../partner-keys.ts';
import { type DealDocument, deals, namedProvider } from './deal-document.ts';

type Reservation = SchemaTypes['money-step'];

/** The step that moves the money of a deal now, by conversation id. */
const reservations = collection<Reservation, 'step'>('money-steps', {
  schema: 'money-step',
  indexes: { step: ({ step, at }) => [step, at] },
});
const SWEPT = 200;
/** Steps that spend from the wallet. All others move a locked amount, of which the program takes only one. */
const SPENDING: ReadonlySet<string> = new Set(['pay', 'lock']);

/** A step that moves money of a deal. */
export interface MoneyStep {
  /** Its plain name: `pay`, `lock`, `approve`. */
  readonly step: string;
  /** The name that its transaction is recorded under. */
  readonly transaction: string;
}

export interface MoneyStepsOptions {
  readonly space: Space;
  /** Undefined on a node without a ledger, which takes no such step. */
  readonly transactions: Pick<RecordedTransactions, 'find'> | undefined;
  /** Asked before the wallet pays or locks for a deal. */
  readonly partnerKeys?: Pick<PartnerKeys, 'check'>;
}

/**
 * One money step per deal. A route, the keeper or a verdict that moves money of a deal calls `take` with the step, and
 * prepares, records and sends inside `run`; nothing is prepared before the step is reserved in the store.
 *
 * - The same step of the same transaction name joins: `run` is called, and has to join what is under way itself, as
 *   `RecordedTransactions.carryOut` does.
 * - Another step meanwhile fails with `conflict`, which names the step that runs.
 * - The reservation ends with `run`, unless the recorded transaction is still under way: then it stays, also over a
 *   crash, until the ledger has said what became of it. A step that was never recorded leaves nothing behind.
 *
 * `run` gets the deal as it is once the step is reserved (undefined for a deal of others): whether the step may be taken
 * is decided from that, never from a document that was read before.
 */
export class MoneySteps {
  readonly #options: MoneyStepsOptions;
  /** Calls of `take` in this process, by reservation. */
  readonly #calls = new Map<string, number>();

  constructor(options: MoneyStepsOptions) {
    this.#options = options;
  }

  async take<T>(
    conversation: string,
    step: MoneyStep,
    run: (deal: DealDocument | undefined) => Promise<T>,
  ): Promise<T> {
    const key = keyOf(conversation, step);
    this.#calls.set(key, (this.#calls.get(key) ?? 0) + 1);
    try {
      const document = await this.#reserve(conversation, step);
      if (document && SPENDING.has(step.step)) await this.#checkProvider(document, step);
      return await run(document);
    } finally {
      const left = this.#calls.get(key)! - 1;
      if (left > 0) this.#calls.set(key, left);
      else {
        this.#calls.delete(key);
        await this.#release(conversation, step);
      }
    }
  }

  /** Deals that a step is reserved for, at most so many. */
  async reserved(step: string, limit: number): Promise<string[]> {
    const found = await this.#options.space.page(reservations, { index: 'step', prefix: [step], limit });
    return found.map(({ id }) => id);
  }

  /** Releases reservations that a crash left, once the ledger has shown how their transactions ended. */
  async sweep(signal: AbortSignal): Promise<void> {
    const { space } = this.#options;
    let after: { key: string; id: string } | undefined;
    while (!signal.aborted) {
      const found = await space.page(reservations, { index: 'step', limit: SWEPT, ...(after && { after }) });
      for (const { id, value } of found) await this.#release(id, value);
      if (found.length < SWEPT) return;
      after = found.at(-1);
    }
  }

  async #reserve(conversation: string, step: MoneyStep): Promise<DealDocument | undefined> {
    const { space } = this.#options;
    const refs = [reservations.ref(conversation), deals.ref(conversation)] as const;
    for (let over: Reservation | undefined; ; ) {
      const { value } = await space.tx(refs, (tx) => {
        const holder = tx.get(refs[0]);
        if (holder && !isSame(holder, step) && !(over && isSame(holder, over) && !this.#isCalled(conversation, holder)))
          return { holder };
        if (!holder || !isSame(holder, step)) tx.put(refs[0], { ...plain(step), at: tx.now });
        return { deal: tx.get(refs[1]) };
      });
      if (!value.holder) return value.deal;
      if (await this.#goesOn(conversation, value.holder)) throw conflict(value.holder, step);
      over = value.holder;
    }
  }

  /** A transaction that was recorded goes on whatever the registry says now: it may have landed. */
  async #checkProvider(document: DealDocument, { transaction }: MoneyStep): Promise<void> {
    const { transactions, partnerKeys } = this.#options;
    const sent = await transactions?.find(transaction);
    if (!partnerKeys || sent?.status === 'recorded' || sent?.status === 'confirmed') return;
    await partnerKeys.check(namedProvider(document));
  }

  async #release(conversation: string, step: MoneyStep): Promise<void> {
    if (await this.#goesOn(conversation, step)) return;
    const ref = reservations.ref(conversation);
    await this.#options.space.tx([ref], (tx: Tx) => {
      const holder = tx.get(ref);
      if (holder && isSame(holder, step) && !this.#isCalled(conversation, step)) tx.del(ref);
    });
  }

  /** Whether the step may yet move money. */
  async #goesOn(conversation: string, step: MoneyStep): Promise<boolean> {
    if (this.#isCalled(conversation, step)) return true;
    const state = await this.#options.transactions?.find(step.transaction);
    return state?.status === 'recorded' && !(isLapsed(state) && !SPENDING.has(step.step));
  }

  #isCalled(conversation: string, step: MoneyStep): boolean {
    return this.#calls.has(keyOf(conversation, step));
  }
}

/** The money steps of this node's deals. */
export const Money = internalToken<MoneySteps>('money-steps');

function isLapsed({ lapsed = false }: TransactionState): boolean {
  return lapsed;
}

function keyOf(conversation: string, { transaction }: MoneyStep): string {
  return `${conversation} ${transaction}`;
}

function isSame(one: MoneyStep, other: MoneyStep): boolean {
  return one.transaction === other.transaction;
}

function plain({ step, transaction }: MoneyStep): MoneyStep {
  return { step, transaction };
}

function conflict({ step: running }: MoneyStep, { step }: MoneyStep): MeshError {
  const detail =
    `The step ${running} of this deal is under way, so ${step} was not begun and nothing was changed. ` +
    `Repeat ${running} to wait for its outcome; then see what the deal allows.`;
  return new MeshError('conflict', { detail, extra: { running_step: running, allowed_actions: [running] } });
}
