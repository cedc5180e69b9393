import type { SchemaTypes } from '../../../schemas/types.ts';
import { isMeshError, MeshError } from '../../contracts/errors.ts';
import type { SettlementActions } from '../../ledger/settlement-actions.ts';
import { formatUsdc } from '../../platform/usdc.ts';
import { collection } from '../../storage/declarations.ts';
import type { Space } from '../../storage/space.ts';
import { isCounted, type PaymentCounter } from './payment-counter.ts';

type StakePayment = SchemaTypes['stake-payment'];

export interface StakePaymentsOptions {
  readonly space: Space;
  readonly steps: SettlementActions;
  readonly counter: PaymentCounter;
  /** The node's key in base58, whose wallet is the owner of the stake. */
  readonly key: string;
}

/** The end of a stake payment: at stake, never to arrive, not known yet, or not to be told from a slash. */
type Fate = { readonly kind: 'taken'; readonly signature: string } | { readonly kind: 'lost' | 'open' | 'unclear' };

const pendingRef = collection<StakePayment>('stake-payment', { schema: 'stake-payment' }).ref('own');

/**
 * Puts USDC at stake, once for each call that asks for it. A stake is written down with the number of its payment before
 * anything is sent, and stays until the account shows what became of it: whoever repeats a call after an uncertain
 * answer pays once or is told.
 */
export class StakePayments {
  readonly #options: StakePaymentsOptions;

  constructor(options: StakePaymentsOptions) {
    this.#options = options;
  }

  /** `name` is that of the call, the same when it is repeated; undefined when the caller gave none. */
  add(amount: bigint, name: string | undefined, signal: AbortSignal): Promise<{ readonly signature: string }> {
    return this.#options.counter.alone(async () => {
      const before = await this.#options.space.get(pendingRef);
      const done = before ? await this.#finish(before, amount, name, signal) : await this.#remembered(amount, name);
      return done ?? this.#carryOut(await this.#decide(amount, name), signal);
    });
  }

  /** Settles the payment that the call before left open. Undefined when this call is to pay. */
  async #finish(
    before: StakePayment,
    amount: bigint,
    name: string | undefined,
    signal: AbortSignal,
  ): Promise<{ readonly signature: string } | undefined> {
    const same = before.name === (name ?? '') && before.amount === amount.toString();
    if (before.signature !== undefined) return same ? { signature: before.signature } : this.#remembered(amount, name);
    const fate = await this.#fate(before);
    if (fate.kind === 'open') {
      if (same) return this.#carryOut(before, signal);
      throw await this.#told(before, 'is still under way; nothing was added. Repeat that call, or wait a minute');
    }
    if (fate.kind === 'taken' && same && name !== undefined) {
      await this.#options.space.put(pendingRef, { ...before, signature: fate.signature });
      return { signature: fate.signature };
    }
    await this.#options.space.del(pendingRef);
    if (fate.kind === 'lost') return same ? undefined : this.#remembered(amount, name);
    const what = fate.kind === 'taken' ? 'has arrived' : 'may have arrived before a slash';
    throw await this.#told(before, `${what}; nothing more was added. Call again to add more`);
  }

  /** A call that was told what the account shows pays nothing when it is repeated. */
  async #remembered(amount: bigint, name: string | undefined): Promise<{ readonly signature: string } | undefined> {
    if (name === undefined) return undefined;
    const figures = { name, amount: amount.toString(), payments: 0 };
    const sent = await this.#options.steps.find(stepName(figures));
    if (!sent || sent.status === 'failed') return undefined;
    if (sent.status === 'confirmed') return { signature: sent.signature };
    throw await this.#told(figures, 'may have arrived; nothing was added. Use another Idempotency-Key to add more');
  }

  async #decide(amount: bigint, name = ''): Promise<StakePayment> {
    const { space, counter } = this.#options;
    const { agent, payments } = await counter.read();
    const { stake = 0n, settledEpoch = 0 } = agent ?? {};
    const figures = { amount: amount.toString(), stake: stake.toString() };
    const pending = { name, payments, ...figures, settled_epoch: settledEpoch };
    await space.put(pendingRef, pending);
    return pending;
  }

  async #carryOut(pending: StakePayment, signal: AbortSignal): Promise<{ readonly signature: string }> {
    const { space, steps, counter, key } = this.#options;
    const { payments } = pending;
    const step = { type: 'add_stake', key, stakeOwner: key, amount: BigInt(pending.amount), payments } as const;
    try {
      const { signature, slot } = await steps.run(stepName(pending), step, signal);
      await counter.landed(payments, slot);
      await space.del(pendingRef);
      return { signature };
    } catch (error) {
      if (isMeshError(error) && (await this.#isCertain(pending, error))) await space.del(pendingRef);
      throw error;
    }
  }

  /** Whether nothing was put at stake. Where the number was taken before, only the account tells by what. */
  async #isCertain(pending: StakePayment, error: MeshError): Promise<boolean> {
    if (isCounted(error)) return false;
    if (!['ledger_unavailable', 'not_ready'].includes(error.code)) return true;
    return (await this.#options.steps.find(stepName(pending))) === undefined;
  }

  async #fate(pending: StakePayment): Promise<Fate> {
    const { counter, steps } = this.#options;
    const { payments, amount, stake, settled_epoch } = pending;
    const sent = await steps.find(stepName(pending));
    if (sent?.status === 'confirmed') return { kind: 'taken', signature: sent.signature };
    const { agent } = await counter.read();
    // Another of the same number can follow one that expired: the ledger takes one of them.
    if (!agent || agent.payments <= payments) return { kind: sent?.status === 'recorded' ? 'open' : 'lost' };
    // Only this wallet adds to the stake, and only a slash takes from it.
    if (sent && agent.stake >= BigInt(stake) + BigInt(amount)) return { kind: 'taken', signature: sent.signature };
    const untouched = agent.settledEpoch === settled_epoch && agent.stake === BigInt(stake);
    return { kind: untouched ? 'lost' : 'unclear' };
  }

  async #told({ amount }: Pick<StakePayment, 'amount'>, sentence: string): Promise<MeshError> {
    const { agent } = await this.#options.counter.read();
    const shown = `The account shows ${formatUsdc(agent?.stake ?? 0n)} USDC at stake.`;
    return new MeshError(
      'conflict',
      `A stake of ${formatUsdc(BigInt(amount))} USDC that was asked for before ${sentence}. ${shown}`,
    );
  }
}

/** Of a call that has a name the one transaction ever; of others that of this number and amount. */
function stepName({ payments, amount, name }: Pick<StakePayment, 'payments' | 'amount' | 'name'>): string {
  return name === '' ? `add_stake:${payments}:${amount}` : `add_stake:${name}`;
}
