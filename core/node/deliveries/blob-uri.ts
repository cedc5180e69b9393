import { parseAgentId } from '../../protocol/identity/ids.ts';
import { isCid } from '../../storage/blobs.ts';

/** What is kept by whom: `mesh://<agent>/<keccak-256 of the bytes>`. */
export interface BlobAddress {
  readonly keeper: string;
  readonly cid: string;
}

const SCHEME = 'mesh://';

export function formatBlobUri({ keeper, cid }: BlobAddress): string {
  return `${SCHEME}${keeper}/${cid}`;
}

/** Undefined for every other URI. */
export function parseBlobUri(uri: string): BlobAddress | undefined {
  if (!uri.startsWith(SCHEME)) return undefined;
  const [keeper = '', cid = '', ...more] = uri.slice(SCHEME.length).split('/');
  return more.length === 0 && parseAgentId(keeper) && isCid(cid) ? { keeper, cid } : undefined;
}
