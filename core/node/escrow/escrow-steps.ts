import { isMeshError, MeshError } from '../../contracts/errors.ts';
import type { Ledger, Signer } from '../../ledger/ledger.ts';
import type { LandedTransaction, RecordedTransactions } from '../../ledger/recorded-transactions.ts';
import type { Settlement } from '../../ledger/settlement.ts';
import { SettlementActions } from '../../ledger/settlement-actions.ts';
import type { Log } from '../../platform/log.ts';
import { agreedLock, agreementOf, lockClosesAt } from '../../protocol/deals/agreed-lock.ts';
import type { Deal } from '../../protocol/deals/deal.ts';
import type { EscrowName, EscrowStep } from '../../protocol/settlement/steps.ts';
import { type DealDocument, openActions } from '../deals/deal-document.ts';
import type { MoneySteps } from '../deals/money-step.ts';
import type { CountedTransactions } from '../money/counted-transactions.ts';
import { lockSpending } from '../money/spendings.ts';
import { paidBefore } from '../payments/paid-before.ts';
import { isEscrowStepDone } from './escrow-done.ts';

export interface EscrowStepsOptions {
  readonly settlement: Settlement;
  readonly ledger: Pick<Ledger, 'sentUsdc'>;
  readonly transactions: RecordedTransactions;
  readonly counted: CountedTransactions;
  readonly money: MoneySteps;
  readonly signer: Signer;
  /** The node's: what was begun goes on when its caller has left. */
  readonly signal: AbortSignal;
  readonly log: Log;
}

/** The steps on an escrow that need nothing but its name. */
export type PlainStep = 'approve' | 'refund' | 'reclaim' | 'claim' | 'split';

/** The steps that one party alone may take, and what only it does by them; anyone takes the others. */
const TAKEN_BY: Partial<Record<EscrowStep['type'], readonly [party: 'provider' | 'requester', does: string]>> = {
  deliver: ['provider', 'names its delivery'],
  set_payee: ['provider', 'says who is paid'],
  contest: ['provider', 'contests'],
  refund: ['provider', 'refunds'],
  approve: ['requester', 'approves'],
  dispute: ['requester', 'disputes'],
};

/** Has the ledger take the steps of this node's escrows, each once. */
export class EscrowSteps {
  readonly #options: EscrowStepsOptions;
  readonly #steps: SettlementActions;

  constructor(options: EscrowStepsOptions) {
    this.#options = options;
    this.#steps = new SettlementActions(options);
  }

  /** Locks the deal's amount and bond from this node's wallet. Repeating it gives the same lock. */
  lock({ deal }: DealDocument, now: number): Promise<LandedTransaction> {
    const transaction = escrowTransaction('lock', deal);
    return this.#options.money.take(deal.conversation, { step: 'lock', transaction }, (document) =>
      this.#lock(document!, transaction, now),
    );
  }

  async #lock(document: DealDocument, name: string, now: number): Promise<LandedTransaction> {
    const { settlement, transactions, counted, signer } = this.#options;
    const { deal } = document;
    if (!(await transactions.find(name))) this.#checkLock(document, now);
    const agreed = agreedLock(agreementOf(deal));
    return counted.carryOut(
      lockSpending(name, agreed),
      async () => {
        this.#checkLock(document, now);
        await this.#requireUnpaid(document);
        const { unixSeconds } = await settlement.time();
        if (unixSeconds > lockClosesAt(agreementOf(deal)))
          throw new MeshError(
            'deadline_passed',
            'Less than half of the agreed time is left; such a lock would not count.',
          );
        return settlement.prepare({ type: 'lock', ...agreed }, [signer]);
      },
      this.#options.signal,
    );
  }

  /** Names the DELIVER of this deal on the ledger; the provider's. */
  async deliver(deal: Deal): Promise<LandedTransaction> {
    const delivery = deal.delivery?.id;
    if (delivery === undefined) {
      this.#requireParty('deliver', deal);
      throw new MeshError('invalid_transition', 'Nothing was delivered in this deal; send the DELIVER first.');
    }
    return this.#take({ type: 'deliver', ...placeOf(deal), delivery });
  }

  take(type: PlainStep, name: EscrowName): Promise<LandedTransaction> {
    return this.#take({ type, ...placeOf(name) });
  }

  /** Disputes with this offer, or raises the offer to it; the requester's. */
  dispute(name: EscrowName, offerBps: number): Promise<LandedTransaction> {
    return this.#take({ type: 'dispute', ...placeOf(name), offerBps }, String(offerBps));
  }

  /** Has the release paid to the USDC account of this wallet; the provider's. */
  setPayee(name: EscrowName, wallet: string): Promise<LandedTransaction> {
    const payee = this.#options.settlement.tokenAccount(wallet);
    return this.#take({ type: 'set_payee', ...placeOf(name), payee, wallet }, wallet);
  }

  /** Refuses the dispute's offer where it is at most this; the provider's. */
  contest(name: EscrowName, maxBps: number): Promise<LandedTransaction> {
    return this.#take({ type: 'contest', ...placeOf(name), maxBps }, String(maxBps));
  }

  async #take(step: EscrowStep, which?: string): Promise<LandedTransaction> {
    const { money, signal } = this.#options;
    const transaction = escrowTransaction(step.type, step, which);
    try {
      return await money.take(step.conversation, { step: step.type, transaction }, () =>
        this.#steps.run(transaction, step, signal, { isDone: (atLeast) => this.#isDone(step, atLeast) }),
      );
    } catch (error) {
      if (isMeshError(error) && error.code === 'forbidden') this.#requireParty(step.type, step);
      throw error;
    }
  }

  #requireParty(type: EscrowStep['type'], name: EscrowName): void {
    const taken = TAKEN_BY[type];
    if (!taken) return;
    const [party, does] = taken;
    if (name[party] === this.#options.signer.address) return;
    throw new MeshError('forbidden', `Only the ${party} ${does}; in this deal that is ${name[party]}.`);
  }

  /** Asks the ledger only about a step that a transaction was sent for. */
  async #isDone(step: EscrowStep, atLeast: number): Promise<boolean | undefined> {
    if (atLeast === 0) return undefined;
    const { value } = await this.#options.settlement.escrows([placeOf(step)], atLeast);
    return isEscrowStepDone(step, value[0]);
  }

  /** A transfer that is not shown in the deal yet pays for it already. */
  async #requireUnpaid({ deal, payment }: DealDocument): Promise<void> {
    const paid = payment?.status === 'recorded' ? payment : await paidBefore(this.#options, deal, 0);
    if (!paid) return;
    const detail = `This deal is paid by the transfer ${paid.signature}; nothing was locked. Call pay to have it counted.`;
    throw new MeshError('conflict', { detail, extra: { allowed_actions: ['pay'] } });
  }

  #checkLock(document: DealDocument, now: number): void {
    const actions = openActions(document, this.#options.signer.address, now);
    if (actions.includes('lock')) return;
    const detail = `This deal is ${document.deal.state}; you cannot lock its amount now.`;
    throw new MeshError('invalid_transition', { detail, extra: { allowed_actions: actions } });
  }
}

function placeOf({ requester, provider, conversation }: EscrowName): EscrowName {
  return { requester, provider, conversation };
}

/** The name that the transaction of a step is recorded under. */
export function escrowTransaction(type: EscrowStep['type'], name: EscrowName, which?: string): string {
  const { requester, provider, conversation } = name;
  return ['escrow', type, conversation, requester, provider, ...(which === undefined ? [] : [which])].join('/');
}
