import type { Carrier } from '../messaging/fallback.ts';
import { guardedToken } from '../platform/token.ts';
import type { AckReason } from '../protocol/envelopes/ack.ts';

export type { Carrier, Left, StrandedLetter } from '../messaging/fallback.ts';

/**
 * Envelopes as bytes, for a plugin that brings them by another way than the mesh: it leaves elsewhere those whose recipients cannot be
 * reached, and hands in those that waited for this agent. Nodes only; needs the permission `messages:carry`.
 */
export interface Envelopes {
  /**
   * Takes an envelope for an agent of this node with all checks of one that the mesh brings. It is on disk when this resolves with `accepted`; the
   * same one again is `duplicate` and changes nothing. After `rate-limited` and `restricted` try again later; every other answer is final.
   * `from` names where it waited: what strangers may leave is bounded for each such place, as for each address of the mesh.
   */
  receive(envelope: Uint8Array, from: string): Promise<AckReason>;
  /**
   * Has the outboxes of this node's agents ask this carrier about recipients without a session: before they sign (`waits`), and when an attempt
   * failed (`leave`). An answer that takes longer than a second is `false`, and leaving has 15. One carrier is taken: `conflict` for another. The returned function ends it.
   */
  fallBackTo(carrier: Carrier): () => void;
  /**
   * Has this node reached again after its device slept: it dials the hubs that are away, measures all of them, asks each that it keeps for a relay slot, and
   * tries relayed sessions directly again in the background. Resolves within 3 seconds with the slot at the nearest hub; undefined when no hub gave one.
   */
  rejoin(): Promise<SlotAtHub | undefined>;
  /** The slot at the nearest hub, by the last measured round trips. */
  slot(): SlotAtHub | undefined;
}

/** A hub over which others reach this node. */
export interface SlotAtHub {
  /** Its key in base58. */
  readonly hub: string;
  /** Milliseconds to the hub and back. */
  readonly roundTrip: number;
}

export const Envelopes = guardedToken<Envelopes>('envelopes', 'messages:carry');
