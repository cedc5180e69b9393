import type { SchemaTypes } from '../../../schemas/types.ts';
import { invalidField, MeshError, renamedFields } from '../../contracts/errors.ts';
import type { Ledger, Signer } from '../../ledger/ledger.ts';
import type { RecordedTransactions, TransactionState } from '../../ledger/recorded-transactions.ts';
import { toHex } from '../../platform/bytes.ts';
import type { Random } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import { formatUsdc } from '../../platform/usdc.ts';
import { collection } from '../../storage/declarations.ts';
import type { Space } from '../../storage/space.ts';
import { addEntry } from '../history/entries.ts';

export interface SweepsOptions {
  readonly space: Space;
  readonly ledger: Ledger;
  readonly transactions: Pick<RecordedTransactions, 'carryOut' | 'find'>;
  readonly signer: Signer;
  /** Where a sweep may go; anywhere when undefined. */
  readonly allowed: readonly string[] | undefined;
  /** Minor units that payments under way are going to take from the wallet. */
  readonly reserved: () => Promise<bigint>;
  readonly random: Random;
  /** The node's: a sweep goes on when its caller has left. */
  readonly signal: AbortSignal;
  readonly log: Log;
}

/** A sweep that a caller asks for. */
export interface SweepWish {
  readonly destination: string;
  /** Minor units; undefined for everything. */
  readonly amount: bigint | undefined;
  /** The name of the call, the same when it is repeated. */
  readonly call: string | undefined;
}

type SweepRecord = SchemaTypes['sweep-record'];

export interface DoneSweep {
  readonly signature: string;
  readonly amount: bigint;
  readonly destination: string;
}

interface Decided {
  readonly id: string;
  readonly record: SweepRecord;
}

const KEPT_MS = 366 * 24 * 3_600_000;
const BATCH = 100;
const ID_BYTES = 16;

/** Sweeps that were asked for, by the name of the call that did; `open` lists those whose outcome is not final. */
const sweeps = collection<SweepRecord, 'open'>('sweeps', {
  schema: 'sweep-record',
  ttl: KEPT_MS,
  indexes: { open: ({ open, at }) => (open ? [at] : undefined) },
});

/**
 * Moves the owner's own USDC out of the hot wallet, one sweep at a time. A sweep is written down before anything is
 * prepared, so the same call finds it again, and its transaction before it is sent.
 */
export class Sweeps {
  readonly #options: SweepsOptions;
  /** Decisions, one at a time. */
  #turn: Promise<unknown> = Promise.resolve();
  /** Callers that wait for a sweep, by its id. */
  readonly #running = new Map<string, number>();

  constructor(options: SweepsOptions) {
    this.#options = options;
  }

