import { token } from '../platform/token.ts';

/** Whom this node knows, from signed BEACONs and ADVERTISEs and its own sessions. Nodes only; open to every plugin. */
export interface Peers {
  /** Undefined when this node has not heard of that agent. */
  get(id: string): Promise<Peer | undefined>;
  /**
   * By agent id, up to 200; 50 unless `limit` says otherwise. `next` is the `after` of the next page, absent on the last. The node
   * remembers 10 000 peers, those heard last.
   */
  page(query?: { readonly limit?: number; readonly after?: string }): Promise<PeerPage>;
  /**
   * Tells of changes from now on, in the order in which they come, until the function returned is called or the node stops; call it
   * with `defer`. Nothing is kept for who is not following. A handler that throws or rejects is logged and stops nobody.
   */
  follow(told: (change: PeerChange) => unknown): () => void;
}
export const Peers = token<Peers>('peers');

export interface Peer {
  readonly id: string;
  /** As it says itself: anybody can take any name. Empty when it has said none. */
  readonly name: string;
  /** The capabilities of its last ADVERTISE, folded as aggregators fold them; empty until the first is heard. */
  readonly capabilities: readonly string[];
  /** Whether it serves others as a hub; false when there is no session with it. */
  readonly hub: boolean;
  /** Where it says publicly that it can be dialled. The address it is connected from is told to nobody. */
  readonly url?: string;
  /** Since when there is a session with it, Unix milliseconds; absent when there is none. */
  readonly since?: number;
  /** When it was heard last, Unix milliseconds. */
  readonly seen: number;
}

export interface PeerPage {
  readonly peers: readonly Peer[];
  readonly next?: string;
}

/** `announced`: its name, URL, hubs or capabilities are others now; `get` tells them. */
export interface PeerChange {
  readonly kind: 'connected' | 'disconnected' | 'announced';
  readonly id: string;
}
