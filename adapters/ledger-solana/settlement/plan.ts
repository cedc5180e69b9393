import type { Signer } from '../../../core/ledger/ledger.ts';
import type { AgentAccount, EscrowAccount } from '../../../core/protocol/settlement/accounts.ts';
import type { EscrowName } from '../../../core/protocol/settlement/steps.ts';
import type { Deployment, ProgramInstruction } from '../program/index.ts';

/** The instructions of a step, and the accounts it relies on. */
export interface StepPlan {
  /** In order; a proof stands directly before the instruction that reads it. */
  readonly instructions: readonly ProgramInstruction[];
  /** Wallets whose associated token accounts must exist. */
  readonly paid?: readonly string[];
  /** The wallet whose associated token account must hold this much. */
  readonly spends?: { readonly wallet: string; readonly amount: bigint };
}

/** The facts and reads that planning a step needs. Accounts are read as they are now, confirmed. */
export interface StepContext {
  readonly place: Deployment;
  readonly network: Uint8Array;
  /** The first pays. */
  readonly signers: readonly [Signer, ...Signer[]];
  /** Fails with `escrow_not_found`. */
  escrow(name: EscrowName): Promise<EscrowAccount>;
  agent(key: string): Promise<AgentAccount | undefined>;
}

/** The first entitled key that signs here; without one, the first entitled key. */
export function authorityAmong(signers: readonly Signer[], entitled: readonly (string | null)[]): string {
  const present = entitled.find((key) => signers.some(({ address }) => address === key));
  return present ?? entitled[0]!;
}
