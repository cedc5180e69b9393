import { randomInt } from 'node:crypto';
import { ComputeBudgetProgram, type TransactionInstruction } from '@solana/web3.js';
import { INSTRUCTION_NAMES, type InstructionName, type ProgramInstruction } from '../program/index.ts';

/** Compute units as docs/program.md measured them. */
const UNITS: Readonly<Record<InstructionName, number>> = {
  initConfig: 4_467,
  lockEscrow: 20_029,
  setPayee: 4_454,
  deliver: 2_699,
  approve: 7_876,
  refund: 7_514,
  reclaim: 7_253,
  dispute: 2_690,
  claim: 7_582,
  split: 9_041,
  openAgent: 6_680,
  setAgentId: 2_592,
  payLease: 4_409,
  addStake: 11_675,
  requestUnlock: 2_604,
  resume: 2_748,
  withdraw: 8_676,
  submitBatch: 2_672,
  accuse: 13_823,
  answer: 5_451,
  convict: 11_114,
  slashInactive: 9_145,
  claimOwner: 20_617,
};
/** Room for the SPL Token program of live clusters, which costs more than the one measured, and for unlucky addresses. */
const MARGIN = 60_000;
/** A token account that is created besides. */
const TOKEN_ACCOUNT_UNITS = 30_000;
const SPREAD = 4_096;

/**
 * How many units a transaction may use. A random part makes two transactions that say the same within one blockhash
 * two transactions: the ledger would take equal ones for one.
 */
export function unitLimit(instructions: readonly ProgramInstruction[], tokenAccounts: number): number {
  const own = instructions.flatMap(({ data }) => INSTRUCTION_NAMES[data[0] ?? -1] ?? []);
  const used = own.reduce((sum, name) => sum + UNITS[name], 0);
  return used + MARGIN + tokenAccounts * TOKEN_ACCOUNT_UNITS + randomInt(SPREAD);
}

/** `price` in micro-lamports per unit; nothing is offered when it is 0. These go before everything else. */
export function budgetInstructions(units: number, price: number): TransactionInstruction[] {
  const limit = ComputeBudgetProgram.setComputeUnitLimit({ units });
  return price === 0 ? [limit] : [limit, ComputeBudgetProgram.setComputeUnitPrice({ microLamports: price })];
}
