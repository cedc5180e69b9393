import { randomInt } from 'node:crypto';
import { ComputeBudgetProgram, type TransactionInstruction } from '@solana/web3.js';
import { INSTRUCTION_NAMES, type InstructionName, type ProgramInstruction } from '../program/index.ts';

/** Compute units as docs/program.md measured them. */
const UNITS: Readonly<Record<InstructionName, number>> = {
  initConfig: 7_240,
  lockEscrow: 21_387,
  setPayee: 5_668,
  deliver: 3_871,
  approve: 10_435,
  refund: 8_981,
  reclaim: 8_735,
  dispute: 3_877,
  contest: 3_859,
  decide: 3_905,
  claim: 10_414,
  split: 11_926,
  openAgent: 7_991,
  setAgentId: 3_819,
  payLease: 5_760,
  addStake: 13_139,
  requestUnlock: 3_824,
  resume: 4_036,
  withdraw: 10_013,
  submitBatch: 3_890,
  announce: 6_185,
  retract: 2_278,
  accuse: 17_539,
  answer: 6_737,
  convict: 12_509,
  slashInactive: 10_492,
  claimOwner: 21_935,
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
