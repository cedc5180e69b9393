import { createHash } from 'node:crypto';
import type { PublicKey } from '@solana/web3.js';
import type { ProgramComparison } from '../../../core/ledger/program-deployment.ts';
import { type Account, publicKey } from '../holdings.ts';
import { type DeployedProgram, decodeProgramData, LOADER, programDataAddress } from '../program/index.ts';

const FINAL_LOADER = 'BPFLoader2111111111111111111111111111111111';

/** The two accounts that show the program deployed at an address, for `deployedOf`. */
export function programAccounts(program: string): [PublicKey, PublicKey] {
  return [publicKey(program), publicKey(programDataAddress(program))];
}

/** A deployed program, by either loader; `nothing` where the address is free, `other` where something else is there. */
export function deployedOf(
  account: Account | null | undefined,
  data: Account | null | undefined,
): DeployedProgram | 'nothing' | 'other' {
  if (!account) return 'nothing';
  if (account.owner === FINAL_LOADER) return { upgradeAuthority: undefined, bytes: account.data };
  return (account.owner === LOADER && data && decodeProgramData(data)) || 'other';
}

/** Byte for byte. Room that a deployment left behind the program, all zeros, is no difference. */
export function compareProgram({ bytes: found }: DeployedProgram, ours: Uint8Array): ProgramComparison {
  const end = Math.max(ours.length, lengthOf(found));
  let at = 0;
  while (at < end && (found[at] ?? 0) === (ours[at] ?? 0)) at++;
  const isShort = found.length < ours.length;
  return {
    matches: at === end && !isShort,
    firstDifference: at === end ? (isShort ? found.length : null) : at,
    ours: described(ours),
    found: described(found.subarray(0, end)),
  };
}

/** The difference, as a sentence for people. */
export function tellDifference({ ours, found, firstDifference }: ProgramComparison): string {
  return `${found.bytes} bytes with the SHA-256 ${found.sha256} are there, this version has ${ours.bytes} with ${ours.sha256}; they differ from byte ${firstDifference} on`;
}

function lengthOf(bytes: Uint8Array): number {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end--;
  return end;
}

function described(bytes: Uint8Array): { bytes: number; sha256: string } {
  return { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}
