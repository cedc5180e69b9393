import { BoundedMap } from '../platform/bounded-map.ts';
import type { Envelope } from '../protocol/envelopes/envelope.ts';
import { proofBytesOf } from '../protocol/envelopes/receipt.ts';
import { formatAgentId } from '../protocol/identity/ids.ts';

/** Keys remembered; those heard of most recently. */
const MOST = 10_000;

/**
 * The newest header and signature this node has verified of each key: told to the key's owner when it connects, who
 * learns from it what it has forgotten, or what somebody else signs with its key.
 */
export class NewestReceipts {
  readonly #newest = new BoundedMap<string, { readonly nonce: number; readonly receipt: Uint8Array }>(MOST);

  note(envelope: Envelope): void {
    if (envelope.version === 1) return;
    const key = formatAgentId(envelope.sender);
    const known = this.#newest.get(key);
    if (known && known.nonce >= envelope.nonce) return;
    this.#newest.set(key, { nonce: envelope.nonce, receipt: proofBytesOf(envelope) });
  }

  /** `key` in base58. */
  of(key: string): Uint8Array | undefined {
    return this.#newest.get(key)?.receipt;
  }
}
