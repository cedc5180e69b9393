import type { BuiltInErrorCode } from '../../../core/contracts/errors.ts';
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
  offerTooLow: 'invalid_request',
  offerTooHigh: 'conflict',
  wrongPayment: 'conflict',
  notAnnounced: 'conflict',
};

const ESCROW_STEPS: ReadonlySet<InstructionName> = new Set([
  'setPayee',
  'deliver',
  'approve',
  'refund',
  'reclaim',
  'dispute',
  'contest',
  'decide',
  'claim',
  'split',
]);

const SAME_PAYMENT = 'Read the account: a number of payments that has grown says that one was taken.';
const DECIDED = 'How it ends is decided: split pays what is still due.';

/** The steps that are allowed instead, where the step and the error tell them. */
const INSTEAD: Partial<Record<InstructionName, Partial<Record<ProgramErrorName, string>>>> = {
  approve: { wrongState: DECIDED },
  refund: { wrongState: DECIDED },
  deliver: { tooLate: 'The deadline is over: anyone may reclaim.' },
  dispute: {
    tooLate: 'The review window is over and anyone may claim; of a dispute, its window is over and anyone may split.',
    offerTooLow: 'Offer at least the agreed lowest share, and more than the offer that stands.',
    wrongState: 'Only what is delivered can be disputed, and only until the provider contests.',
  },
  contest: {
    tooLate: 'The dispute window is over: the offer stands, and anyone may split.',
    offerTooHigh: 'The requester has raised its offer: let it stand, or contest with a higher limit.',
    wrongState: 'Only a dispute can be contested.',
  },
  decide: {
    tooLate: 'The time to decide is over: anyone may split.',
    wrongState: 'A notary decides only what is contested.',
  },
  claim: { wrongState: 'Only what is delivered and not disputed can be claimed.' },
  split: {
    tooEarly: 'The dispute can still be contested, or the notary can still decide.',
    wrongState: 'Only what is disputed, contested or decided can be split.',
    notReceivable: 'No account that is owed something can receive now; open one of them, or name another payee.',
  },
  accuse: {
    tooEarly: 'The announcement is not old enough: wait until announce_slots have passed.',
    wrongOwner: 'Announce the accusation first.',
    notAnnounced: 'Announce the accusation of this header first.',
  },
  announce: { alreadyExists: 'It is announced: accuse when announce_slots have passed.' },
  payLease: { wrongPayment: SAME_PAYMENT },
  addStake: { wrongPayment: SAME_PAYMENT },
};

/** The refusal for an error of the program, raised by that instruction. */
export function programRefusal(error: ProgramErrorName, instruction: InstructionName): LedgerRefusal {
  const code = codeOf(error, instruction);
  const instead = INSTEAD[instruction]?.[error];
  const why =
    code === 'escrow_not_found' ? 'nothing is locked for this deal, or its escrow has closed' : PROGRAM_ERRORS[error];
  const reason = `The settlement program refused ${snakeCase(instruction)}: ${why}.`;
  return { code, detail: instead ? `${reason} ${instead}` : reason, programError: snakeCase(error) };
}

function codeOf(error: ProgramErrorName, instruction: InstructionName): BuiltInErrorCode {
  if (error === 'wrongOwner' && ESCROW_STEPS.has(instruction)) return 'escrow_not_found';
  if (error === 'alreadyExists' && instruction === 'lockEscrow') return 'escrow_exists';
  return CODES[error];
}
