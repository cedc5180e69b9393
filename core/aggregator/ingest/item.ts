import type { SchemaTypes } from '../../../schemas/types.ts';

/** The bytes of one envelope or receipt, as they came. */
export interface IngestItem {
  readonly kind: 'envelope' | 'receipt';
  readonly bytes: Uint8Array;
}

/** Who reports: how many new keys an address may bring is limited. */
export interface IngestSource {
  readonly ip: string;
}

export type ItemResult = SchemaTypes['ingest-result'];
export type ItemStatus = ItemResult['status'];

export function itemResult(envelopeId: string | null, status: ItemStatus, detail?: string): ItemResult {
  return { envelope_id: envelopeId, status, ...(detail !== undefined && { detail }) };
}
