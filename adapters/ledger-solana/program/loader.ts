import { PublicKey } from '@solana/web3.js';
import bs58 from 'bs58';
import { SYSTEM_PROGRAM } from './addresses.ts';
import type { InstructionKey, ProgramInstruction } from './instruction.ts';

/** Solana's upgradeable loader. A program is uploaded into a buffer account in pieces and then deployed from it. */
export const LOADER = 'BPFLoaderUpgradeab1e11111111111111111111111';

const RENT_SYSVAR = 'SysvarRent111111111111111111111111111111111';
const CLOCK_SYSVAR = 'SysvarC1ock11111111111111111111111111111111';
const BUFFER_HEAD = 37;
const PROGRAM_DATA_HEAD = 45;

/** Sizes of the accounts a deployment makes; buffer and program account are created by the caller, owned by the loader. */
export function deploymentSizes(program: Uint8Array): { buffer: number; program: number; programData: number } {
  return {
    buffer: BUFFER_HEAD + program.length,
    program: 36,
    programData: PROGRAM_DATA_HEAD + program.length,
  };
}

/** The most bytes one `writeBuffer` carries in a transaction with one signature. */
export const WRITE_SIZE = 900;

export function initializeBuffer(buffer: string, authority: string): ProgramInstruction {
  return call([key(buffer, 'w'), key(authority)], [u32(0)]);
}

/** Signed by the authority. */
export function writeBuffer(buffer: string, authority: string, offset: number, bytes: Uint8Array): ProgramInstruction {
  return call([key(buffer, 'w'), key(authority, 's')], [u32(1), u32(offset), u64(bytes.length), bytes]);
}

export interface Deploy {
  readonly payer: string;
  readonly program: string;
  readonly buffer: string;
  /** Authority of the buffer, and afterwards the upgrade authority of the program. */
  readonly authority: string;
  /** Room for the program and its successors. */
  readonly maxLength: number;
}

/** Signed by payer, program and authority. The buffer's rent goes back to the payer. */
export function deployProgram({ payer, program, buffer, authority, maxLength }: Deploy): ProgramInstruction {
  const keys = [
    key(payer, 'sw'),
    key(programDataAddress(program), 'w'),
    key(program, 'w'),
    key(buffer, 'w'),
    key(RENT_SYSVAR),
    key(CLOCK_SYSVAR),
    key(SYSTEM_PROGRAM),
    key(authority, 's'),
  ];
  return call(keys, [u32(2), u64(maxLength)]);
}

/** Signed by the present authority. Without `next` the program can never be changed again. */
export function setUpgradeAuthority(program: string, authority: string, next?: string): ProgramInstruction {
  const keys = [key(programDataAddress(program), 'w'), key(authority, 's')];
  return call(next === undefined ? keys : [...keys, key(next)], [u32(4)]);
}

/** The account that holds a deployed program's bytes. */
export function programDataAddress(program: string): string {
  return PublicKey.findProgramAddressSync([bs58.decode(program)], new PublicKey(LOADER))[0].toBase58();
}

export interface DeployedProgram {
  /** Undefined when nobody can change it any more. */
  readonly upgradeAuthority: string | undefined;
  /** The program, followed by zeros where room was left. */
  readonly bytes: Uint8Array;
}

/** The program in a program data account; undefined when the account is something else. */
export function decodeProgramData(account: { owner: string; data: Uint8Array }): DeployedProgram | undefined {
  const { owner, data } = account;
  const PROGRAM_DATA = 3;
  if (owner !== LOADER || data.length < PROGRAM_DATA_HEAD || data[0] !== PROGRAM_DATA) return undefined;
  const upgradeAuthority = data[12] === 1 ? bs58.encode(data.subarray(13, 45)) : undefined;
  return { upgradeAuthority, bytes: data.subarray(PROGRAM_DATA_HEAD) };
}

/** True when these are the bytes of `program`, apart from room that was left behind it. */
export function isProgram(deployed: DeployedProgram, program: Uint8Array): boolean {
  const { bytes } = deployed;
  if (bytes.length < program.length) return false;
  return (
    Buffer.from(program).equals(bytes.subarray(0, program.length)) &&
    bytes.subarray(program.length).every((b) => b === 0)
  );
}

function call(keys: readonly InstructionKey[], parts: readonly Uint8Array[]): ProgramInstruction {
  return { programId: LOADER, keys, data: Buffer.concat(parts) };
}

function key(address: string, flags: '' | 's' | 'w' | 'sw' = ''): InstructionKey {
  return { address, signer: flags.includes('s'), writable: flags.includes('w') };
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}
