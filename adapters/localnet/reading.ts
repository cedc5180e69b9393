import { ACCOUNT_OF_CLOCK, clockData } from './clock-data.ts';
import type { AccountState, Accounts } from './engine.ts';
import { cutLogs } from './faults/cut-logs.ts';
import type { HistoryEntry } from './history.ts';
import type { Landed } from './journal-entry.ts';
import type { Stamp } from './slots.ts';
import type { View } from './view.ts';

/** The state that one node knows at one moment: the chain as of a slot, which every answer names. */
export class Reading implements Accounts {
  readonly stamp: Stamp;
  readonly #view: View;
  readonly #method: string;
  readonly #isPast: boolean;

  constructor(view: View, method: string, stamp: Stamp, isPast: boolean) {
    this.#view = view;
    this.#method = method;
    this.stamp = stamp;
    this.#isPast = isPast;
  }

  /** An answer that names the slot it was true in. */
  context(value: unknown): object {
    return { context: { slot: this.stamp.slot, apiVersion: '2.2.0' }, value };
  }

  account(address: string): AccountState | null {
    const { engine, past } = this.#view.chain;
    if (!this.#isPast) return engine.account(address);
    const state = past.account(address, this.stamp.slot, () => engine.account(address));
    return state && address === ACCOUNT_OF_CLOCK ? { ...state, data: clockData(state.data, this.stamp) } : state;
  }

  programAccounts(program: string): [address: string, state: AccountState][] {
    const { engine, past } = this.#view.chain;
    const now = engine.programAccounts(program);
    if (!this.#isPast) return now;
    const changed = past.changedSince(this.stamp.slot);
    const then = [...changed].flatMap((address): [string, AccountState][] => {
      const state = this.account(address);
      return state?.owner === program ? [[address, state]] : [];
    });
    return [...now.filter(([address]) => !changed.has(address)), ...then];
  }

  /** From this slot on the node still has every transaction. */
  get firstSlot(): number {
    return Math.max(this.#view.chain.history.firstSlot, this.#pruned);
  }

  /** A transaction that the node has. */
  landed(signature: string): Landed | undefined {
    const entry = this.#view.chain.history.get(signature);
    const landed = entry && this.#has(entry) ? this.#view.chain.history.landed(signature) : undefined;
    return landed && { ...landed, meta: { ...landed.meta, logMessages: this.logs(landed.meta.logMessages) } };
  }

  /** Newest first: those before the signature `before`, until the signature `until`, neither included. */
  ofAddress(address: string, limit: number, before?: string, until?: string): HistoryEntry[] {
    const found: HistoryEntry[] = [];
    for (const entry of this.#view.chain.history.ofAddress(address, before, until)) {
      if (found.length === limit) break;
      if (this.#has(entry)) found.push(entry);
    }
    return found;
  }

  /** `isDeep` asks for the whole history, and not only for the statuses of late. */
  status(signature: string, isDeep: boolean): object | null {
    const { chain, faults } = this.#view;
    const { statusSlots = Number.POSITIVE_INFINITY } = faults.plan;
    const entry = chain.history.get(signature);
    if (!entry || !this.#isSeen(entry)) return this.#phantom(signature);
    const age = this.stamp.slot - entry.slot;
    if (!(isDeep ? entry.slot >= this.#pruned : age <= statusSlots && this.#isKept(entry))) return null;
    const { slot, err } = entry;
    const isFinal = slot <= this.#view.finalised(this.stamp.slot);
    const status = err ? { Err: err } : { Ok: null };
    const confirmationStatus = isFinal ? 'finalized' : 'confirmed';
    return { slot, confirmations: isFinal ? null : age, err, status, confirmationStatus };
  }

  isFinal({ slot }: { readonly slot: number }): boolean {
    return slot <= this.#view.finalised(this.#view.chain.slots.now().slot);
  }

  logs(lines: readonly string[]): readonly string[] {
    return cutLogs(lines, this.#view.faults.logBytes);
  }

  /** The node has removed slots older than this one. */
  get #pruned(): number {
    const { keepSlots = Number.POSITIVE_INFINITY } = this.#view.faults.plan;
    return Math.max(0, this.stamp.slot - keepSlots);
  }

  #has(entry: HistoryEntry): boolean {
    return this.#isSeen(entry) && entry.slot >= this.#pruned;
  }

  /** Without a limit of its own the memory of statuses reaches as far as the history. */
  #isKept(entry: HistoryEntry): boolean {
    return this.#view.faults.plan.statusSlots !== undefined || entry.slot >= this.#pruned;
  }

  #isSeen({ slot }: HistoryEntry): boolean {
    return slot + this.#view.faults.latenessOf(this.#method) <= this.stamp.slot;
  }

  #phantom(signature: string): object | null {
    const found = this.#view.phantom(signature);
    if (!found) return null;
    const confirmations = Math.max(0, this.stamp.slot - found.slot);
    return { slot: found.slot, confirmations, err: null, status: { Ok: null }, confirmationStatus: 'confirmed' };
  }
}
