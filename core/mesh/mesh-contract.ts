import type { AddressFilter } from '../platform/address-filter.ts';
import type { Clock, Random } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { Ack, AckReason, SendOutcome } from './ack.ts';
import type { Located } from './frames/relay-frames.ts';
import type { MeshLimits } from './limits.ts';
import type { PeerCertifier } from './session/certificate.ts';
import type { SessionFault } from './session/session-listener.ts';
import type { Transport } from './transport.ts';

/** The two fields of an envelope that the mesh itself needs to spread a broadcast. */
export interface EnvelopeView {
  readonly id: Uint8Array;
  readonly sender: Uint8Array;
}

/** Where an envelope came from: the peer that handed it over, which need not be its sender. */
export interface EnvelopeOrigin {
  readonly key: Uint8Array;
  readonly remote: string;
  /** The topic a broadcast came under; the envelope itself does not prove it. */
  readonly topic?: string;
}

export type EnvelopeKind = 'direct' | 'broadcast';

export interface HubAddress {
  readonly url: string;
  /** Only this key may answer there. */
  readonly key?: Uint8Array;
}

/** A hub that was configured. */
export interface HubStanding {
  readonly url: string;
  readonly connected: boolean;
  /** Why there is no session with it. */
  readonly why?: string;
  /** There are enough nearer ones: no session with it is wanted. */
  readonly spare?: boolean;
}

export interface MeshOptions {
  readonly certifier: PeerCertifier;
  /** The 32 bytes that name the network; peers of another network fail the handshake. */
  readonly network: Uint8Array;
  readonly transports: readonly Transport[];
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Shown to peers: at most 64 bytes without control characters. */
  readonly name: string;
  /** Where this node can be dialled, if anywhere; at most 512 bytes. */
  readonly url?: string;
  /** A hub forwards broadcasts to those who subscribed and to fellow hubs, and relays to those who reserved a slot. */
  readonly hub: boolean;
  /** Hubs to stay connected to; for a hub, its peer hubs. A leaf hears the broadcasts of others from these alone. */
  readonly hubs?: readonly HubAddress[];
  readonly limits?: Partial<MeshLimits>;
  /** Which addresses peers may have us dial; any unless given. Hubs that were configured are dialled in any case. */
  readonly addresses?: AddressFilter;
  readonly directory?: {
    /** URLs where a key can be dialled, best first; an empty list when none is known. */
    lookup(key: Uint8Array): Promise<readonly string[]>;
    /** Keys of the hubs that a key keeps a session with, as its BEACON says; `lookup` knows their URLs. */
    hubs?(key: Uint8Array): Promise<readonly Uint8Array[]>;
  };
  readonly envelopes: {
    /** Reads id and sender without verifying anything; undefined when the bytes are no envelope. Never throws. */
    view(envelope: Uint8Array): EnvelopeView | undefined;
  };
  /** The newest header and signature held of a key, at most 255 bytes, for the welcome of its owner; soon, or not at all. */
  readonly newestOf?: (key: Uint8Array) => Promise<Uint8Array | undefined>;
  /**
   * Reads the blob of that CID that this node keeps for a peer, of at most 2^24 bytes; soon, or not at all. Without it
   * the node answers every peer that it keeps none.
   */
  readonly blobFor?: (cid: Uint8Array, peer: Uint8Array) => Promise<Uint8Array | undefined>;
  /**
   * Judges an inbound envelope. `accepted` means verified and durable; only then is a broadcast forwarded. Called in
   * order of arrival per peer, without waiting for the previous answer. A rejection is answered `rate-limited`.
   */
  readonly onEnvelope: (envelope: Uint8Array, from: EnvelopeOrigin, kind: EnvelopeKind) => Promise<Ack | AckReason>;
}

export interface PeerInfo {
  readonly key: Uint8Array;
  readonly instance: Uint8Array;
  readonly name: string;
  readonly hub: boolean;
  /** Where the peer says it can be dialled. */
  readonly url?: string | undefined;
  readonly remote: string;
  readonly dialled: boolean;
  /** Whether it is one of the hubs that were configured. */
  readonly kept: boolean;
  /** Whether the session leads over a hub, which carries it without being able to read it. */
  readonly relayed: boolean;
  /** Milliseconds since the epoch. */
  readonly since: number;
  readonly lastSeen: number;
  /** Milliseconds of the last ping. */
  readonly roundTrip?: number | undefined;
  /** Envelopes not acknowledged yet. */
  readonly pending: number;
  readonly state: 'open' | 'closing';
}

/** Follows the mesh; every method is optional and must not throw. */
export interface MeshObserver {
  peerUp?(peer: PeerInfo): void;
  peerDown?(peer: PeerInfo, reason: string): void;
  /** A peer holds this header and signature of ours. Unverified. */
  newestSeen?(newest: Uint8Array, peer: PeerInfo): void;
  /** The hubs' answers to whether this node can be dialled add up to another state than before. */
  reachability?(state: Reachable): void;
  /**
   * Another process lives under our key: proven by its own handshake with us, or, when `peer` is given, claimed by that
   * peer, to whom both have talked. Whether to believe a peer is up to the observer.
   */
  identityInUse?(remote: string, peer?: PeerInfo): void;
}

