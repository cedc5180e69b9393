import { MeshError } from '../../contracts/errors.ts';
import { checkSeal } from '../../messaging/seal-rule.ts';
import { toBase64 } from '../../platform/bytes.ts';
import type { Random } from '../../platform/clock.ts';
import { MAX_INLINE } from '../../protocol/envelopes/payloads/deliver.ts';
import { decodeJson, decodeText } from '../../protocol/envelopes/payloads/json.ts';
import type { Payloads } from '../../protocol/envelopes/payloads/payloads.ts';
import { seal } from '../../protocol/envelopes/sealing.ts';
import { formatAgentId, parseConversationId } from '../../protocol/identity/ids.ts';
import type { Network } from '../../protocol/identity/network.ts';
import type { AgentIdentity } from '../../protocol/signer/identity.ts';
import { type DealDocument, openActions } from '../deals/deal-document.ts';
import { formatBlobUri } from '../deliveries/blob-uri.ts';
import type { KeptBlobs } from '../deliveries/kept-blobs.ts';

/** Bytes of a request: 10 MiB in base64, or as JSON text, and what is around it. */
export const MOST_DELIVERED = 16 * 1024 * 1024;

/** Where deliveries are kept that are too large for an envelope, and what seals them. */
export interface Handing {
  readonly kept: Pick<KeptBlobs, 'keep'>;
  readonly identity: AgentIdentity;
  readonly network: Network;
  readonly random: Random;
}

/** A delivery on its way: to whom, in which deal, and whether only its recipient may read it. */
export interface Handover {
  readonly recipient: Uint8Array;
  readonly conversation: string;
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
  { recipient, conversation, sealed = false, require }: Handover,
  { kept, identity, network, random }: Handing,
): Promise<DeliveredContent> {
  if (bytes.length <= MAX_INLINE) return inline(bytes);
  require();
  checkSeal({ msgType: 'DELIVER', recipient, sealed }, network);
  const address = { sender: identity.key, recipient, conversationId: parseConversationId(conversation)! };
  const content = sealed ? seal(bytes, address, random) : bytes;
  const { cid, size } = await kept.keep(content, formatAgentId(recipient));
  return { payload_uri: formatBlobUri({ keeper: identity.address, cid, sealed }), payload_size: size };
}

/** Refuses a delivery that the deal does not allow, with the actions that it does. */
export function requireDelivery(document: DealDocument, self: string, now: number): void {
  const allowed = openActions(document, self, now);
  if (allowed.includes('deliver')) return;
  const detail = `A deal that is ${document.deal.state} takes no delivery from you.`;
  throw new MeshError('invalid_transition', { detail, extra: { allowed_actions: allowed } });
}

/** The content type of content that came without one, by its bytes; undefined for neither JSON nor text. */
export function contentType(content: Uint8Array): string | undefined {
  if (decodeJson(content).ok) return 'application/json';
  return decodeText(content).ok ? 'text/plain; charset=utf-8' : undefined;
}
