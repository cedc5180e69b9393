/** The handlers of envelopes that all faces declared, in boot order; whoever receives envelopes calls `deliver`. */
export interface EnvelopeHandlers {
  /** Message types somebody handles; complete once the node is ready. */
  types(): readonly string[];
  /** Runs every handler of a type, one after the other. Never rejects: what they throw is logged and counted. */
  deliver(type: string, envelope: unknown): Promise<void>;
}