/** Counters since the start, and gauges of now. */
export interface MeshStats {
  readonly peers: number;
  readonly handshakes: number;
  /** Peers that have a slot here, and circuits passed on between peers. */
  readonly slots: number;
  readonly circuits: number;
  readonly sessionsOpened: number;
  readonly sessionsClosed: number;
  readonly refusedFull: number;
  /** Connections turned away because too many handshakes were going on. */
  readonly refusedBusy: number;
  /** Connections that had to leave in the middle of their handshake, for one of an address with fewer of them. */
  readonly displaced: number;
  /** Connections that ended, without a fault, before the peer had proven its key. */
  readonly unfinished: number;
  readonly dialsFailed: number;
  /** Relayed sessions that a direct one replaced; URLs that were not dialled because of where they lead. */
  readonly upgrades: number;
  readonly dialsRefused: number;
  /** Peers whose URL this hub has dialled for them. */
  readonly tests: number;
  /** Sessions ended by a fault of the other side. */
  readonly faults: Readonly<Record<SessionFault, number>>;
  readonly envelopesIn: number;
  readonly envelopesOut: number;
  /** How deliveries ended: `accepted` and the other reasons, or `busy`, `unknown`, `unreachable`. */
  readonly outcomes: Readonly<Record<AckReason | 'busy' | 'unknown' | 'unreachable', number>>;
  readonly rateLimited: number;
  readonly broadcastsIn: number;
  readonly broadcastsSeen: number;
  readonly broadcastsRefused: number;
  readonly broadcastsOut: number;
  /** Copies not sent because a subscriber was too slow, a sender too fast or too much was being judged. */
  readonly broadcastsDropped: number;
  readonly circuitsOpened: number;
  readonly circuitsRefused: number;
  readonly relayedBytes: number;
}

/** A hub through which others reach this node. */
export interface RelaySlot {
  readonly hub: Uint8Array;
  /** Milliseconds to the hub and back. */
  readonly roundTrip: number;
}

export type Reachable = 'unknown' | 'reachable' | 'unreachable';

export interface Mesh {
  /** Begins to accept and to dial hubs. `listening` is where this node listens: its hubs test whether it is reached there. */
  start(listening?: string): void;
  peers(): PeerInfo[];
  /** How it stands with each configured hub. */
  hubs(): HubStanding[];
  /**
   * Hands an envelope to its recipient: over the open session, else over a new one to a URL the directory knows, else
   * over a new one through a hub that both have a session with.
   * Resolves with the recipient's ACK, or with the failure; sending the same envelope again is always safe. Rejects
   * only with a RangeError, when the envelope is larger than MAX_CARRIED.
   */
  deliver(recipient: Uint8Array, envelope: Uint8Array, id: Uint8Array): Promise<SendOutcome>;
  /**
   * Fetches a blob that another node keeps for this one, over the session that `deliver` would use. The caller must
   * compare the bytes with the CID. Undefined when that node keeps none of that CID for us, or one of another `size`;
   * rejects when the node cannot be reached, or falls silent.
   */
  fetchBlob(from: Uint8Array, cid: Uint8Array, size: number): Promise<Uint8Array | undefined>;
  /**
   * Spreads an envelope of ours under a topic and says to how many peers it was handed. Nobody acknowledges it. Throws
   * a RangeError when topic or envelope do not fit into a frame.
   */
  broadcast(envelope: Uint8Array, id: Uint8Array, topic: string): number;
  /** Asks every hub, now and after each reconnect, for the broadcasts of these topics; a RangeError beyond `topics`. */
  subscribe(topics: readonly string[]): void;
  unsubscribe(topics: readonly string[]): void;
  /** Whether a key has a session with any of our hubs, and whether one of them would relay to it. */
  locate(key: Uint8Array): Promise<Pick<Located, 'session' | 'slot'>>;
  /** Whether this node can be dialled, by what its hubs have found out. */
  reachability(): Reachable;
  /**
   * Has a node that was asleep, or has come to another network, reached again: hubs that are away are dialled at once, all are measured, each that is
   * kept is asked for a slot, and relayed sessions are tried directly again in the background. Resolves with the slot at the nearest hub, within
   * `rejoinMs`; undefined when no hub gave one. A second call meanwhile joins the first.
   */
  rejoin(): Promise<RelaySlot | undefined>;
  /** The slot at the nearest hub, by the last measured round trips. */
  slot(): RelaySlot | undefined;
  /**
   * By how many milliseconds the clocks of the configured hubs are ahead of ours: the median, which no minority of them
   * can set. Undefined when none has told the time.
   */
  clockOffset(): number | undefined;
  watch(observer: MeshObserver): () => void;
  stats(): MeshStats;
  /** Says goodbye to everyone and closes the transports. */
  close(): Promise<void>;
}
