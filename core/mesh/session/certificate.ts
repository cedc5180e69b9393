import type { Clock, Random } from '../../platform/clock.ts';
import { KEY_LENGTH, type KeyPair, keyPairFrom } from '../noise/x25519.ts';

/** The identity as the mesh uses it: its key, and signatures in the domain `noise/1` over 48 bytes. */
export interface PeerCertifier {
  /** The identity's public key, 32 bytes. */
  readonly key: Uint8Array;
  /** The 64-byte signature of `static[32] ‖ instance[8] ‖ not_after[8]`. */
  sign(body: Uint8Array): Uint8Array;
  /** Strict verification of a peer's signature over the same body; never throws. */
  verify(key: Uint8Array, body: Uint8Array, signature: Uint8Array): boolean;
}

/** The peer's key and instance, proven by its certificate. */
export interface PeerIdentity {
  readonly key: Uint8Array;
  /** Eight random bytes per process: two of them under one key are two live instances. */
  readonly instance: Uint8Array;
  /** When the certificate ends, milliseconds since the epoch. */
  readonly notAfter: number;
}

export class CertificateError extends Error {
  override name = 'CertificateError';
}

const INSTANCE_LENGTH = 8;
const SIGNATURE_LENGTH = 64;
const PAYLOAD_LENGTH = KEY_LENGTH + INSTANCE_LENGTH + 8 + SIGNATURE_LENGTH;
const LIFETIME = 24 * 3_600;
/** Seconds by which the clocks of two nodes may differ. */
const TOLERANCE = 60;

/**
 * The Noise key of this process with its certificate, `key[32] ‖ instance[8] ‖ not_after[8] ‖ signature[64]`, which is
 * made anew once half of its life has passed. not_after counts seconds since the epoch.
 */
export class ProcessKey {
  readonly pair: KeyPair;
  readonly instance: Uint8Array;
  readonly #certifier: PeerCertifier;
  readonly #clock: Clock;
  #certificate: { readonly payload: Uint8Array; readonly notAfter: number } | undefined;

  constructor(certifier: PeerCertifier, clock: Clock, random: Random) {
    this.pair = keyPairFrom(random.bytes(KEY_LENGTH));
    this.instance = random.bytes(INSTANCE_LENGTH);
    this.#certifier = certifier;
    this.#clock = clock;
  }

  get identity(): Uint8Array {
    return this.#certifier.key;
  }

  /** The payload of our handshake message. */
  payload(): Uint8Array {
    const now = seconds(this.#clock);
    if (!this.#certificate || this.#certificate.notAfter - now < LIFETIME / 2) {
      const notAfter = now + LIFETIME;
      const body = certificateBody(this.pair.publicKey, this.instance, notAfter);
      const payload = Buffer.concat([this.identity, body.subarray(KEY_LENGTH), this.#certifier.sign(body)]);
      this.#certificate = { payload, notAfter };
    }
    return this.#certificate.payload;
  }

  /** Reads the payload of the other side, whose static key the handshake has proven; throws a CertificateError. */
  check(payload: Uint8Array, staticKey: Uint8Array): PeerIdentity {
    if (payload.length !== PAYLOAD_LENGTH) throw new CertificateError('certificate malformed');
    const bytes = Buffer.from(payload);
    const key = bytes.subarray(0, KEY_LENGTH);
    const instance = bytes.subarray(KEY_LENGTH, KEY_LENGTH + INSTANCE_LENGTH);
    const notAfter = Number(bytes.readBigUInt64BE(KEY_LENGTH + INSTANCE_LENGTH));
    const now = seconds(this.#clock);
    if (notAfter <= now) throw new CertificateError('certificate expired');
    if (notAfter > now + LIFETIME + TOLERANCE) throw new CertificateError('certificate lives too long');
    const body = certificateBody(staticKey, instance, notAfter);
    if (!this.#certifier.verify(key, body, bytes.subarray(-SIGNATURE_LENGTH))) {
      throw new CertificateError('certificate refused');
    }
    return { key: new Uint8Array(key), instance: new Uint8Array(instance), notAfter: notAfter * 1_000 };
  }
}

function certificateBody(staticKey: Uint8Array, instance: Uint8Array, notAfter: number): Uint8Array {
  const time = Buffer.alloc(8);
  time.writeBigUInt64BE(BigInt(notAfter));
  return Buffer.concat([staticKey, instance, time]);
}

function seconds(clock: Clock): number {
  return Math.floor(clock.now() / 1_000);
}
