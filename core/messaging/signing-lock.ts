import { MeshError } from '../contracts/errors.ts';
import type { Identity } from '../protocol/signer/identity.ts';

/**
 * Whether this process may sign. Two processes that sign with one key contradict each other, which their peers hold
 * against the key for ever; so the one that learns of the other stops, until its operator has started it anew.
 */
export class SigningLock {
  #why: string | undefined;

  /** The sentence that says why nothing is signed; undefined while all is well. */
  get why(): string | undefined {
    return this.#why;
  }

  /** The first reason counts. */
  halt(why: string): void {
    this.#why ??= why;
  }

  /** Throws `identity_in_use` once halted. */
  check(): void {
    if (this.#why === undefined) return;
    throw new MeshError(
      'identity_in_use',
      `${this.#why} This node signs nothing any more. Stop the other process, then restart this one.`,
    );
  }
}

/** The identity, which signs nothing once it is halted, except the certificates of its sessions: they say who is there. */
export function lockable(identity: Identity, halt: SigningLock): Identity {
  return {
    ...identity,
    signEnvelope(...given) {
      halt.check();
      return identity.signEnvelope(...given);
    },
    signDomain(name, ...given) {
      if (name !== 'noise/1') halt.check();
      return identity.signDomain(name, ...given);
    },
    signAgentToken(claims) {
      halt.check();
      return identity.signAgentToken(claims);
    },
    signTransaction(message) {
      halt.check();
      return identity.signTransaction(message);
    },
  };
}
