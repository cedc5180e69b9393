import type { SchemaTypes } from '../../../schemas/types.ts';
import type { LeasePayment } from '../../protocol/settlement/lease-price.ts';
import { collection } from '../../storage/declarations.ts';
import type { Space } from '../../storage/space.ts';

export type LeaseState = SchemaTypes['lease-state'];
export type PaidLease = SchemaTypes['lease-payment'];

const state = collection<LeaseState>('lease', { schema: 'lease-state' }).ref('own');
const EMPTY: LeaseState = { pending: null, payments: [] };

/** Payments remembered; a budget counts those of the last epochs. */
const MOST = 64;
export const BUDGET_EPOCHS = 30;

/** The node's lease payments: those made, and the one under way. */
export class LeaseBook {
  readonly #space: Space;

  constructor(space: Space) {
    this.#space = space;
  }

  async read(): Promise<LeaseState> {
    return (await this.#space.get(state)) ?? EMPTY;
  }

  /** Decides on a payment of that number, unless one is decided already; gives the one that is. */
  async decide(payment: LeasePayment, epoch: number, payments: number): Promise<PaidLease> {
    const { value } = await this.#space.tx([state], (tx) => {
      const before = tx.get(state) ?? EMPTY;
      if (before.pending) return before.pending;
      const { epochs, paidThrough: paid_through, amount } = payment;
      const pending = { epoch, epochs, paid_through, amount: amount.toString(), payments };
      tx.put(state, { ...before, pending });
      return pending;
    });
    return value;
  }

  /** Ends the payment that was decided; with the signature when it was confirmed. */
  async finish(signature: string | undefined): Promise<void> {
    await this.#space.tx([state], (tx) => {
      const { pending, payments } = tx.get(state) ?? EMPTY;
      if (!pending) return;
      const paid = signature === undefined ? payments : [{ ...pending, signature }, ...payments].slice(0, MOST);
      tx.put(state, { pending: null, payments: paid });
    });
  }
}

/** Minor units paid in the last 30 epochs. */
export function spentRecently({ payments }: LeaseState, epoch: number): bigint {
  return payments
    .filter((payment) => payment.epoch > epoch - BUDGET_EPOCHS)
    .reduce((sum, { amount }) => sum + BigInt(amount), 0n);
}

/** The last epoch that this node knows to have paid for. */
export function knownPaidThrough({ payments }: LeaseState): number {
  return Math.max(0, ...payments.map(({ paid_through }) => paid_through));
}
