import type { Numbers } from '../../../adapters/ledger-solana/program/index.ts';
import type { Purse } from './purse.ts';

export interface LockInput {
  readonly requester: string;
  readonly provider: string;
  readonly notary: string | undefined;
  readonly conversation: number;
  readonly amount: bigint;
  readonly deadline: bigint;
  readonly reviewSecs: bigint;
  readonly disputeBps: number;
}

export interface ModelEscrow extends LockInput {
  state: 'locked' | 'delivered' | 'disputed';
  deliveredAt: bigint;
  disputedAt: bigint;
  dust: bigint;
  /** Wallet whose associated account is paid. */
  payee: string;
}

/**
 * The rules of escrow written a second time, independently of the program: each method answers whether the step is
 * allowed and, if so, applies it. All accounts can receive here.
 */
export class EscrowModel {
  readonly escrows = new Map<string, ModelEscrow>();
  readonly #numbers: Numbers;
  readonly #purse: Purse;

  constructor(numbers: Numbers, purse: Purse) {
    this.#numbers = numbers;
    this.#purse = purse;
  }

  lock(input: LockInput, now: bigint): boolean {
    const { requester, provider, notary, amount, deadline, reviewSecs, disputeBps } = input;
    const n = this.#numbers;
    const allowed =
      !this.escrows.has(nameOf(input)) &&
      new Set([requester, provider, notary]).size === 3 &&
      amount > 0n &&
      amount <= this.#purse.of(requester) &&
      deadline - now >= n.leadSecs &&
      deadline - now <= n.horizonSecs &&
      reviewSecs >= n.reviewMinSecs &&
      reviewSecs <= n.reviewMaxSecs &&
      disputeBps <= 10_000;
    if (!allowed) return false;
    this.#purse.move(requester, -amount);
    this.escrows.set(nameOf(input), {
      ...input,
      state: 'locked',
      deliveredAt: 0n,
      disputedAt: 0n,
      dust: 0n,
      payee: provider,
    });
    return true;
  }

  deliver(escrow: ModelEscrow, by: string, now: bigint): boolean {
    if (by !== escrow.provider || escrow.state !== 'locked' || now > escrow.deadline) return false;
    Object.assign(escrow, { state: 'delivered', deliveredAt: now });
    return true;
  }

  dispute(escrow: ModelEscrow, by: string, now: bigint): boolean {
    const inTime = now <= escrow.deliveredAt + escrow.reviewSecs;
    if (by !== escrow.requester || escrow.state !== 'delivered' || !inTime) return false;
    Object.assign(escrow, { state: 'disputed', disputedAt: now });
    return true;
  }

  setPayee(escrow: ModelEscrow, by: string, wallet: string): boolean {
    if (by !== escrow.provider || wallet === escrow.requester) return false;
    escrow.payee = wallet;
    return true;
  }

  approve(escrow: ModelEscrow, by: string): boolean {
    const notary = by === escrow.notary && escrow.state !== 'locked';
    return (by === escrow.requester || notary) && this.#settle(escrow, escrow.amount);
  }

  refund(escrow: ModelEscrow, by: string): boolean {
    const notary = by === escrow.notary && escrow.state !== 'locked';
    return (by === escrow.provider || notary) && this.#settle(escrow, 0n);
  }

  reclaim(escrow: ModelEscrow, now: bigint): boolean {
    return escrow.state === 'locked' && now > escrow.deadline && this.#settle(escrow, 0n);
  }

  claim(escrow: ModelEscrow, now: bigint): boolean {
    const over = now > escrow.deliveredAt + escrow.reviewSecs;
    return escrow.state === 'delivered' && over && this.#settle(escrow, escrow.amount);
  }

  split(escrow: ModelEscrow, now: bigint): boolean {
    const open = escrow.state === 'disputed' && now >= escrow.disputedAt + this.#numbers.disputeSecs;
    return open && this.#settle(escrow, (escrow.amount * BigInt(escrow.disputeBps)) / 10_000n);
  }

  #settle(escrow: ModelEscrow, toProvider: bigint): boolean {
    this.#purse.move(escrow.payee, toProvider);
    this.#purse.move(escrow.requester, escrow.amount - toProvider + escrow.dust);
    this.escrows.delete(nameOf(escrow));
    return true;
  }
}

export function nameOf(escrow: Pick<LockInput, 'requester' | 'provider' | 'conversation'>): string {
  return `${escrow.requester} ${escrow.provider} ${escrow.conversation}`;
}
