import { toHex } from '../platform/bytes.ts';
import { TokenBucket } from '../platform/token-bucket.ts';
import { formatAgentId } from '../protocol/identity/ids.ts';
import { type Ack, type AckReason, MAX_EVIDENCE, type SendOutcome } from './ack.ts';
import { BlobTransfers } from './blob-transfers.ts';
import { Broadcasts } from './broadcast/broadcasts.ts';
import { Dialler } from './dial/dialler.ts';
import { DirectPaths } from './dial/direct-paths.ts';
import { HubConnections } from './dial/hub-connections.ts';
import { Rejoining } from './dial/rejoining.ts';
import { RelayDialler } from './dial/relay-dialler.ts';
import { hasControl, MAX_CARRIED, MAX_NAME, MAX_NEWEST, MAX_URL } from './frames/frames.ts';
import { isBlobFrame, isConnectBack } from './frames/relay-frames.ts';
import { HUB_LIMITS, LEAF_LIMITS, type MeshLimits } from './limits.ts';
import type { Mesh, MeshObserver, MeshOptions, PeerInfo } from './mesh-contract.ts';
import { MeshCounters } from './mesh-counters.ts';
import { describe } from './peer-info.ts';
import { Relay } from './relay/relay.ts';
import { DialRefused } from './session/dials.ts';
import type { Session } from './session/session.ts';
import { SessionPool } from './session/session-pool.ts';

/** Sessions whose time comes within so much of each other are looked at together. */
const SWEEP_MS = 30_000;
/** Log lines a second, and at once, about events that any stranger can cause; further ones go to level debug. */
const LINES = 2;
const LINES_AT_ONCE = 200;

