import type { SchemaTypes } from '../../../schemas/types.ts';

/** The bytes of one envelope or receipt, as they came. */
export interface IngestItem {
  readonly kind: 'envelope' | 'receipt';
  readonly bytes: Uint8Array;
}

export interface IngestSource {
  /** The address of the reporter: the number of new keys that one address may bring is limited. */
  readonly ip: string;
  /**
   * Heard on the mesh as it travels, and forwarded when it is accepted: broadcasts older than the mesh allows (120 s) are
   * refused. A report is not: it may come up to four epochs late, since it is idempotent and goes no further.
   */
  readonly live?: boolean;
}

export type ItemResult = SchemaTypes['ingest-result'];
export type ItemStatus = ItemResult['status'];

export function itemResult(envelopeId: string | null, status: ItemStatus, detail?: string): ItemResult {
  return { envelope_id: envelopeId, status, ...(detail !== undefined && { detail }) };
}
