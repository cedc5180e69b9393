import { parseAgentId } from '../../protocol/identity/ids.ts';
import { isCid } from '../../storage/blobs.ts';

/** Names bytes and the agent that keeps them: `mesh://<agent>/<keccak-256 of the bytes>`, or `mesh+sealed://…` where the bytes are sealed. */
export interface BlobAddress {
  readonly keeper: string;
  readonly cid: string;
  readonly sealed: boolean;
}

const URI = /^mesh(\+sealed)?:\/\/([^/]+)\/([^/]+)$/;

export function formatBlobUri({ keeper, cid, sealed }: BlobAddress): string {
  return `mesh${sealed ? '+sealed' : ''}://${keeper}/${cid}`;
}

/** Undefined for every other URI. */
export function parseBlobUri(uri: string): BlobAddress | undefined {
  const [, mark, keeper = '', cid = ''] = URI.exec(uri) ?? [];
  return parseAgentId(keeper) && isCid(cid) ? { keeper, cid, sealed: mark !== undefined } : undefined;
}
