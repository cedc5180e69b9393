import { concatBytes, equalBytes } from '../../platform/bytes.ts';
import type { Random } from '../../platform/clock.ts';
import { type Decoded, decoded, refused } from '../../platform/decoded.ts';
import { isForgeable } from '../identity/points.ts';
import { boxKeyOf } from '../identity/x25519.ts';
import { BOX_OVERHEAD, box } from './box.ts';
import type { Header } from './envelope.ts';

const KEY = 32;
const NONCE = 24;
/** Sender, recipient and conversation, repeated inside. */
const ADDRESS = 32 + 32 + 16;

/** How much longer a body is when it is sealed. */
export const SEAL_OVERHEAD = KEY + NONCE + BOX_OVERHEAD + ADDRESS;

/**
 * The sender, recipient and conversation of a sealed body, repeated inside it so that it cannot be moved into another
 * envelope.
 */
export type SealAddress = Pick<Header, 'sender' | 'recipient' | 'conversationId'>;

/**
 * Encrypts a body to the recipient's key: ephemeral key 32 ‖ nonce 24 ‖ box. Only the recipient can open it; not even
 * the sender can afterwards. Throws a RangeError when the recipient's key is none.
 */
export function seal(body: Uint8Array, address: SealAddress, random: Random): Uint8Array {
  const boxKey = sealingKeyOf(address.recipient);
  const secret = random.bytes(KEY);
  const nonce = random.bytes(NONCE);
  const { sender, recipient, conversationId } = address;
  const plain = concatBytes(sender, recipient, conversationId, body);
  const closed = boxKey && box.close(plain, nonce, boxKey, secret);
  if (!closed) throw new RangeError('nothing can be sealed to this recipient');
  return concatBytes(box.publicKeyOf(secret), nonce, closed);
}

/** The key that a body is sealed to; undefined for a recipient whose seal nobody, or anybody, could open. */
export function sealingKeyOf(recipient: Uint8Array): Uint8Array | undefined {
  return isForgeable(recipient) ? undefined : boxKeyOf(recipient);
}

/** Opens a NaCl box that was closed to one key; undefined when it is for another key, or damaged. */
export type OpenBox = (closed: Uint8Array, nonce: Uint8Array, publicKey: Uint8Array) => Uint8Array | undefined;

/** Opens a sealed body with the recipient's X25519 secret. Never throws. */
export function unseal(sealed: Uint8Array, address: SealAddress, boxSecret: Uint8Array): Decoded<Uint8Array> {
  return unsealWith(sealed, address, (closed, nonce, key) => box.open(closed, nonce, key, boxSecret));
}

/** Opens a sealed body by whoever keeps the recipient's secret. */
export function unsealWith(sealed: Uint8Array, address: SealAddress, open: OpenBox): Decoded<Uint8Array> {
  if (sealed.length < SEAL_OVERHEAD) return refused('too short to be sealed');
  const ephemeral = sealed.subarray(0, KEY);
  // X25519 ignores this bit; there is one spelling of every sealed body.
  if (ephemeral[KEY - 1]! & 0x80) return refused('not a canonical key');
  const nonce = sealed.subarray(KEY, KEY + NONCE);
  const plain = open(sealed.subarray(KEY + NONCE), nonce, ephemeral);
  if (!plain) return refused('not sealed to this key, or damaged');
  const { sender, recipient, conversationId } = address;
  const matches = equalBytes(plain.subarray(0, ADDRESS), concatBytes(sender, recipient, conversationId));
  return matches ? decoded(plain.slice(ADDRESS)) : refused('sealed for another envelope');
}
