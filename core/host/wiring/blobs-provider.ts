import { join, resolve } from 'node:path';
import { Blobs, type Settings, UploadedBlobs } from '../../internal-services.ts';
import { provider } from '../../provider.ts';
import { Clock, Random } from '../../services.ts';
import { openBlobDirectory } from '../../storage/blob-directory.ts';
import type { Blobs as BlobsValue } from '../../storage/blobs.ts';

/** Uploads of another process that shares the folder may be going on; none goes on for longer than this. */
const STALE_AFTER = 3_600_000;

/** Blobs are files: `storage.blobs`, which processes of one deployment share, or a folder of the data directory. */
export const blobsProvider = provider(Blobs, {
  uses: { clock: Clock, random: Random },
  open({ clock, random }, { settings, folder }) {
    return openedWhenUsed(() => openBlobDirectory({ ...blobFolder(settings, folder), clock, random }));
  },
});

/** Those that agents upload to an aggregator: apart from its own, so that what is uploaded and forgotten is never one of these. */
export const uploadedBlobsProvider = provider(UploadedBlobs, {
  uses: { clock: Clock, random: Random },
  open({ clock, random }, { settings, folder }) {
    const { dir, ...rest } = blobFolder(settings, folder);
    return openedWhenUsed(() => openBlobDirectory({ dir: join(dir, 'uploaded'), ...rest, clock, random }));
  },
});

/** Where blobs are kept, and for how long an upload of another process may pause there. */
export function blobFolder({ storage: { blobs }, dataDir }: Settings, folder: string) {
  return blobs === undefined
    ? { dir: join(dataDir, 'blobs') }
    : { dir: resolve(folder, blobs), staleAfter: STALE_AFTER };
}

/** Most processes never keep a blob, and need no folder for them. */
export function openedWhenUsed(open: () => Promise<BlobsValue>): BlobsValue {
  let opening: Promise<BlobsValue> | undefined;
  const opened = () => {
    opening ??= open().catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
  return {
    put: async (content, maxBytes, accept) => (await opened()).put(content, maxBytes, accept),
    get: async (cid) => (await opened()).get(cid),
    stat: async (cid) => (await opened()).stat(cid),
    delete: async (cid) => (await opened()).delete(cid),
  };
}
