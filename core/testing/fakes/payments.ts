import { MeshError } from '../../contracts/errors.ts';
import type { DealView, Payment, Payments, Transfer } from '../../services.ts';
import { fakeEscrowStep } from './deals.ts';

export interface FakePaymentsOptions {
  /** Minor units of USDC in the wallet; 100 USDC unless given. */
  readonly usdc?: bigint;
  /** The deals that `pay`, `lock` and `approve` find. */
  readonly deals?: readonly DealView[];
}

/** The service `Payments` over a wallet in memory, in which every payment is final at once. */
export interface FakePayments {
  readonly service: Payments;
  /** The transfers, oldest first. */
  readonly paid: readonly Payment[];
  /** The steps asked for deals: `pay`, `lock` or `approve`, and the conversation. */
  readonly taken: readonly (readonly [step: string, conversationId: string])[];
  /** The next call that spends rejects with this. */
  refuse(error: MeshError): void;
}

/** `services: [value(Payments, fakePayments().service)]`. */
export function fakePayments({ usdc = 100_000_000n, deals = [] }: FakePaymentsOptions = {}): FakePayments {
  const paid: Payment[] = [];
  const taken: [string, string][] = [];
  let left = usdc;
  let refusal: MeshError | undefined;

  function allowed(): void {
    const error = refusal;
    refusal = undefined;
    if (error) throw error;
  }

  function take(step: string, conversation: string): DealView {
    allowed();
    const deal = deals.find(({ conversation_id }) => conversation_id === conversation);
    if (!deal) throw new MeshError('not_found', `There is no deal ${conversation} on this node.`);
    taken.push([step, conversation]);
    return deal;
  }

  function pay({ key, to, amount, memo = '' }: Transfer): Payment {
    const before = paid.find((payment) => payment.key === key);
    if (before) {
      if (before.to === to && before.amount === amount && before.memo === memo) return before;
      throw new MeshError('idempotency_mismatch', `The key ${key} was used for another transfer; nothing was sent.`);
    }
    allowed();
    if (amount > left) throw new MeshError('insufficient_funds');
    left -= amount;
    const payment: Payment = { key, to, amount, memo, signature: `fake-${paid.length + 1}`, status: 'final' };
    paid.push(payment);
    return payment;
  }

  const service: Payments = {
    balances: async () => ({ lamports: 1_000_000_000n, usdc: left }),
    transfer: async (transfer) => pay(transfer),
    find: async (key) => paid.find((payment) => payment.key === key),
    pay: async (conversation) => take('pay', conversation),
    lock: async ({ conversation_id }) => fakeEscrowStep(take('lock', conversation_id)),
    approve: async ({ conversation_id }) => fakeEscrowStep(take('approve', conversation_id)),
  };
  return {
    service,
    paid,
    taken,
    refuse(error) {
      refusal = error;
    },
  };
}
