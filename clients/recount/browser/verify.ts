// In the place of core/protocol/identity/verify.ts: browsers have neither libsodium nor a signature check that answers at once.
import nacl from 'tweetnacl';
import { isForgeable, isSmallOrder } from '../../../core/protocol/identity/points.ts';

export const SIGNATURE_LENGTH = 64;

/** The order of the group, little-endian: S below it is the only way to write a signature. */
const ORDER = [
  ...[0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14],
  ...[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10],
];

export function verify(message: Uint8Array, signature: Uint8Array, key: Uint8Array): boolean {
  return (
    signature.length === SIGNATURE_LENGTH &&
    key.length === 32 &&
    !isSmallOrder(signature) &&
    !isForgeable(key) &&
    isBelowOrder(signature.subarray(32)) &&
    nacl.sign.detached.verify(message, signature, key)
  );
}

export function verifyOnPool(
  message: Uint8Array,
  signature: Uint8Array,
  key: Uint8Array,
  done: (valid: boolean) => void,
): void {
  done(verify(message, signature, key));
}

function isBelowOrder(scalar: Uint8Array): boolean {
  for (let at = 31; at >= 0; at -= 1) {
    const [is, most] = [scalar[at]!, ORDER[at]!];
    if (is !== most) return is < most;
  }
  return false;
}