/** Puts the parts of the mesh together. Nothing is accepted or dialled before `start`. */
export function createMesh(options: MeshOptions): Mesh {
  checkOptions(options);
  const limits: MeshLimits = { ...(options.hub ? HUB_LIMITS : LEAF_LIMITS), ...options.limits };
  const { clock, random, log, certifier } = options;
  const counters = new MeshCounters();
  const observers = new Set<MeshObserver>();
  const lines = new TokenBucket(clock, LINES, LINES_AT_ONCE);
  let cancelSweep: (() => void) | undefined;

  const pool = new SessionPool(options, limits, {
    welcomeFor: async ({ key }) => ({
      name: options.name,
      hub: options.hub,
      url: paths.url,
      newest: await newestOf(key),
    }),
    envelope: (envelope, session) => judge(envelope, session),
    broadcast: (envelope, topic, session) => void broadcasts.received(envelope, topic, session),
    subscribed: (topics, session) => broadcasts.subscribed(topics, session),
    unsubscribed: (topics, session) => broadcasts.unsubscribed(topics, session),
    relay(frame, session) {
      if (isBlobFrame(frame)) return blobs.frame(frame, session);
      if (!isConnectBack(frame)) return relay.frame(frame, session);
      paths.frame(frame, session);
      return true;
    },
    limited: () => counters.add('rateLimited'),
    begun(session) {
      counters.add('sessionsOpened');
      if (session.dialled) planSweep(limits.idleMs);
    },
    up(session) {
      tell({ peer: formatAgentId(session.peer!.key), remote: session.remote }, 'peer up');
      introduce(session);
      notify((observer) => observer.peerUp?.(infoOf(session)));
    },
    replaced(session, old) {
      if (old.relayed && !session.relayed) counters.add('upgrades');
      introduce(session);
      if (keeper.keeps(session.peer!.key)) kept(session);
    },
    down(session, reason) {
      tell({ peer: formatAgentId(session.peer!.key), remote: session.remote, reason }, 'peer down');
      keeper.down(session, reason);
      notify((observer) => observer.peerDown?.(infoOf(session), reason));
    },
    ended(session, fault) {
      broadcasts.ended(session);
      relay.ended(session);
      paths.ended(session);
      blobs.ended(session);
      if (session.welcome) counters.add('sessionsClosed');
      if (fault) counters.fault(fault);
      else if (!session.peer && !session.dialled) counters.add('unfinished');
    },
    refusedFull: () => counters.add('refusedFull'),
    refusedBusy: () => counters.add('refusedBusy'),
    displaced: () => counters.add('displaced'),
    identityInUse(remote, session) {
      const fields = { remote, peer: session?.peer && formatAgentId(session.peer.key) };
      // Anybody can say so; only what was proven, and what hubs of ours say, is loud.
      if (session && !keeper.keeps(session.peer!.key))
        tell(fields, 'a peer says that another process lives under this key');
      else log.error(fields, 'another process lives under this key');
      notify((observer) => observer.identityInUse?.(remote, session && infoOf(session)));
      if (session) keeper.leave(session);
    },
  });
  const broadcasts = new Broadcasts(options, limits, pool, counters, ({ peer }) => keeper.keeps(peer!.key));
  const blobs = new BlobTransfers({ clock, limits, blobFor: options.blobFor });
  const relay = new Relay({
    key: certifier.key,
    hub: options.hub,
    clock,
    limits,
    counters,
    sessionOf: (key) => pool.get(key),
    accept: (link, key) => pool.accept(link, key),
  });
  const paths = new DirectPaths({
    ...{ pool, clock, random, limits, counters, dialFailed, hub: options.hub, url: options.url },
    changed: (state) => notify((observer) => observer.reachability?.(state)),
  });
  const relayed = new RelayDialler(options, pool, relay);
  const dialler = new Dialler(pool, relayed, options, limits, dialFailed);
  const keeper = new HubConnections({ hubs: options.hubs ?? [], pool, clock, random, log, limits, kept });

  const rejoining = new Rejoining({ hub: options.hub, keeper, relay, paths, clock, limits });

  /** A node that is no hub wants to be reached over those it keeps. */
  function kept(session: Session): void {
    if (!session.welcome?.hub) return;
    if (!options.hub) relay.reserve(session);
    paths.kept(session);
  }

  function dialFailed(error: unknown): void {
    counters.add(error instanceof DialRefused ? 'dialsRefused' : 'dialsFailed');
  }

  function tell(fields: object, text: string): void {
    if (lines.take()) log.info(fields, text);
    else log.debug(fields, text);
  }

  function infoOf(session: Session): PeerInfo {
    return describe(session, keeper.keeps(session.peer!.key));
  }

  function introduce(session: Session): void {
    broadcasts.introduce(session);
    paths.opened(session);
    const newest = session.welcome?.newest;
    if (newest) notify((observer) => observer.newestSeen?.(newest, infoOf(session)));
  }

  /** Observers run in the middle of a handshake that a stranger started: their mistakes must not reach it. */
  function notify(tell: (observer: MeshObserver) => void): void {
    for (const observer of observers) {
      try {
        tell(observer);
      } catch (error) {
        log.error({ error }, 'an observer of the mesh failed');
      }
    }
  }

  async function newestOf(key: Uint8Array): Promise<Uint8Array | undefined> {
    if (!options.newestOf) return undefined;
    let cancel = () => {};
    const late = new Promise<undefined>((resolve) => {
      cancel = clock.after(limits.lookupMs, () => resolve(undefined));
    });
    try {
      const newest = await Promise.race([options.newestOf(key), late]);
      if (newest && newest.length > MAX_NEWEST) throw new RangeError('The newest header is too long for a welcome.');
      return newest;
    } catch (error) {
      log.error({ error, peer: formatAgentId(key) }, 'the newest header of a peer could not be read');
      return undefined;
    } finally {
      cancel();
    }
  }

  async function judge(envelope: Uint8Array, session: Session): Promise<Ack | AckReason> {
    counters.add('envelopesIn');
    try {
      const answer = await options.onEnvelope(envelope, { key: session.peer!.key, remote: session.remote }, 'direct');
      const evidence = typeof answer === 'string' ? undefined : answer.evidence;
      if (evidence && evidence.length > MAX_EVIDENCE) throw new RangeError('The evidence is too long for an answer.');
      return answer;
    } catch (error) {
      log.error({ error, remote: session.remote }, 'an envelope could not be judged');
      return 'rate-limited';
    }
  }

  function send(recipient: Uint8Array, envelope: Uint8Array): Promise<SendOutcome> {
    const session = pool.get(recipient);
    if (!session?.open) return reach(recipient, envelope);
    return sendOver(session, envelope);
  }

  async function sendOver(session: Session, envelope: Uint8Array): Promise<SendOutcome> {
    counters.add('envelopesOut');
    const outcome = await session.sendEnvelope(envelope);
    relayed.ended(session, outcome);
    return outcome;
  }

  async function reach(recipient: Uint8Array, envelope: Uint8Array): Promise<SendOutcome> {
    const session = await sessionWith(recipient);
    if (session === 'busy') return { outcome: 'busy' };
    if (!session) return { outcome: 'unreachable' };
    return sendOver(session, envelope);
  }

  async function sessionWith(key: Uint8Array): Promise<Session | 'busy' | undefined> {
    const open = pool.get(key);
    if (open?.open) return open;
    if (Buffer.compare(key, certifier.key) === 0) return undefined;
    const reached = await dialler.reach(key);
    // A better session may have taken its place by now.
    return reached && reached !== 'busy' ? (pool.get(key) ?? reached) : reached;
  }

  /** Dialled sessions that nobody uses make room; accepted ones are the dialler's to close. */
  function sweep(): void {
    cancelSweep = undefined;
    const before = clock.now() - limits.idleMs;
    let oldest = Number.POSITIVE_INFINITY;
    for (const session of pool.sessions()) {
      const kept = !session.dialled || keeper.keeps(session.peer!.key);
      if (kept) continue;
      if (session.lastEnvelope < before && session.pending === 0) session.close('idle');
      else oldest = Math.min(oldest, session.lastEnvelope);
    }
    if (oldest < Number.POSITIVE_INFINITY) planSweep(oldest - before);
  }

  function planSweep(ms: number): void {
    cancelSweep ??= clock.after(Math.max(0, ms) + SWEEP_MS, sweep);
  }

  return {
    start(listening) {
      paths.start(listening);
      pool.listen();
      keeper.start();
    },
    peers: () => [...pool.sessions()].map(infoOf),
    hubs: () => keeper.standings(),
    async deliver(recipient, envelope, id) {
      if (envelope.length > MAX_CARRIED) throw new RangeError('The envelope is too large for a frame.');
      const outcome = await send(recipient, envelope);
      counters.outcome(outcome);
      if (outcome.outcome !== 'acked')
        log.debug({ id: toHex(id), to: formatAgentId(recipient), ...outcome }, 'not delivered');
      return outcome;
    },
    async fetchBlob(from, cid, size) {
      const session = await sessionWith(from);
      if (session === undefined || session === 'busy') throw new Error('The peer cannot be reached.');
      return blobs.fetch(session, cid, size);
    },
    broadcast: (envelope, id, topic) => broadcasts.publish(envelope, id, topic),
    subscribe: (topics) => broadcasts.want(topics),
    unsubscribe: (topics) => broadcasts.unwant(topics),
    async locate(key) {
      const answers = await Promise.all(relayed.hubs().map((hub) => relay.locate(hub, key)));
      return { session: answers.some(({ session }) => session), slot: answers.some(({ slot }) => slot) };
    },
    reachability: () => paths.state,
    rejoin: () => rejoining.run(),
    slot: () => rejoining.nearest(),
    clockOffset: () => median([...new Set(keeper.sessions())].flatMap(({ pulse }) => pulse.clockOffset ?? [])),
    watch(observer) {
      observers.add(observer);
      return () => void observers.delete(observer);
    },
    stats: () => counters.snapshot({ peers: pool.size, handshakes: pool.handshakes, ...relay.gauges }),
    async close() {
      cancelSweep?.();
      keeper.stop();
      await pool.close('closing');
      await Promise.all(options.transports.map((transport) => transport.close()));
    },
  };
}

/** Undefined of nothing; of an even count, the smaller of the two in the middle by magnitude. */
function median(values: readonly number[]): number | undefined {
  const sorted = [...values].sort((one, other) => one - other);
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return low === undefined || high === undefined || Math.abs(low) < Math.abs(high) ? low : high;
}

/** Throws a RangeError for options that would end every session at its first frame. */
function checkOptions({ certifier, network, name, url }: MeshOptions): void {
  if (certifier.key.length !== 32 || network.length !== 32) throw new RangeError('A key and a network have 32 bytes.');
  if (Buffer.byteLength(name) > MAX_NAME || hasControl(name)) {
    throw new RangeError(`The node's name has more than ${MAX_NAME} bytes or control characters.`);
  }
  if (url !== undefined && (Buffer.byteLength(url) > MAX_URL || hasControl(url))) {
    throw new RangeError(`The node's URL has more than ${MAX_URL} bytes or control characters.`);
  }
}