  /** Resolves when the ledger has confirmed the transfer. The same wish while one is under way joins it, another is refused. */
  async sweep(wish: SweepWish): Promise<DoneSweep> {
    this.#check(wish);
    const { id, record } = await this.#alone(async () => {
      const decided = await this.#decide(wish);
      this.#running.set(decided.id, (this.#running.get(decided.id) ?? 0) + 1);
      return decided;
    });
    try {
      return record.signature === undefined ? await this.#carryOut(id, record) : doneOf(record, record.signature);
    } finally {
      const left = this.#running.get(id)! - 1;
      if (left > 0) this.#running.set(id, left);
      else this.#running.delete(id);
      if (left === 0 && !this.#options.signal.aborted) await this.#settle(id).catch(() => undefined);
    }
  }

  /** Finishes sweeps that a crash or an outage left open, and writes the history of those that are final. */
  async run(signal: AbortSignal): Promise<number> {
    const open = await this.#options.space.page(sweeps, { index: 'open', limit: BATCH });
    for (const { id } of open) {
      if (signal.aborted) break;
      await this.#settle(id).catch((error: unknown) =>
        this.#options.log.warn({ sweep: id, reason: String(error) }, 'a sweep is unfinished'),
      );
    }
    return open.length > 0 ? 0 : Number.POSITIVE_INFINITY;
  }

  /** The sweep that this wish stands for. */
  async #decide(wish: SweepWish): Promise<Decided> {
    const { space, transactions } = this.#options;
    const known = wish.call === undefined ? undefined : await space.get(sweeps.ref(wish.call));
    if (known && !isSame(known, wish))
      throw new MeshError('idempotency_mismatch', 'This key was used for another sweep; nothing was sent.');
    if (known) return { id: wish.call!, record: known };
    for (const { id, value: record } of await space.page(sweeps, { index: 'open', limit: BATCH })) {
      const state = await transactions.find(nameOf(id));
      const isRunning = this.#running.has(id);
      if (!isRunning && !isUnderWay(state)) continue;
      if (wish.call === undefined && isSame(record, wish)) return { id, record };
      if (state?.status === 'recorded' || (isRunning && state?.status !== 'confirmed')) throw underWay(record);
    }
    return this.#begin(wish);
  }

  async #begin({ destination, amount: wanted, call }: SweepWish): Promise<Decided> {
    const { space, random, ledger, signer, reserved } = this.#options;
    const [held, kept] = await Promise.all([ledger.usdc(signer.address), reserved()]);
    const free = held > kept ? held - kept : 0n;
    const amount = wanted ?? free;
    if (amount === 0n || amount > free) throw tooLittle(amount, free, kept);
    const id = call ?? toHex(random.bytes(ID_BYTES));
    const ref = sweeps.ref(id);
    const { value } = await space.tx([], (tx) => {
      const record: SweepRecord = {
        ...{ destination, amount: amount.toString(), wanted: wanted?.toString() ?? null },
        ...{ at: tx.now, open: true },
      };
      tx.put(ref, record);
      return record;
    });
    return { id, record: value };
  }

  async #carryOut(id: string, record: SweepRecord): Promise<DoneSweep> {
    const { transactions, ledger, signer, signal } = this.#options;
    const transfer = { to: record.destination, amount: BigInt(record.amount), memo: `sweep:${id.slice(0, 64)}` };
    const prepare = () =>
      ledger.prepareUsdcTransfer(transfer, signer).catch((error: unknown) => {
        throw renamedFields(error, '/to', '/destination');
      });
    const { signature } = await transactions.carryOut(nameOf(id), prepare, signal);
    return doneOf(record, signature);
  }

  /** Writes down how a sweep ended; one that certainly did not happen is forgotten. */
  async #settle(id: string): Promise<void> {
    const { space, transactions } = this.#options;
    const ref = sweeps.ref(id);
    if (this.#running.has(id)) return;
    const state = await transactions.find(nameOf(id));
    if (state?.status === 'recorded' || (state?.status === 'confirmed' && state.revocable)) return;
    await space.tx([ref], (tx) => {
      const found = tx.get(ref);
      if (!found?.open) return;
      if (state?.status !== 'confirmed') return tx.del(ref);
      const { destination, amount } = found;
      const draft = { type: 'transfer', action: 'sweep', direction: 'out', amount, counterparty: destination } as const;
      addEntry(tx, nameOf(id), draft, state.signature);
      tx.put(ref, { ...found, open: false, signature: state.signature });
    });
  }

  #check({ destination }: SweepWish): void {
    const { signer, allowed } = this.#options;
    if (destination === signer.address) throw invalidField('/destination', 'is this wallet itself');
    if (!allowed || allowed.includes(destination)) return;
    throw new MeshError(
      'forbidden',
      `${destination} is not among the wallets that core.wallet.sweepTo lets a sweep go to; nothing was sent.`,
    );
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work, work);
    this.#turn = turn;
    return turn;
  }
}

function nameOf(id: string): string {
  return `sweep/${id}`;
}

function isUnderWay(state: TransactionState | undefined): state is TransactionState {
  return state?.status === 'recorded' || (state?.status === 'confirmed' && state.revocable === true);
}

function isSame({ destination, wanted }: SweepRecord, wish: SweepWish): boolean {
  return destination === wish.destination && wanted === (wish.amount?.toString() ?? null);
}

function doneOf({ amount, destination }: SweepRecord, signature: string): DoneSweep {
  return { signature, amount: BigInt(amount), destination };
}

function underWay({ amount, destination }: SweepRecord): MeshError {
  return new MeshError(
    'conflict',
    `A sweep of ${formatUsdc(BigInt(amount))} USDC to ${destination} is under way, so no other was begun. ` +
      'Repeat that call to wait for its outcome.',
  );
}

function tooLittle(amount: bigint, free: bigint, kept: bigint): MeshError {
  const needed = amount === 0n ? 1n : amount;
  const also = kept > 0n ? `, with ${formatUsdc(kept)} more that payments under way need` : '';
  return new MeshError('insufficient_funds', {
    detail: `The wallet has ${formatUsdc(free)} USDC to sweep${also}, and this needs ${formatUsdc(needed)}; nothing was sent.`,
    extra: {
      ...{ asset: 'USDC', available: formatUsdc(free), needed: formatUsdc(needed) },
      ...{ missing: formatUsdc(needed - free), reserved: formatUsdc(kept) },
    },
  });
}
