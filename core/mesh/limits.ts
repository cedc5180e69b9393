/** Every bound of the mesh in one place. Rates are per second and per session; sizes are bytes; times milliseconds. */
export interface MeshLimits {
  /** Peers with a session at the same time, of which three quarters may have come by themselves (see `placeFor`). */
  readonly peers: number;
  /** Handshakes under way at the same time with those who dialled this node; half of them may be with one address. */
  readonly handshakes: number;
  /** Dials under way at the same time, besides those to hubs. */
  readonly dials: number;
  /** From the opened connection to the other side's welcome. */
  readonly handshakeMs: number;
  /** From the opened connection to the dialling side's first message. */
  readonly firstMessageMs: number;
  /** Between pings, and how long a ping may stay unanswered. */
  readonly pingMs: number;
  /** How long a sent envelope may stay unanswered before its session is given up. */
  readonly ackMs: number;
  /** Envelopes and bytes that were sent, or received, and not yet acknowledged. */
  readonly inFlight: number;
  readonly inFlightBytes: number;
  /** Envelopes and bytes waiting for a free place in flight; beyond them a send is answered `busy`. */
  readonly queued: number;
  readonly queuedBytes: number;
  /** Inbound envelopes, broadcasts and bytes; a burst of two seconds is let through. */
  readonly envelopeRate: number;
  readonly broadcastRate: number;
  readonly byteRate: number;
  /** Inbound frames that carry no envelope; more of them end the session. */
  readonly controlRate: number;
  /** Broadcasts of one sender that a hub forwards. */
  readonly senderRate: number;
  /** Fellow hubs to which a hub forwards broadcasts. */
  readonly hubDegree: number;
  /** Senders whose rate is remembered. */
  readonly senders: number;
  /** Configured hubs that a session is kept with, of those the nearest; how often all of them are measured again. */
  readonly keptHubs: number;
  readonly surveyMs: number;
  /** How long a node that was asleep waits for its hubs before it counts them as away. */
  readonly rejoinMs: number;
  /** Topics a peer may subscribe to. */
  readonly topics: number;
  /** Broadcasts remembered as seen, and for how long. */
  readonly seen: number;
  readonly seenMs: number;
  /**
   * Peers that a hub gives a slot, circuits it passes on at the same time (a quarter of them may be of one address), and
   * circuits of one session.
   */
  readonly slots: number;
  readonly circuits: number;
  readonly circuitsPerPeer: number;
  /** Bytes that a peer may send through a hub; who is faster is slowed down. */
  readonly relayByteRate: number;
  /** How long a slot lasts, and how long a hub's answer about a key is waited for. */
  readonly slotMs: number;
  readonly lookupMs: number;
  /** Bytes of blobs that are held in memory for peers that fetch them, and how long a peer may take for a part. */
  readonly blobBytes: number;
  readonly blobMs: number;
  /** Noise messages under one key in one direction, and for how long. */
  readonly rekeyMessages: number;
  readonly rekeyMs: number;
  /** The first pause between attempts to replace a relayed session by a direct one, and how many are made. */
  readonly upgradeMs: number;
  readonly upgradeTries: number;
  /**
   * How often a node asks a hub to test where it can be dialled, how often one that has reached it there, and the least
   * time between two tests that a hub makes for one.
   */
  readonly testMs: number;
  readonly retestMs: number;
  readonly testPauseMs: number;
  /** A dialled session without envelopes is closed after this time, unless it leads to a hub of ours. */
  readonly idleMs: number;
  /** How long the losing one of two sessions with the same peer lives on, so that its answers arrive. */
  readonly retireMs: number;
  /** A peer that could not be dialled is not dialled again for this long. */
  readonly redialMs: number;
  /** The first and the longest pause between attempts to reach a hub. */
  readonly backoffMs: number;
  readonly maxBackoffMs: number;
}

export const LEAF_LIMITS: MeshLimits = {
  peers: 50,
  handshakes: 32,
  dials: 16,
  handshakeMs: 10_000,
  firstMessageMs: 2_000,
  pingMs: 20_000,
  ackMs: 30_000,
  inFlight: 1_024,
  inFlightBytes: 1024 * 1024,
  queued: 1_024,
  queuedBytes: 1024 * 1024,
  envelopeRate: 500,
  broadcastRate: 1_000,
  byteRate: 8 * 1024 * 1024,
  controlRate: 100,
  senderRate: 100,
  hubDegree: 6,
  senders: 10_000,
  keptHubs: 3,
  surveyMs: 6 * 3_600_000,
  rejoinMs: 3_000,
  topics: 64,
  seen: 100_000,
  seenMs: 150_000,
  slots: 0,
  circuits: 0,
  circuitsPerPeer: 64,
  relayByteRate: 8 * 1024 * 1024,
  slotMs: 6 * 3_600_000,
  lookupMs: 3_000,
  blobBytes: 64 * 1024 * 1024,
  blobMs: 10_000,
  rekeyMessages: 65_536,
  rekeyMs: 3_600_000,
  upgradeMs: 5_000,
  upgradeTries: 5,
  testMs: 600_000,
  retestMs: 24 * 3_600_000,
  testPauseMs: 30_000,
  idleMs: 600_000,
  retireMs: 1_000,
  redialMs: 5_000,
  backoffMs: 500,
  maxBackoffMs: 60_000,
};

export const HUB_LIMITS: MeshLimits = {
  ...LEAF_LIMITS,
  // Hubs pass broadcasts on to each other: none leaves out one that it was told of.
  keptHubs: 64,
  peers: 2_000,
  handshakes: 256,
  dials: 64,
  slots: 2_000,
  circuits: 4_000,
};
