import { token } from '../platform/token.ts';
import type { MessageName } from '../protocol/envelopes/message-types.ts';

/**
 * Checks what agents of this mesh signed, and signs nothing. Open to every plugin. A key signs in domains, each of which binds the
 * network and the kind of statement: a signature made for one is none in another.
 */
export interface Signatures {
  /**
   * The facts of a whole envelope, once everything about it holds: its encoding, its version, its time (up to four epochs old), the
   * hash of its payload, its signature. Rejects with `invalid_request`, at `pointer` when it is given. It changes nothing: whether
   * the envelope was seen before is the caller's question.
   */
  envelope(bytes: Uint8Array, pointer?: string): Promise<SignedEnvelope>;
  /** Whether this agent signed, in the domain heartbeat/1, a body of these bytes at this time (Unix seconds). */
  heartbeat(beat: SignedHeartbeat): Promise<boolean>;
  /** Whether this agent certified, in the domain card/1, that the key signs its cards, and the time has not passed. */
  cardKey(certificate: CardCertificate): Promise<boolean>;
}
export const Signatures = token<Signatures>('signatures');

export interface SignedEnvelope {
  /** Keccak-256 of its header, 64 hex digits. */
  readonly id: string;
  readonly type: MessageName;
  readonly sender: string;
  /** Undefined for broadcasts. */
  readonly recipient: string | undefined;
  /** Undefined outside of conversations. */
  readonly conversationId: string | undefined;
  /** When it was signed, Unix milliseconds. */
  readonly time: number;
  /** Whether only the recipient can read the payload. */
  readonly sealed: boolean;
}

export interface SignedHeartbeat {
  readonly agentId: string;
  readonly body: Uint8Array;
  readonly time: number;
  /** 64 bytes. */
  readonly signature: Uint8Array;
}

export interface CardCertificate {
  readonly agentId: string;
  /** 32 bytes. */
  readonly cardKey: Uint8Array;
  /** Unix seconds. */
  readonly notAfter: number;
  /** 64 bytes. */
  readonly signature: Uint8Array;
}
