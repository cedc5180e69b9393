import type { TransactionOutcome } from '../ledger/ledger.ts';
import type { SettlementStep } from '../ledger/settlement-steps.ts';

/** Carries out steps of the settlement program in the name of this node, each durably recorded before it is sent. */
export interface LedgerSteps {
  /**
   * Carries out the step and resolves with its end. A name stands for one effect: the same name again joins the one
   * that runs, or gives the end of the one that was confirmed, also after a crash; one that failed is tried anew.
   * Rejects with what the ledger says against it before anything is sent, and when the ledger cannot be reached.
   */
  run(name: string, step: SettlementStep, signal?: AbortSignal): Promise<StepEnd>;
}

export type StepEnd = TransactionOutcome & { readonly signature: string };
