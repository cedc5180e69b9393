import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import type { CardKeys, Clock, Random, Space } from '../../../core/services.ts';
import { keys } from '../tasks/records.ts';
import { canonicalJson } from './canonical.ts';

const SEED_LENGTH = 32;
// Wraps a raw seed into PKCS #8 for OpenSSL.
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
/** Seconds for which the agent certifies the key, and the least of them that a card has left. */
const [LIFE, LEFT] = [60 * 86_400, 30 * 86_400];

/** The agent's word, in the domain card/1, that this key signs its cards. */
export interface Certificate {
  readonly card_key: string;
  readonly not_after: number;
  readonly signature: string;
}

export interface CardSignature {
  readonly protected: string;
  readonly signature: string;
}

/** The key that signs cards and catalogues of this node; the agent's own key signs no JSON. */
export class CardKey {
  readonly #private: KeyObject;
  readonly #public: Uint8Array;
  readonly #certify: CardKeys['certify'];
  readonly #clock: Clock;
  readonly kid: string;
  #certificate: Certificate | undefined;

  constructor(seed: Uint8Array, cardKeys: CardKeys, clock: Clock) {
    const key = Buffer.concat([PKCS8_PREFIX, seed]);
    this.#private = createPrivateKey({ key, format: 'der', type: 'pkcs8' });
    key.fill(0);
    // Cut from DER: exporting a fresh key as JWK can hang Node 20 for ever.
    const spki = createPublicKey(this.#private).export({ format: 'der', type: 'spki' });
    this.#public = new Uint8Array(spki.subarray(-SEED_LENGTH));
    this.#certify = cardKeys.certify;
    this.#clock = clock;
    this.kid = createHash('sha256').update(canonicalJson(this.#members())).digest('base64url');
  }

  /** The key of the JSON Web Key Set that cards name. */
  get jwk(): object {
    return { ...this.#members(), kid: this.kid, alg: 'EdDSA', use: 'sig' };
  }

  get certificate(): Certificate {
    const now = Math.floor(this.#clock.now() / 1_000);
    if (this.#certificate && this.#certificate.not_after - now > LEFT) return this.#certificate;
    const not_after = now + LIFE;
    const signature = Buffer.from(this.#certify(this.#public, not_after)).toString('hex');
    this.#certificate = { card_key: Buffer.from(this.#public).toString('base64url'), not_after, signature };
    return this.#certificate;
  }

  /** A detached JWS over a value that this node made. No route signs what a caller gives. */
  sign(value: object, jku: string): CardSignature {
    const header = Buffer.from(JSON.stringify({ alg: 'EdDSA', kid: this.kid, typ: 'JOSE', jku })).toString('base64url');
    const payload = Buffer.from(canonicalJson(value)).toString('base64url');
    const signature = sign(null, Buffer.from(`${header}.${payload}`), this.#private);
    return { protected: header, signature: signature.toString('base64url') };
  }

  #members(): { readonly crv: string; readonly kty: string; readonly x: string } {
    return { crv: 'Ed25519', kty: 'OKP', x: Buffer.from(this.#public).toString('base64url') };
  }
}

/** A stored seed; every process on this store has the same. */
export async function seedIn(space: Space, name: string, random: Random): Promise<Uint8Array> {
  const ref = keys.ref(name);
  const { value } = await space.tx([ref], (tx) => {
    const known = tx.get(ref)?.seed;
    if (known !== undefined) return known;
    const seed = Buffer.from(random.bytes(SEED_LENGTH)).toString('base64');
    tx.put(ref, { seed });
    return seed;
  });
  return Buffer.from(value, 'base64');
}
