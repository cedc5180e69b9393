import { COMPUTE_BUDGET_PROGRAM, SIGNATURE_PROGRAMS, SYSTEM_PROGRAM } from './addresses.ts';
import type { TransactionMessage } from './wire.ts';

const LAMPORTS_PER_SIGNATURE = 5000;
const UNITS_PER_INSTRUCTION = 200_000;
const UNITS_PER_BUILTIN = 3_000;
const MAX_UNITS = 1_400_000;
const MICRO = 1_000_000n;
const SET_UNIT_LIMIT = 2;
const SET_UNIT_PRICE = 3;

const BUILTINS: ReadonlySet<string> = new Set([
  SYSTEM_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  'Vote111111111111111111111111111111111111111',
  'BPFLoader1111111111111111111111111111111111',
  'BPFLoader2111111111111111111111111111111111',
  'BPFLoaderUpgradeab1e11111111111111111111111',
]);

/** Lamports: 5000 a signature, those of signature programs included, and the priority fee, which version 1 names itself. */
export function feeOf(message: TransactionMessage, keys: readonly string[]): number {
  const { config } = message;
  let signatures = message.header.numRequiredSignatures;
  let price = 0n;
  let limit: number | undefined;
  let units = 0;
  for (const instruction of message.compiledInstructions) {
    const program = keys[instruction.programIdIndex] ?? '';
    const data = Buffer.from(instruction.data);
    if (SIGNATURE_PROGRAMS.has(program)) signatures += data[0] ?? 0;
    else units += BUILTINS.has(program) ? UNITS_PER_BUILTIN : UNITS_PER_INSTRUCTION;
    if (config || program !== COMPUTE_BUDGET_PROGRAM) continue;
    if (data[0] === SET_UNIT_LIMIT && data.length >= 5) limit = data.readUInt32LE(1);
    if (data[0] === SET_UNIT_PRICE && data.length >= 9) price = data.readBigUInt64LE(1);
  }
  if (config) return signatures * LAMPORTS_PER_SIGNATURE + (config.priorityFee ?? 0);
  const budget = BigInt(Math.min(limit ?? units, MAX_UNITS));
  return signatures * LAMPORTS_PER_SIGNATURE + Number((price * budget + MICRO - 1n) / MICRO);
}
