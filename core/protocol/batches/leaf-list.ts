import { verifyDomain } from '../identity/domains.ts';
import type { Network } from '../identity/network.ts';
import type { Identity } from '../signer/identity.ts';
import { HASH_LENGTH, leafCount, merkleRoot } from './merkle.ts';

/** The commitment of a batch: the number of envelopes of one key in one epoch, and the Merkle root over them. */
export interface Batch {
  readonly epoch: number;
  readonly count: number;
  /** 32 bytes; zeros when the count is 0. */
  readonly root: Uint8Array;
}

/**
 * All leaves of a batch, signed by the key whose envelopes they are. A holder of the list can answer accusations of
 * that key, and can see which envelopes it left out.
 */
export interface LeafList extends Batch {
  /** 32 · count bytes: the envelope id of sequence number n at n - 1, zeros where none was signed. */
  readonly leaves: Uint8Array;
  /** The key's signature of the domain leaves/1 over epoch, count and root. */
  readonly signature: Uint8Array;
}

export function batchOf(epoch: number, leaves: Uint8Array): Batch {
  return { epoch, count: leafCount(leaves), root: merkleRoot(leaves) };
}

export function signLeafList(epoch: number, leaves: Uint8Array, identity: Identity, network: Network): LeafList {
  const batch = batchOf(epoch, leaves);
  return { ...batch, leaves, signature: identity.signDomain('leaves/1', network, { ...batch }) };
}

/** Whether `key` signed the list and its leaves lead to its root. */
export function verifyLeafList(list: LeafList, key: Uint8Array, network: Network): boolean {
  const { epoch, count, root, leaves, signature } = list;
  if (leaves.length !== count * HASH_LENGTH) return false;
  if (!verifyDomain('leaves/1', network, { epoch, count, root }, signature, key)) return false;
  return Buffer.compare(merkleRoot(leaves), root) === 0;
}

/** The leaf of a sequence number; undefined beyond the end. */
export function leafOf(leaves: Uint8Array, seq: number): Uint8Array | undefined {
  const end = seq * HASH_LENGTH;
  return seq >= 1 && end <= leaves.length ? leaves.slice(end - HASH_LENGTH, end) : undefined;
}
