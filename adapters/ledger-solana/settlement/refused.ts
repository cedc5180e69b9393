import { Transaction } from '@solana/web3.js';
import type { LedgerRefusal } from '../../../core/ledger/refusal.ts';
import { INSTRUCTION_NAMES, type InstructionName, programErrorName } from '../program/index.ts';
import { programRefusal } from './program-error.ts';

/** The code with which the System and Token programs refuse a payment that the payer cannot make. */
const TOO_LITTLE = 1;
const SIGNATURE_BYTES = 64;
/** Set in the first byte of a message that has a version. */
const VERSIONED = 0x80;
const FEE_ERRORS: ReadonlySet<string> = new Set([
  'AccountNotFound',
  'InsufficientFundsForFee',
  'InsufficientFundsForRent',
]);

/**
 * Why a transaction with a step of the program failed, from Solana's structured error; undefined for transactions
 * without one, and for errors that have nothing to do with it.
 */
export function refusedStep(programId: string, transaction: Transaction, error: unknown): LedgerRefusal | undefined {
  const { instructions } = transaction;
  if (instructions.every((instruction) => instruction.programId.toBase58() !== programId)) return undefined;
  const name = typeof error === 'string' ? error : Object.keys(Object(error))[0];
  if (name !== undefined && FEE_ERRORS.has(name)) return tooLittle();
  const [index, cause] = (error as { InstructionError?: [number, { Custom?: number }] })?.InstructionError ?? [];
  const failed = index === undefined ? undefined : instructions[index];
  const custom = typeof cause === 'object' ? cause?.Custom : undefined;
  if (!failed || custom === undefined) return undefined;
  if (custom === TOO_LITTLE) return tooLittle();
  const own = failed.programId.toBase58() === programId ? programErrorName(custom) : undefined;
  const instruction: InstructionName | undefined = INSTRUCTION_NAMES[failed.data[0] ?? -1];
  return own && instruction && programRefusal(own, instruction);
}

/** The same of a transaction in base64. Steps of the program are of version legacy; others are somebody else's, and no step. */
export function refusedBytes(programId: string, base64: string, error: unknown): LedgerRefusal | undefined {
  const bytes = Buffer.from(base64, 'base64');
  const message = 1 + bytes[0]! * SIGNATURE_BYTES;
  if ((bytes[message]! & VERSIONED) !== 0) return undefined;
  return refusedStep(programId, Transaction.from(bytes), error);
}

function tooLittle(): LedgerRefusal {
  return { code: 'insufficient_funds', detail: 'The wallet holds too little SOL or USDC for this transaction.' };
}
