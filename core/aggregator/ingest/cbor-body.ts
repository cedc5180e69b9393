import { MeshError } from '../../contracts/errors.ts';
import { CborReader } from '../../protocol/envelopes/cbor-reader.ts';
import { MAX_ENVELOPE } from '../../protocol/envelopes/envelope.ts';
import { RECEIPT_HEADS } from '../../protocol/envelopes/receipt.ts';
import type { IngestItem } from './item.ts';

const MAX_ITEMS = 256;

/**
 * The items of a body in CBOR: an array of byte strings, each an envelope or a receipt. Half the bytes of the JSON form,
 * and nothing is parsed twice.
 */
export function itemsOfCbor(body: Uint8Array): IngestItem[] {
  const reader = new CborReader(body);
  const items: IngestItem[] = [];
  for (let left = reader.arrayUpTo(MAX_ITEMS, 'the body'); left > 0 && reader.problem === undefined; left -= 1) {
    const bytes = reader.bytesUpTo(MAX_ENVELOPE, 'an item');
    items.push({ kind: RECEIPT_HEADS.includes(bytes[0]!) ? 'receipt' : 'envelope', bytes });
  }
  const problem = reader.end() ?? (items.length === 0 ? 'the body has no items' : undefined);
  if (problem === undefined) return items;
  throw new MeshError('invalid_request', { detail: problem, fields: [{ pointer: '', message: problem }] });
}
