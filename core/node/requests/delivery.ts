import { invalidField, MeshError } from '../../contracts/errors.ts';
import { toBase64 } from '../../platform/bytes.ts';
import { MAX_INLINE } from '../../protocol/envelopes/payloads/deliver.ts';
import { decodeJson, decodeText } from '../../protocol/envelopes/payloads/json.ts';
import type { Payloads } from '../../protocol/envelopes/payloads/payloads.ts';
import { type DealDocument, openActions } from '../deals/deal-document.ts';
import { formatBlobUri } from '../deliveries/blob-uri.ts';
import type { KeptBlobs } from '../deliveries/kept-blobs.ts';

/** Bytes of a request: 10 MiB in base64, or as JSON text, and what is around it. */
export const MOST_DELIVERED = 16 * 1024 * 1024;

/** Who makes a delivery, to whom, and where it is kept when it is too large for an envelope. */
export interface Handover {
  readonly kept: KeptBlobs;
  readonly self: string;
  readonly recipient: string;
  readonly sealed?: boolean | undefined;
  /** Throws when the deal takes no delivery now; asked before anything is kept. */
  readonly require: () => void;
}

/** The content in a DELIVER, or where it is. */
export type DeliveredContent = Pick<Payloads['DELIVER'], 'inline_b64' | 'payload_uri' | 'payload_size'>;

export function inline(bytes: Uint8Array): DeliveredContent {
  return { inline_b64: toBase64(bytes) };
}

/** Inline as far as an envelope carries it; beyond, it is kept for its recipient to fetch. */
export async function contentOf(
  bytes: Uint8Array,
  { kept, self, recipient, sealed, require }: Handover,
): Promise<DeliveredContent> {
  if (bytes.length <= MAX_INLINE) return inline(bytes);
  if (sealed) throw invalidField('/sealed', `is not possible above ${MAX_INLINE} bytes: seal the content yourself`);
  require();
  const { cid, size } = await kept.keep(bytes, recipient);
  return { payload_uri: formatBlobUri({ keeper: self, cid }), payload_size: size };
}

/** Refuses what the deal would refuse, with what it allows instead. */
export function requireDelivery(document: DealDocument, self: string, now: number): void {
  const allowed = openActions(document, self, now);
  if (allowed.includes('deliver')) return;
  const detail = `A deal that is ${document.deal.state} takes no delivery from you.`;
  throw new MeshError('invalid_transition', { detail, extra: { allowed_actions: allowed } });
}

/** What clients call content that came without a type. */
export function contentType(content: Uint8Array): string | undefined {
  if (decodeJson(content).ok) return 'application/json';
  return decodeText(content).ok ? 'text/plain; charset=utf-8' : undefined;
}
