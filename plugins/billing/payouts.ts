import { isMeshError } from '../../core/plugin.ts';
import type { Tx } from '../../core/services.ts';
import { minorOf } from './amounts.ts';
import type { Books } from './books.ts';
import type { BillingConfig } from './config.ts';
import { payoutId, readsOf, reserve } from './reservations.ts';
import { accounts, addresses, credited, destinations, releases, withdrawals } from './stored.ts';

/** A finalised event that paid a provider. */
export interface Paid {
  readonly signature: string;
  readonly provider: string;
  readonly conversation: string;
  readonly toProvider: bigint;
}

/**
 * The pay of a settled task is passed on to the payout destination of its provider. It is known by two facts, which come in either order: the
 * finalised release of an escrow, and the deposit that the same transaction made.
 */
export class Payouts {
  readonly #books: Books;
  readonly #config: BillingConfig;

  constructor(books: Books, config: BillingConfig) {
    this.#books = books;
    this.#config = config;
  }

  reads({ signature, provider }: Paid) {
    const name = nameOf(signature, provider);
    return [
      ...[releases.ref(name), credited.ref(name), destinations.ref(provider), accounts.ref(provider)],
      ...[addresses.ref(provider), ...readsOf(provider)],
    ];
  }

  /** The release, in the transaction that takes its event. */
  released(tx: Tx, { signature, provider, conversation, toProvider }: Paid): void {
    const [address] = tx.pull([addresses.ref(provider)]);
    if (toProvider === 0n || !address) return;
    const name = nameOf(signature, provider);
    tx.put(releases.ref(name), { amount: toProvider.toString(), conversation });
    const [deposit] = tx.pull([credited.ref(name)]);
    if (deposit) this.#passOn(tx, provider, signature, BigInt(deposit.amount));
    // The money is there, and nobody may have asked for the address in months.
    else tx.put(addresses.ref(provider), { ...address, due: tx.now });
  }

  /** The deposit, in the transaction that credits it. */
  deposited(tx: Tx, agent: string, signature: string, amount: bigint): void {
    const [release] = tx.pull([releases.ref(nameOf(signature, agent))]);
    if (release) this.#passOn(tx, agent, signature, amount);
  }

  #passOn(tx: Tx, agent: string, signature: string, amount: bigint): void {
    const source = nameOf(signature, agent);
    const id = payoutId(source);
    const [destination] = tx.pull([destinations.ref(agent)]);
    if (!destination || amount < minorOf(this.#config.minWithdrawal)) return;
    // Either fact may be told again.
    if (tx.pull([withdrawals.ref(id)])[0]) return;
    const wanted = { id, agent, kind: 'payout', amount, source, ...destination } as const;
    try {
      reserve(tx, this.#books, this.#config, wanted);
    } catch (error) {
      // It stays in the balance, where its owner finds it.
      if (!isMeshError(error)) throw error;
    }
  }
}

/** The name under which the two facts meet. */
export function nameOf(signature: string, agent: string): string {
  return `${signature}/${agent}`;
}
