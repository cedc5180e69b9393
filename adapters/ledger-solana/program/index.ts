/** The settlement program for TypeScript callers: addresses, instructions, accounts, events, errors. */
export * from './accounts.ts';
export * from './addresses.ts';
export * from './events.ts';
export type { InstructionKey, ProgramInstruction } from './instruction.ts';
export * from './instructions/agent.ts';
export * from './instructions/batch.ts';
export * from './instructions/config.ts';
export * from './instructions/escrow.ts';
export * from './instructions/ownership.ts';
export type { AccountName, AccountValues, Numbers } from './layout/accounts.ts';
export { PROGRAM_ERRORS, type ProgramErrorName, programErrorCode, programErrorName } from './layout/errors.ts';
export type { EventName, EventValues } from './layout/events.ts';
export { snakeCase } from './layout/fields.ts';
export { INSTRUCTION_NAMES, type InstructionName } from './layout/instructions.ts';
export * from './loader.ts';
export { PROTOCOL_NUMBERS } from './numbers.ts';
export { programFile, readProgram } from './program-file.ts';
export * from './statements.ts';
