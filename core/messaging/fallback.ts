/** An envelope whose recipient could not be reached. */
export interface StrandedLetter {
  /** The envelope's id, 64 hex digits. */
  readonly id: string;
  /** The agent it goes to, base58. */
  readonly recipient: string;
  readonly envelope: Uint8Array;
  /** Whether whoever keeps it could read what is meant for its recipient alone. */
  readonly readable: boolean;
}

/** `by` names who keeps it; a reason is told in the envelope's trace. */
export type Left =
  | { readonly held: true; readonly by: string }
  /** `alone`: others to the same recipient may be left all the same. */
  | { readonly held: false; readonly reason?: string | undefined; readonly alone?: boolean };

/** Keeps envelopes elsewhere for recipients that cannot be reached. */
export interface Carrier {
  /** Whether something said to this agent now would wait elsewhere, so that it is sealed where its sender says nothing. */
  waits(recipient: string): Promise<boolean>;
  /** Leaves an envelope for its recipient. It stays in the outbox until the recipient itself acknowledges it. */
  leave(letter: StrandedLetter): Promise<Left>;
}

const NOT_LEFT: Left = { held: false };

/** The carrier that a plugin brought, if any. What it throws costs nobody an envelope. */
export class Fallback implements Carrier {
  #carrier: Carrier | undefined;

  /** False when there is one already. */
  use(carrier: Carrier): boolean {
    if (this.#carrier) return false;
    this.#carrier = carrier;
    return true;
  }

  end(carrier: Carrier): void {
    if (this.#carrier === carrier) this.#carrier = undefined;
  }

  async waits(recipient: string): Promise<boolean> {
    try {
      return (await this.#carrier?.waits(recipient)) === true;
    } catch {
      return false;
    }
  }

  async leave(letter: StrandedLetter): Promise<Left> {
    try {
      return (await this.#carrier?.leave(letter)) ?? NOT_LEFT;
    } catch {
      return NOT_LEFT;
    }
  }
}
