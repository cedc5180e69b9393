import type { SchemaTypes } from '../../../schemas/types.ts';
import { concatBytes, fromBase64, toBase64 } from '../../platform/bytes.ts';
import { HASH_LENGTH } from '../../protocol/batches/merkle.ts';
import { collection } from '../../storage/declarations.ts';
import type { Space } from '../../storage/space.ts';

export type BatchRecord = SchemaTypes['batch-record'];

/** The closed epochs whose leaves are kept, by epoch. */
export const batches = collection<BatchRecord, 'epoch'>('batches', {
  schema: 'batch-record',
  indexes: { epoch: ({ epoch }) => [epoch] },
});

/** The leaves of a batch in parts, by `epoch:part`. */
const chunks = collection<SchemaTypes['leaf-chunk']>('batch-leaves', { schema: 'leaf-chunk' });

const CHUNK_BYTES = 2_048 * HASH_LENGTH;
/** Parts written or read at once. */
const PARTS = 32;

/** Stores leaves in as many transactions as they need; they count once the batch's record is written after them. */
export async function keepLeaves(space: Space, epoch: number, leaves: Uint8Array): Promise<void> {
  for (let part = 0; part < partsOf(leaves.length); part += PARTS) {
    await space.tx([], (tx) => {
      for (let next = part; next < Math.min(part + PARTS, partsOf(leaves.length)); next++) {
        const bytes = leaves.subarray(next * CHUNK_BYTES, (next + 1) * CHUNK_BYTES);
        tx.put(chunks.ref(`${epoch}:${next}`), { leaves: toBase64(bytes) });
      }
    });
  }
}

/** The leaves of a batch from one number to before another; undefined when a part is missing. */
export async function keptLeaves(
  space: Space,
  { epoch, count }: BatchRecord,
  from = 0,
  to = count,
): Promise<Uint8Array | undefined> {
  const parts: Uint8Array[] = [];
  const first = Math.floor((from * HASH_LENGTH) / CHUNK_BYTES);
  const total = partsOf(Math.min(to, count) * HASH_LENGTH);
  for (let next = first; next < total; next = first + parts.length) {
    const ids = Array.from({ length: Math.min(PARTS, total - next) }, (_, i) => `${epoch}:${next + i}`);
    for (const chunk of await space.getMany(ids.map((id) => chunks.ref(id)))) {
      if (!chunk) return undefined;
      parts.push(fromBase64(chunk.leaves)!);
    }
  }
  const start = first * CHUNK_BYTES;
  return concatBytes(...parts).subarray(from * HASH_LENGTH - start, to * HASH_LENGTH - start);
}

/** Deletes a batch, its record last, so that a deletion that was interrupted is done again. */
export async function forgetBatch(space: Space, { epoch, count }: BatchRecord): Promise<void> {
  const total = partsOf(count * HASH_LENGTH);
  for (let part = 0; part < total; part += PARTS) {
    await space.tx([], (tx) => {
      for (let next = part; next < Math.min(part + PARTS, total); next++) tx.del(chunks.ref(`${epoch}:${next}`));
    });
  }
  await space.del(batches.ref(String(epoch)));
}

function partsOf(bytes: number): number {
  return Math.ceil(bytes / CHUNK_BYTES);
}
