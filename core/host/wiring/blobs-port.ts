import { join, resolve } from 'node:path';
import { Blobs } from '../../internal-services.ts';
import { port } from '../../provider.ts';
import { Clock, Random } from '../../services.ts';
import { openBlobDirectory } from '../../storage/blob-directory.ts';
import type { Blobs as BlobsPort } from '../../storage/blobs.ts';

/** Uploads of another process that shares the folder may be going on; none goes on for longer than this. */
const STALE_AFTER = 3_600_000;

/** Blobs are files: `storage.blobs`, which processes of one deployment share, or a folder of the data directory. */
export const blobsPort = port(Blobs, {
  uses: { clock: Clock, random: Random },
  open({ clock, random }, { settings, folder }) {
    const { blobs } = settings.storage;
    return openedWhenUsed(() =>
      openBlobDirectory({
        dir: blobs === undefined ? join(settings.dataDir, 'blobs') : resolve(folder, blobs),
        clock,
        random,
        ...(blobs !== undefined && { staleAfter: STALE_AFTER }),
      }),
    );
  },
});

/** Most processes never keep a blob, and need no folder for them. */
function openedWhenUsed(open: () => Promise<BlobsPort>): BlobsPort {
  let opening: Promise<BlobsPort> | undefined;
  const opened = () => {
    opening ??= open().catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
  return {
    put: async (content, maxBytes) => (await opened()).put(content, maxBytes),
    get: async (cid) => (await opened()).get(cid),
    stat: async (cid) => (await opened()).stat(cid),
    delete: async (cid) => (await opened()).delete(cid),
  };
}
