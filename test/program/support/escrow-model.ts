import type { Numbers } from '../../../adapters/ledger-solana/program/index.ts';
import type { Purse } from './purse.ts';

export interface LockInput {
  readonly requester: string;
  readonly provider: string;
  readonly notary: string | undefined;
  readonly conversation: number;
  readonly amount: bigint;
  readonly bond: bigint;
  readonly deadline: bigint;
  readonly reviewSecs: bigint;
  readonly disputeBps: number;
}

export interface ModelEscrow extends LockInput {
  state: 'locked' | 'delivered' | 'disputed' | 'contested' | 'splitting';
  deliveredAt: bigint;
  disputedAt: bigint;
  offerBps: number;
  providerDue: bigint;
  requesterDue: bigint;
  dust: bigint;
  /** Wallet whose associated account is paid. */
  payee: string;
}

/** What both parties get of an amount and a bond; the rest burns. */
interface Dues {
  readonly provider: bigint;
  readonly requester: bigint;
}

/**
 * The rules of escrow written a second time, independently of the program: each method answers whether the step is
 * allowed and, if so, applies it.
 */
export class EscrowModel {
  readonly escrows = new Map<string, ModelEscrow>();
  /** Everything that was burnt. */
  burnt = 0n;
  readonly #numbers: Numbers;
  readonly #purse: Purse;

  constructor(numbers: Numbers, purse: Purse) {
    this.#numbers = numbers;
    this.#purse = purse;
  }

  lock(input: LockInput, now: bigint): boolean {
    const { requester, provider, notary, amount, bond, deadline, reviewSecs, disputeBps } = input;
    const n = this.#numbers;
    const allowed =
      !this.escrows.has(nameOf(input)) &&
      new Set([requester, provider, notary]).size === 3 &&
      amount > 0n &&
      bond <= 2n * amount &&
      this.#purse.pays(requester, amount + bond) &&
      deadline - now >= n.leadSecs &&
      deadline - now <= n.horizonSecs &&
      reviewSecs >= n.reviewMinSecs &&
      reviewSecs <= n.reviewMaxSecs &&
      disputeBps <= 10_000;
    if (!allowed) return false;
    this.#purse.move(requester, -amount - bond);
    const zeros = { deliveredAt: 0n, disputedAt: 0n, offerBps: 0, providerDue: 0n, requesterDue: 0n, dust: 0n };
    this.escrows.set(nameOf(input), { ...input, ...zeros, state: 'locked', payee: provider });
    return true;
  }

  deliver(escrow: ModelEscrow, by: string, now: bigint): boolean {
    if (by !== escrow.provider || escrow.state !== 'locked' || now > escrow.deadline) return false;
    Object.assign(escrow, { state: 'delivered', deliveredAt: now });
    return true;
  }

