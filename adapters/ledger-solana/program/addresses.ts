import { PublicKey } from '@solana/web3.js';
import bs58 from 'bs58';

export const SYSTEM_PROGRAM = '11111111111111111111111111111111';
export const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
export const ATA_PROGRAM = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';
export const INSTRUCTIONS_SYSVAR = 'Sysvar1nstructions1111111111111111111111111';
export const ED25519_PROGRAM = 'Ed25519SigVerify111111111111111111111111111';
/** Stands for "none" where an address may be absent. */
export const NO_ADDRESS = SYSTEM_PROGRAM;

/** One deployment: the program, and the config account that all its other accounts derive from. */
export interface Deployment {
  readonly programId: string;
  readonly config: string;
  readonly mint: string;
  readonly treasury: string;
}

/** The parties and conversation (16 bytes) that name an escrow. */
export interface EscrowName {
  readonly requester: string;
  readonly provider: string;
  readonly conversation: Uint8Array;
}

export function escrowAddress(deployment: Deployment, name: EscrowName): string {
  return derive(deployment, 'escrow', name.requester, name.provider, name.conversation);
}

export function agentAddress(deployment: Deployment, key: string): string {
  return derive(deployment, 'agent', key);
}

export function ownerLinkAddress(deployment: Deployment, key: string): string {
  return derive(deployment, 'owner', key);
}

/** The account that the program signs its events with. */
export function eventAuthorityAddress({ programId, config }: Pick<Deployment, 'programId' | 'config'>): string {
  return address(programId, [Buffer.from('event'), bytes(config)]);
}

/** `commitment` is that of the accusation (`accusationCommitment`). */
export function announcementAddress(deployment: Deployment, accuser: string, commitment: Uint8Array): string {
  return derive(deployment, 'announce', accuser, commitment);
}

/** `id` is the 32-byte id of the accused header. */
export function accusationAddress(deployment: Deployment, key: string, id: Uint8Array): string {
  return address(deployment.programId, [Buffer.from('accuse'), bytes(agentAddress(deployment, key)), id]);
}

/** The token account that holds what the given escrow or agent account records. */
export function vaultAddress(deployment: Deployment, parent: string): string {
  return address(deployment.programId, [Buffer.from('vault'), bytes(parent)]);
}

/** The associated token account of a wallet for the deployment's mint. */
export function tokenAddress(deployment: Deployment, wallet: string): string {
  return address(ATA_PROGRAM, [wallet, TOKEN_PROGRAM, deployment.mint].map(bytes));
}

function derive(deployment: Deployment, kind: string, ...parts: readonly (string | Uint8Array)[]): string {
  return address(deployment.programId, [Buffer.from(kind), bytes(deployment.config), ...parts.map(bytes)]);
}

/** Finding an address hashes and does curve arithmetic, about a millisecond; the same few are asked for again and again. */
const found = new Map<string, string>();
const FOUND_LIMIT = 10_000;

function address(programId: string, seeds: readonly Uint8Array[]): string {
  const name = [programId, ...seeds.map((seed) => Buffer.from(seed).toString('base64'))].join(' ');
  const known = found.get(name);
  if (known) return known;
  const derived = PublicKey.findProgramAddressSync([...seeds], new PublicKey(programId))[0].toBase58();
  if (found.size >= FOUND_LIMIT) found.clear();
  found.set(name, derived);
  return derived;
}

function bytes(part: string | Uint8Array): Uint8Array {
  return typeof part === 'string' ? bs58.decode(part) : part;
}
