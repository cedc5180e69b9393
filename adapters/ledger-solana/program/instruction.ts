import { INSTRUCTIONS_SYSVAR, SYSTEM_PROGRAM, TOKEN_PROGRAM } from './addresses.ts';
import { encodeFields } from './layout/codec.ts';
import {
  INSTRUCTION_NAMES,
  INSTRUCTIONS,
  type InstructionAccounts,
  type InstructionArgs,
  type InstructionName,
} from './layout/instructions.ts';
import type { AccountRole } from './layout/roles.ts';

/** An instruction as plain data: no class of any Solana library. */
export interface ProgramInstruction {
  readonly programId: string;
  readonly keys: readonly InstructionKey[];
  readonly data: Uint8Array;
}

export interface InstructionKey {
  readonly address: string;
  readonly signer: boolean;
  readonly writable: boolean;
}

export interface InstructionInput<N extends InstructionName> {
  readonly accounts: InstructionAccounts<N>;
  readonly args: InstructionArgs<N>;
  /** Bytes after the fixed arguments. */
  readonly tail?: Uint8Array;
  /** Accounts that sign although the declaration does not ask for it every time. */
  readonly alsoSign?: readonly (keyof InstructionAccounts<N>)[];
}

const FIXED: Readonly<Record<string, string>> = {
  tokenProgram: TOKEN_PROGRAM,
  systemProgram: SYSTEM_PROGRAM,
  instructionsSysvar: INSTRUCTIONS_SYSVAR,
};

/** Any instruction of the program, from its declaration. */
export function programInstruction<N extends InstructionName>(
  programId: string,
  name: N,
  { accounts, args, tail, alsoSign = [] }: InstructionInput<N>,
): ProgramInstruction {
  const declared = INSTRUCTIONS[name];
  const roles: readonly (readonly [string, AccountRole])[] = Object.entries(declared.accounts);
  const given = accounts as Readonly<Record<string, string>>;
  const keys = roles.map(([account, role]) => ({
    address: FIXED[role.kind] ?? given[account]!,
    signer: role.signer || (alsoSign as readonly string[]).includes(account),
    writable: role.writable,
  }));
  const data = Buffer.concat([
    Uint8Array.of(INSTRUCTION_NAMES.indexOf(name)),
    encodeFields(declared.args, args as never),
    tail ?? new Uint8Array(),
  ]);
  return { programId, keys, data };
}
