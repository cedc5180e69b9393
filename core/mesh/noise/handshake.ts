import { TAG_LENGTH } from './aead.ts';
import { type CipherState, MAX_NOISE_MESSAGE } from './cipher-state.ts';
import { SymmetricState } from './symmetric-state.ts';
import { agree, KEY_LENGTH, type KeyPair } from './x25519.ts';

export const PROTOCOL_NAME = 'Noise_XX_25519_ChaChaPoly_SHA256';

type Token = 'e' | 's' | 'ee' | 'es' | 'se';

/** XX: both sides are unknown to each other at the start and send their static keys encrypted. */
const PATTERN: readonly (readonly Token[])[] = [['e'], ['e', 'ee', 's', 'es'], ['s', 'se']];

export interface HandshakeOptions {
  readonly initiator: boolean;
  /** Bytes both sides must agree on before they talk; another prologue fails at the first encrypted message. */
  readonly prologue: Uint8Array;
  readonly staticKey: KeyPair;
  /** A pair that is used for this handshake only. */
  readonly ephemeralKey: KeyPair;
}

export interface TransportCiphers {
  readonly send: CipherState;
  readonly receive: CipherState;
}

/** One Noise XX handshake. Messages alternate, the initiator begins; any throw means that it failed for good. */
export class Handshake {
  readonly #options: HandshakeOptions;
  readonly #symmetric = new SymmetricState(PROTOCOL_NAME);
  #step = 0;
  #remoteEphemeral: Uint8Array | undefined;
  #remoteStatic: Uint8Array | undefined;

  constructor(options: HandshakeOptions) {
    this.#options = options;
    this.#symmetric.mixHash(options.prologue);
  }

  get finished(): boolean {
    return this.#step === PATTERN.length;
  }

  /** Whether the next message is ours. */
  get writes(): boolean {
    return !this.finished && (this.#step % 2 === 0) === this.#options.initiator;
  }

  get hash(): Uint8Array {
    return this.#symmetric.hash;
  }

  /** The other side's static key, once it was received. */
  get remoteStatic(): Uint8Array | undefined {
    return this.#remoteStatic;
  }

  write(payload: Uint8Array): Uint8Array {
    if (!this.writes) throw new Error('It is not our turn in the handshake.');
    const parts: Uint8Array[] = [];
    for (const token of this.#advance()) {
      if (token === 'e') parts.push(this.#sendEphemeral());
      else if (token === 's') parts.push(this.#symmetric.encryptAndHash(this.#options.staticKey.publicKey));
      else this.#mix(token);
    }
    parts.push(this.#symmetric.encryptAndHash(payload));
    return Buffer.concat(parts);
  }

  /** The payload of the other side's message. */
  read(message: Uint8Array): Uint8Array {
    if (this.finished || this.writes) throw new Error('It is not their turn in the handshake.');
    if (message.length > MAX_NOISE_MESSAGE) throw new RangeError('The handshake message is too long.');
    let rest = message;
    const take = (length: number) => {
      if (rest.length < length) throw new RangeError('The handshake message is cut short.');
      const part = rest.subarray(0, length);
      rest = rest.subarray(length);
      return part;
    };
    for (const token of this.#advance()) {
      if (token === 'e') {
        this.#remoteEphemeral = take(KEY_LENGTH).slice();
        this.#symmetric.mixHash(this.#remoteEphemeral);
      } else if (token === 's') {
        this.#remoteStatic = this.#symmetric.decryptAndHash(take(KEY_LENGTH + TAG_LENGTH));
      } else {
        this.#mix(token);
      }
    }
    return this.#symmetric.decryptAndHash(rest);
  }

  split(): TransportCiphers {
    if (!this.finished) throw new Error('The handshake is not finished.');
    const [first, second] = this.#symmetric.split();
    return this.#options.initiator ? { send: first, receive: second } : { send: second, receive: first };
  }

  #advance(): readonly Token[] {
    const tokens = PATTERN[this.#step];
    if (!tokens) throw new Error('The handshake is finished.');
    this.#step += 1;
    return tokens;
  }

  #sendEphemeral(): Uint8Array {
    const { publicKey } = this.#options.ephemeralKey;
    this.#symmetric.mixHash(publicKey);
    return publicKey;
  }

  /** `es` is the initiator's ephemeral with the responder's static key, `se` the reverse. */
  #mix(token: 'ee' | 'es' | 'se'): void {
    const { initiator, ephemeralKey, staticKey } = this.#options;
    const mineIsStatic = token !== 'ee' && (token === 'se') === initiator;
    const theirs = token === 'ee' || mineIsStatic ? this.#remoteEphemeral : this.#remoteStatic;
    if (!theirs) throw new Error('The handshake lacks a key of the other side.');
    this.#symmetric.mixKey(agree(mineIsStatic ? staticKey : ephemeralKey, theirs));
  }
}
