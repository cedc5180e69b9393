import type { ReceivedEnvelope } from './received-envelope.ts';

/** The handlers of envelopes that all faces declared, in boot order; whoever receives envelopes calls `deliver`. */
export interface EnvelopeHandlers {
  /** Whether somebody handles the type; final once the faces stand. */
  handles(type: string): boolean;
  /** The plugins that handle any. */
  readonly plugins: readonly string[];
  /** Whether somebody handles any type. */
  readonly isEmpty: boolean;
  /**
   * Runs every handler of its type, one after the other, each for at most 30 seconds. Never rejects: handlers that throw or
   * take longer are logged and counted.
   */
  deliver(envelope: ReceivedEnvelope): Promise<void>;
  /** The same for an envelope that is stored nowhere: now, or not at all while 64 such are being handled. */
  deliverUnstored(envelope: ReceivedEnvelope): void;
}
