// The byte checks that, put in front of OpenSSL's Ed25519, make it accept exactly what libsodium and the Solana
// runtime accept. They look at encodings only and need no curve arithmetic.

/** y of every point of small order, sign bit cleared: the five canonical ones, then p and p + 1. */
const SMALL_ORDER = [
  '0100000000000000000000000000000000000000000000000000000000000000',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  '0000000000000000000000000000000000000000000000000000000000000000',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
].map((hex) => Buffer.from(hex, 'hex'));

/**
 * Whether the 32 bytes at `at` encode a point of small order, with either sign. Under such a key anyone can make
 * signatures without a secret, so none of these 14 encodings may ever be a sender.
 */
export function isSmallOrder(bytes: Uint8Array, at = 0): boolean {
  return SMALL_ORDER.some((point) => {
    if ((bytes[at + 31]! & 0x7f) !== point[31]) return false;
    for (let index = 0; index < 31; index += 1) if (bytes[at + index] !== point[index]) return false;
    return true;
  });
}

/** Whether y is not below the field's prime p = 2^255 - 19: a second encoding of a point that has a first one. */
export function isNonCanonical(key: Uint8Array): boolean {
  if ((key[31]! & 0x7f) !== 0x7f || key[0]! < 0xed) return false;
  for (let index = 1; index < 31; index += 1) if (key[index] !== 0xff) return false;
  return true;
}

/** Whether this may not be the key of any sender: a wrong length, small order, or a non-canonical encoding. */
export function isForgeable(key: Uint8Array): boolean {
  return key.length !== 32 || isSmallOrder(key) || isNonCanonical(key);
}
