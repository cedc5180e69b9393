import { CborReader } from '../../envelopes/cbor-reader.ts';
import { MAX_ENVELOPE } from '../../envelopes/envelope.ts';
import { MeshError } from '../../errors.ts';
import type { IngestItem } from './item.ts';

const MAX_ITEMS = 256;
/** How the array of 11 of a receipt begins; an envelope is an array of 12. */
const RECEIPT_HEAD = 0x8b;

/**
 * The items of a body in CBOR: an array of byte strings, each an envelope or a receipt. Half the bytes of the JSON form,
 * and nothing is parsed twice.
 */
export function itemsOfCbor(body: Uint8Array): IngestItem[] {
  const reader = new CborReader(body);
  const items: IngestItem[] = [];
  for (let left = reader.arrayUpTo(MAX_ITEMS, 'the body'); left > 0 && reader.problem === undefined; left -= 1) {
    const bytes = reader.bytesUpTo(MAX_ENVELOPE, 'an item');
    items.push({ kind: bytes[0] === RECEIPT_HEAD ? 'receipt' : 'envelope', bytes });
  }
  const problem = reader.end() ?? (items.length === 0 ? 'the body has no items' : undefined);
  if (problem === undefined) return items;
  throw new MeshError('invalid_request', { detail: problem, fields: [{ pointer: '', message: problem }] });
}
