import nacl from 'tweetnacl';
import { sodium } from '../../platform/sodium.ts';

/** How much longer a closed box is than what is in it. */
export const BOX_OVERHEAD = nacl.box.overheadLength;

/** X25519, XSalsa20 and Poly1305, as NaCl puts them together. Keys have 32 bytes, nonces 24. */
export interface Box {
  publicKeyOf(secret: Uint8Array): Uint8Array;
  /** Undefined when anybody could open the box: the key is a point of small order. */
  close(plain: Uint8Array, nonce: Uint8Array, key: Uint8Array, secret: Uint8Array): Uint8Array | undefined;
  /** Undefined also for a box that is not authentic. */
  open(closed: Uint8Array, nonce: Uint8Array, key: Uint8Array, secret: Uint8Array): Uint8Array | undefined;
}

/** The implementations this machine has; they make and open the same boxes. */
export const boxes: { readonly portable: Box; readonly libsodium?: Box } = {
  portable: {
    publicKeyOf: (secret) => nacl.scalarMult.base(secret),
    close: (plain, nonce, key, secret) =>
      sharesNothing(key, secret) ? undefined : nacl.box(plain, nonce, key, secret),
    open: (closed, nonce, key, secret) =>
      sharesNothing(key, secret) ? undefined : (nacl.box.open(closed, nonce, key, secret) ?? undefined),
  },
  ...(sodium && { libsodium: bySodium(sodium) }),
};

/** The portable one takes a millisecond and more for each key. */
export const box: Box = boxes.libsodium ?? boxes.portable;

function bySodium(library: NonNullable<typeof sodium>): Box {
  return {
    publicKeyOf(secret) {
      const key = new Uint8Array(32);
      library.crypto_scalarmult_base(key, secret);
      return key;
    },
    close(plain, nonce, key, secret) {
      const closed = new Uint8Array(plain.length + BOX_OVERHEAD);
      try {
        library.crypto_box_easy(closed, plain, nonce, key, secret);
        return closed;
      } catch {
        return undefined;
      }
    },
    open(closed, nonce, key, secret) {
      const plain = new Uint8Array(closed.length - BOX_OVERHEAD);
      return library.crypto_box_open_easy(plain, closed, nonce, key, secret) ? plain : undefined;
    },
  };
}

function sharesNothing(key: Uint8Array, secret: Uint8Array): boolean {
  return nacl.scalarMult(secret, key).every((byte) => byte === 0);
}
