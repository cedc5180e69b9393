import { setImmediate as aTurn } from 'node:timers/promises';
import { invalidField, MeshError } from '../../contracts/errors.ts';
import { toBase64, toHex } from '../../platform/bytes.ts';
import { largeTree } from '../../protocol/batches/large-tree.ts';
import { HASH_LENGTH } from '../../protocol/batches/merkle.ts';
import { verifyDomain } from '../../protocol/identity/domains.ts';
import { parseAgentId } from '../../protocol/identity/ids.ts';
import type { Network } from '../../protocol/identity/network.ts';
import { StorageError } from '../../storage/adapter.ts';
import type { Blobs } from '../../storage/blobs.ts';
import type { Space } from '../../storage/space.ts';
import { leafListRef, leafLists, type StoredLeafList } from '../store/leaves.ts';
import { stakes } from '../store/ledger.ts';

/** More envelopes than any agent signs in a day in earnest; 2 MiB. */
export const MAX_LEAVES = 65_536;
/** An agent keeps its own as long; afterwards no batch can be accused. */
export const KEPT_EPOCHS = 12;
const PAGE = 100;

export interface LeafParts {
  readonly space: Space;
  readonly blobs: Blobs;
  readonly network: Network;
}

export interface HandedIn {
  readonly key: string;
  readonly epoch: number;
  readonly leaves: Uint8Array;
  readonly signature: Uint8Array;
}

/**
 * Keeps the leaf list of a staked key, once its signature holds for these very leaves. One list an epoch: another one
 * takes its place only while the ledger does not say that the first is the batch's.
 */
export async function keepLeaves(parts: LeafParts, list: HandedIn, now: number): Promise<StoredLeafList> {
  const { key, epoch, leaves, signature } = list;
  const { space, blobs, network } = parts;
  await checkPlace(space, network, list, now);
  const { root } = await largeTree(leaves, aTurn);
  const count = leaves.length / HASH_LENGTH;
  if (!verifyDomain('leaves/1', network, { epoch, count, root }, signature, parseAgentId(key)!))
    throw invalidField('/signature', `is not ${key}'s over epoch ${epoch}, these ${count} leaves and their root`);
  const name = nameBytes(key, epoch);
  const { cid } = await blobs.put(chunks(name, leaves), name.length + MAX_LEAVES * HASH_LENGTH);
  const ref = leafListRef(key, epoch);
  const { value } = await space.tx([ref, stakes.ref(key)], (tx) => {
    const known = tx.get(ref);
    const submitted = tx.get(stakes.ref(key))?.batches.find((batch) => batch.epoch === epoch);
    if (known && (known.root === toHex(root) || submitted?.root === known.root)) return { kept: known, gone: cid };
    const kept = { key, epoch, count, root: toHex(root), signature: toBase64(signature), cid, received_at: now };
    tx.put(ref, kept);
    return { kept, gone: known?.cid };
  });
  if (value.gone !== undefined && value.gone !== value.kept.cid) await blobs.delete(value.gone);
  return value.kept;
}

/** Only who has something to lose can make an aggregator keep megabytes. */
async function checkPlace(
  space: Space,
  network: Network,
  { key, epoch, leaves }: HandedIn,
  now: number,
): Promise<void> {
  if (leaves.length % HASH_LENGTH !== 0)
    throw new MeshError('invalid_request', 'The body must be leaves of 32 bytes each.');
  const current = Math.floor(now / 1000 / network.epochSecs);
  if (epoch > current || epoch <= current - KEPT_EPOCHS)
    throw invalidField('/epoch', `must be one of the last ${KEPT_EPOCHS}; this is epoch ${current}`);
  const stake = await space.get(stakes.ref(key));
  if (!stake?.duties) throw new MeshError('forbidden', 'Leaf lists are kept for staked agents only: stake first.');
}

/** The leaves; undefined when there are none, or the disk has spoilt them. */
export async function readLeaves(blobs: Blobs, { cid, key, epoch }: StoredLeafList): Promise<Uint8Array | undefined> {
  const blob = await blobs.get(cid);
  if (!blob) return undefined;
  const parts: Uint8Array[] = [];
  try {
    for await (const part of blob.content) parts.push(part);
  } catch (error) {
    if (error instanceof StorageError && error.fault === 'corrupt') return undefined;
    throw error;
  }
  return new Uint8Array(Buffer.concat(parts).subarray(nameBytes(key, epoch).length));
}

/** Forgets lists of epochs in which nothing can be accused any more. */
export async function forgetLeaves(
  { space, blobs, network }: LeafParts,
  now: number,
  signal: AbortSignal,
): Promise<void> {
  const upTo = Math.floor(now / 1000 / network.epochSecs) - KEPT_EPOCHS;
  while (!signal.aborted) {
    const old = await space.page(leafLists, { index: 'epoch', to: [upTo], limit: PAGE });
    for (const { id, value } of old) {
      await space.del(leafLists.ref(id));
      await blobs.delete(value.cid);
    }
    if (old.length < PAGE) return;
  }
}

/** In front of the leaves, so that no other list can be the same blob, and none is deleted with another. */
function nameBytes(key: string, epoch: number): Uint8Array {
  return Buffer.from(`leaves ${key} ${epoch}\n`, 'ascii');
}

async function* chunks(...parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* parts;
}
