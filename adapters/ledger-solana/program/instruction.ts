import { eventAuthorityAddress, INSTRUCTIONS_SYSVAR, SYSTEM_PROGRAM, TOKEN_PROGRAM } from './addresses.ts';
import { encodeFields } from './layout/codec.ts';
import {
  INSTRUCTION_NAMES,
  INSTRUCTIONS,
  type InstructionAccounts,
  type InstructionArgs,
  type InstructionName,
} from './layout/instructions.ts';
import type { AccountKind, AccountRole } from './layout/roles.ts';

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

/** The address of an account that never varies within a deployment. */
function fixedAddress(kind: AccountKind, programId: string, config: string): string | undefined {
  switch (kind) {
    case 'tokenProgram':
      return TOKEN_PROGRAM;
    case 'systemProgram':
      return SYSTEM_PROGRAM;
    case 'instructionsSysvar':
      return INSTRUCTIONS_SYSVAR;
    case 'program':
      return programId;
    case 'eventAuthority':
      return eventAuthorityAddress({ programId, config });
    default:
      return undefined;
  }
}

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
    address: fixedAddress(role.kind, programId, given['config']!) ?? given[account]!,
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