  setPayee(escrow: ModelEscrow, by: string, wallet: string): boolean {
    if (by !== escrow.provider || wallet === escrow.requester || !this.#purse.receives(wallet)) return false;
    escrow.payee = wallet;
    return true;
  }

  dispute(escrow: ModelEscrow, by: string, offerBps: number, now: bigint): boolean {
    if (by !== escrow.requester || offerBps > 10_000) return false;
    if (escrow.state === 'disputed') {
      if (this.#isOver(escrow, now) || offerBps <= escrow.offerBps) return false;
      escrow.offerBps = offerBps;
      return true;
    }
    const inTime = now <= escrow.deliveredAt + escrow.reviewSecs;
    if (escrow.state !== 'delivered' || !inTime || offerBps < escrow.disputeBps) return false;
    Object.assign(escrow, { state: 'disputed', disputedAt: now, offerBps });
    return true;
  }

  contest(escrow: ModelEscrow, by: string, maxBps: number, now: bigint): boolean {
    if (by !== escrow.provider || escrow.state !== 'disputed') return false;
    if (this.#isOver(escrow, now) || escrow.offerBps > maxBps) return false;
    Object.assign(escrow, { state: 'contested', disputedAt: now });
    return true;
  }

  decide(escrow: ModelEscrow, by: string, forProvider: boolean, now: bigint): boolean {
    if (by !== escrow.notary || escrow.state !== 'contested' || this.#isOver(escrow, now)) return false;
    this.#owe(escrow, forProvider ? providerWasRight(escrow) : offerStands(escrow));
    return true;
  }

  approve(escrow: ModelEscrow, by: string): boolean {
    if (by !== escrow.requester || escrow.state === 'splitting') return false;
    const { amount, bond } = escrow;
    this.#owe(escrow, escrow.state === 'contested' ? providerWasRight(escrow) : { provider: amount, requester: bond });
    return this.#pay(escrow, true);
  }

  refund(escrow: ModelEscrow, by: string): boolean {
    return by === escrow.provider && escrow.state !== 'splitting' && this.#giveBack(escrow);
  }

  reclaim(escrow: ModelEscrow, now: bigint): boolean {
    return escrow.state === 'locked' && now > escrow.deadline && this.#giveBack(escrow);
  }

  claim(escrow: ModelEscrow, now: bigint): boolean {
    if (escrow.state !== 'delivered' || now <= escrow.deliveredAt + escrow.reviewSecs) return false;
    this.#owe(escrow, { provider: escrow.amount, requester: escrow.bond });
    return this.#pay(escrow, true);
  }

  split(escrow: ModelEscrow, now: bigint): boolean {
    if (escrow.state === 'splitting') return this.#pay(escrow, false);
    const over = this.#isOver(escrow, now);
    if (escrow.state === 'contested' && (over || escrow.notary === undefined)) {
      const { amount, bond } = escrow;
      this.#owe(escrow, { provider: offered(escrow, amount), requester: offered(escrow, bond) });
      return this.#pay(escrow, true);
    }
    if (escrow.state !== 'disputed' || !over) return false;
    this.#owe(escrow, offerStands(escrow));
    return this.#pay(escrow, true);
  }

  #isOver(escrow: ModelEscrow, now: bigint): boolean {
    return now >= escrow.disputedAt + this.#numbers.disputeSecs;
  }

  #giveBack(escrow: ModelEscrow): boolean {
    this.#owe(escrow, { provider: 0n, requester: escrow.amount + escrow.bond });
    return this.#pay(escrow, true);
  }

  /** What is owed to neither burns. */
  #owe(escrow: ModelEscrow, { provider, requester }: Dues): void {
    this.burnt += escrow.amount + escrow.bond - provider - requester;
    Object.assign(escrow, { state: 'splitting', providerDue: provider, requesterDue: requester });
  }

  /** Pays who can receive; the rest waits. Again only when somebody gets something by it. */
  #pay(escrow: ModelEscrow, first: boolean): boolean {
    const pays = (wallet: string, due: bigint) => (due > 0n && this.#purse.receives(wallet) ? due : 0n);
    const toProvider = pays(escrow.payee, escrow.providerDue);
    const toRequester = pays(escrow.requester, escrow.requesterDue);
    const rest = escrow.providerDue + escrow.requesterDue - toProvider - toRequester;
    const heir = [escrow.requester, escrow.payee].find((wallet) => this.#purse.receives(wallet));
    const ends = rest === 0n && (escrow.dust === 0n || heir !== undefined);
    if (!first && toProvider + toRequester === 0n && !ends) return false;
    this.#purse.move(escrow.payee, toProvider);
    this.#purse.move(escrow.requester, toRequester);
    escrow.providerDue -= toProvider;
    escrow.requesterDue -= toRequester;
    if (!ends) return true;
    if (heir !== undefined) this.#purse.move(heir, escrow.dust);
    this.escrows.delete(nameOf(escrow));
    return true;
  }
}

/** What the vault of an escrow holds. */
export function heldIn({ state, amount, bond, providerDue, requesterDue, dust }: ModelEscrow): bigint {
  return dust + (state === 'splitting' ? providerDue + requesterDue : amount + bond);
}

export function nameOf(escrow: Pick<LockInput, 'requester' | 'provider' | 'conversation'>): string {
  return `${escrow.requester} ${escrow.provider} ${escrow.conversation}`;
}

function offered({ offerBps }: ModelEscrow, amount: bigint): bigint {
  return (amount * BigInt(offerBps)) / 10_000n;
}

function providerWasRight(escrow: ModelEscrow): Dues {
  const kept = offered(escrow, escrow.bond);
  return { provider: escrow.amount + escrow.bond - kept, requester: kept };
}

function offerStands(escrow: ModelEscrow): Dues {
  const provider = offered(escrow, escrow.amount);
  return { provider, requester: escrow.amount - provider + escrow.bond };
}
