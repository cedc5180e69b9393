import { MeshError } from '../../contracts/errors.ts';
import type { Blobs } from '../../services.ts';
import { cidOf } from '../../storage/blob-hash.ts';

/** `value(Blobs, fakeBlobs())`: in memory, with room for `most` bytes; 64 MiB unless given. */
export function fakeBlobs({ most = 67_108_864 }: { readonly most?: number } = {}): Blobs {
  const kept = new Map<string, Uint8Array>();
  const used = () => [...kept.values()].reduce((sum, { length }) => sum + Math.max(length, 4_096), 0);
  return {
    async put(content) {
      const bytes = Uint8Array.from(content);
      const hash = await cidOf(bytes);
      if (!kept.has(hash) && used() + Math.max(bytes.length, 4_096) > most) throw new MeshError('payload_too_large');
      kept.set(hash, bytes);
      return { hash, size: bytes.length };
    },
    get: async (hash) => kept.get(hash),
    delete: async (hash) => kept.delete(hash),
    async page({ limit = 50, after = '' } = {}) {
      const hashes = [...kept.keys()].filter((hash) => hash > after).sort();
      const blobs = hashes.slice(0, limit).map((hash) => ({ hash, size: kept.get(hash)!.length }));
      const last = blobs.at(-1);
      return { blobs, ...(hashes.length > limit && last && { next: last.hash }) };
    },
    room: async () => ({ used: used(), most }),
  };
}
