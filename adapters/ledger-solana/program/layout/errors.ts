/**
 * Errors of the program in the order of their codes, which start at 100: below lie the codes of the System and Token
 * programs, whose failures inside our instructions surface unchanged. Append only.
 */
export const FIRST_ERROR = 100;

export const PROGRAM_ERRORS = {
  unknownInstruction: 'the first byte names no instruction',
  malformedData: 'the instruction data has the wrong length',
  wrongAccountCount: 'too few or too many accounts',
  duplicateAccount: 'two accounts that must differ are the same',
  missingSigner: 'an account that must sign did not',
  notWritable: 'an account that must be writable is not',
  wrongProgram: 'a program, sysvar or event authority is not the expected one',
  wrongOwner: 'an account belongs to another program',
  wrongDiscriminator: 'an account is of another kind',
  wrongConfig: 'an account belongs to another config',
  wrongAddress: 'an account is not at the derived or recorded address',
  wrongAuthority: 'the signer has no right to do this',
  wrongMint: 'a token account or mint is not of the configured mint',
  wrongTokenOwner: 'a token account belongs to someone else',
  notReceivable: 'a token account is missing, frozen or not of the configured mint',
  alreadyExists: 'the account exists already',
  invalidConfig: 'a number of the config is out of its bounds',
  invalidTerms: 'parties, amount, shares or windows of the escrow are not allowed',
  invalidAmount: 'the amount is zero or too small',
  overflow: 'an amount would overflow',
  wrongState: 'the account is not in a state that allows this',
  tooEarly: 'this is not allowed yet',
  tooLate: 'this is not allowed any more',
  epochNotOver: 'the epoch of the batch is not over',
  epochOrder: 'the epoch is not after the last one, or too far after it',
  tooManySkips: 'too many epochs were skipped',
  windowOpen: 'the entry that would be overwritten can still be accused',
  invalidBatch: 'count or root of the batch is not allowed',
  noBatch: 'there is no batch of that epoch',
  settledEpoch: 'the epoch was settled by a slash or lies before the stake',
  invalidProof: 'the preceding signature instruction is missing or not exactly of the required shape',
  wrongStatement: 'the signed bytes are not the expected ones',
  invalidPath: 'the merkle path does not lead to the root',
  dutiesNotOver: 'the agent still owes a batch',
  openAccusations: 'an accusation is still open',
  invalidLease: 'the number of epochs is zero or too large',
  priceExceeded: 'the price is higher than the payer allowed',
  stakeTooSmall: 'the total stake would be below the minimum',
  expired: 'the statement has expired',
  rentUnknown: 'the rent rule of this cluster is not understood',
  offerTooLow: 'the offer is below the agreed lowest share, or not above the one that stands',
  offerTooHigh: 'the offer is higher than the contest refuses',
  wrongPayment: 'the account counts another number of payments: this one was taken, or another came first',
  notAnnounced: 'this accuser has not announced this accusation',
} as const;

export type ProgramErrorName = keyof typeof PROGRAM_ERRORS;

const NAMES = Object.keys(PROGRAM_ERRORS) as ProgramErrorName[];

export function programErrorCode(name: ProgramErrorName): number {
  return FIRST_ERROR + NAMES.indexOf(name);
}

/** The name of a `Custom` error code returned by our instruction; undefined for codes of other programs. */
export function programErrorName(code: number): ProgramErrorName | undefined {
  return NAMES[code - FIRST_ERROR];
}
