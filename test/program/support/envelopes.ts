import bs58 from 'bs58';
import { createKeccak } from 'hash-wasm';
import {
  ed25519Instruction,
  envelopeStatement,
  type ProgramInstruction,
} from '../../../adapters/ledger-solana/program/index.ts';
import type { Wallet } from './svm.ts';

const hasher = await createKeccak(256);
const ZERO = Buffer.alloc(32);

export function keccak(...parts: readonly Uint8Array[]): Buffer {
  hasher.init();
  for (const part of parts) hasher.update(part);
  return Buffer.from(hasher.digest('binary'));
}

export interface HeaderFields {
  readonly sender: string;
  readonly epoch: bigint;
  readonly seq: number;
  /** Makes two headers with the same number different. */
  readonly variant?: number;
  readonly version?: number;
}

export function header({ sender, epoch, seq, variant = 0, version = 2 }: HeaderFields): Buffer {
  const bytes = Buffer.alloc(143);
  bytes[0] = version;
  bytes.writeUInt16BE(3, 1);
  bytes.set(bs58.decode(sender), 3);
  bytes.writeBigUInt64BE((epoch << 22n) | BigInt(seq), 83);
  bytes.writeUInt32BE(variant, 139);
  return bytes;
}

export function idOf(bytes: Uint8Array): Buffer {
  return keccak(Uint8Array.of(0), bytes);
}

/** The proof that `signer` signed this header for the network. */
export function headerProof(network: Uint8Array, bytes: Uint8Array, signer: Wallet): ProgramInstruction {
  const statement = envelopeStatement(network, bytes);
  return ed25519Instruction(signer.address, signer.sign(statement), statement);
}

export interface Tree {
  readonly count: number;
  readonly root: Buffer;
  readonly leaves: readonly Buffer[];
  siblings(index: number): Buffer[];
}

/** The batch tree: padded right with zero leaves to a power of two. */
export function treeOf(leaves: readonly Buffer[]): Tree {
  const levels = [[...leaves]];
  let width = 1;
  while (width < leaves.length) width *= 2;
  while (levels[0]!.length < width) levels[0]!.push(ZERO);
  while (levels.at(-1)!.length > 1) {
    const below = levels.at(-1)!;
    levels.push(
      Array.from({ length: below.length / 2 }, (_, i) => keccak(Uint8Array.of(1), below[2 * i]!, below[2 * i + 1]!)),
    );
  }
  const siblings = (index: number) => levels.slice(0, -1).map((level, depth) => level[(index >> depth) ^ 1]!);
  return { count: leaves.length, root: leaves.length ? levels.at(-1)![0]! : ZERO, leaves, siblings };
}

/** A batch of `count` ordinary headers of one epoch. */
export function batchOf(sender: string, epoch: bigint, count: number): { headers: Buffer[]; tree: Tree } {
  const headers = Array.from({ length: count }, (_, i) => header({ sender, epoch, seq: i + 1 }));
  return { headers, tree: treeOf(headers.map(idOf)) };
}
