import type { BuiltInErrorCode } from '../../../core/errors.ts';
import type { LedgerRefusal } from '../../../core/ledger/refusal.ts';
import { type InstructionName, PROGRAM_ERRORS, type ProgramErrorName, snakeCase } from '../program/index.ts';

/**
 * Our code for every error of the program. `internal`: this process built a transaction that the program does not
 * understand, so one of the two is not of this version.
 */
const CODES: Readonly<Record<ProgramErrorName, BuiltInErrorCode>> = {
  unknownInstruction: 'internal',
  malformedData: 'internal',
  wrongAccountCount: 'internal',
  duplicateAccount: 'invalid_request',
  missingSigner: 'forbidden',
  notWritable: 'internal',
  wrongProgram: 'internal',
  wrongOwner: 'not_found',
  wrongDiscriminator: 'internal',
  wrongConfig: 'internal',
  wrongAddress: 'conflict',
  wrongAuthority: 'forbidden',
  wrongMint: 'invalid_request',
  wrongTokenOwner: 'invalid_request',
  notReceivable: 'conflict',
  alreadyExists: 'conflict',
  invalidConfig: 'invalid_request',
  invalidTerms: 'invalid_request',
  invalidAmount: 'invalid_request',
  overflow: 'invalid_request',
  wrongState: 'conflict',
  tooEarly: 'deadline_not_reached',
  tooLate: 'deadline_passed',
  epochNotOver: 'deadline_not_reached',
  epochOrder: 'conflict',
  tooManySkips: 'conflict',
  windowOpen: 'deadline_not_reached',
  invalidBatch: 'invalid_request',
  noBatch: 'not_found',
  settledEpoch: 'conflict',
  invalidProof: 'invalid_request',
  wrongStatement: 'invalid_request',
  invalidPath: 'invalid_request',
  dutiesNotOver: 'conflict',
  openAccusations: 'conflict',
  invalidLease: 'invalid_request',
  priceExceeded: 'conflict',
  stakeTooSmall: 'invalid_request',
  expired: 'deadline_passed',
  rentUnknown: 'upstream_failed',
};

const ESCROW_STEPS: ReadonlySet<InstructionName> = new Set([
  'setPayee',
  'deliver',
  'approve',
  'refund',
  'reclaim',
  'dispute',
  'claim',
  'split',
]);

/** What to tell of an error of the program, raised by that instruction. */
export function programRefusal(error: ProgramErrorName, instruction: InstructionName): LedgerRefusal {
  const code = codeOf(error, instruction);
  const detail = `The settlement program refused ${snakeCase(instruction)}: ${PROGRAM_ERRORS[error]}.`;
  return { code, detail, programError: snakeCase(error) };
}

function codeOf(error: ProgramErrorName, instruction: InstructionName): BuiltInErrorCode {
  if (error === 'wrongOwner' && ESCROW_STEPS.has(instruction)) return 'escrow_not_found';
  if (error === 'alreadyExists' && instruction === 'lockEscrow') return 'escrow_exists';
  return CODES[error];
}
