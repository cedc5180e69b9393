import { binaryString } from '../../platform/bytes.ts';
import { TokenBucket } from '../../platform/token-bucket.ts';
import { writeFrame } from '../frames/frame-writer.ts';
import { isTopic, MAX_CARRIED } from '../frames/frames.ts';
import type { MeshLimits } from '../limits.ts';
import type { MeshOptions } from '../mesh-contract.ts';
import type { MeshCounters } from '../mesh-counters.ts';
import { RecentMap } from '../recent-map.ts';
import type { Session } from '../session/session.ts';
import type { SessionPool } from '../session/session-pool.ts';
import { SeenCache } from './seen-cache.ts';

/**
 * Forwards broadcasts by topic. Nothing is forwarded before the handler has accepted it. A hub forwards to the peers
 * that subscribed and to a few fellow hubs; it stops a broadcast that it has seen before, so none runs in circles.
 */
export class Broadcasts {
  readonly #options: MeshOptions;
  readonly #limits: MeshLimits;
  readonly #pool: SessionPool;
  readonly #counters: MeshCounters;
  readonly #isKept: (session: Session) => boolean;
  readonly #seen: SeenCache;
  readonly #senders: RecentMap<TokenBucket>;
  readonly #subscribers = new Map<string, Set<Session>>();
  readonly #subscriptions = new Map<Session, Set<string>>();
  readonly #mine = new Set<string>();
  readonly #hubs = new Set<Session>();
  #judging = 0;

  /** `isKept` says which sessions lead to hubs that were configured. */
  constructor(
    options: MeshOptions,
    limits: MeshLimits,
    pool: SessionPool,
    counters: MeshCounters,
    isKept: (session: Session) => boolean,
  ) {
    this.#options = options;
    this.#limits = limits;
    this.#pool = pool;
    this.#counters = counters;
    this.#isKept = isKept;
    this.#seen = new SeenCache(options.clock, limits.seen, limits.seenMs);
    this.#senders = new RecentMap(limits.senders);
  }

  /** Hands an envelope of ours to hubs and to whoever subscribed here. */
  publish(envelope: Uint8Array, id: Uint8Array, topic: string): number {
    if (!isTopic(topic)) throw new RangeError('A topic has 1 to 64 bytes without control characters.');
    if (envelope.length > MAX_CARRIED) throw new RangeError('The envelope is too large for a frame.');
    this.#seen.add(id);
    return this.#send(this.#targets(topic), envelope, topic);
  }

  async received(envelope: Uint8Array, topic: string, from: Session): Promise<void> {
    this.#counters.add('broadcastsIn');
    if (this.#judging >= this.#limits.inFlight) return this.#counters.add('broadcastsDropped');
    this.#judging += 1;
    try {
      const view = this.#options.envelopes.view(envelope);
      if (!view) return this.#counters.add('broadcastsRefused');
      if (!this.#mayCarry(from, view.sender)) return this.#counters.add('broadcastsRefused');
      if (this.#seen.has(view.id)) return this.#counters.add('broadcastsSeen');
      const origin = { key: from.peer!.key, remote: from.remote, topic };
      const answer = await this.#options.onEnvelope(envelope, origin, 'broadcast');
      const reason = typeof answer === 'string' ? answer : answer.reason;
      // Two copies may have been judged at the same time; only the first acceptance is forwarded.
      const first = reason === 'accepted' && !this.#seen.has(view.id);
      if (reason === 'accepted' || reason === 'duplicate') this.#seen.add(view.id);
      else this.#counters.add('broadcastsRefused');
      if (first && this.#options.hub) this.#forward(envelope, topic, view.sender, from);
    } catch (error) {
      this.#options.log.error({ error, remote: from.remote }, 'a broadcast could not be judged');
    } finally {
      this.#judging -= 1;
    }
  }

  /** A peer wants topics; one that wants too many is sent away. */
  subscribed(topics: readonly string[], session: Session): void {
    const wanted = this.#subscriptions.get(session) ?? new Set();
    this.#subscriptions.set(session, wanted);
    for (const topic of topics) {
      if (!wanted.has(topic) && wanted.size >= this.#limits.topics) {
        session.close('too many topics', 'flood');
        return;
      }
      wanted.add(topic);
      const subscribers = this.#subscribers.get(topic) ?? new Set();
      this.#subscribers.set(topic, subscribers.add(session));
    }
  }

  unsubscribed(topics: readonly string[], session: Session): void {
    for (const topic of topics) {
      this.#subscriptions.get(session)?.delete(topic);
      const subscribers = this.#subscribers.get(topic);
      subscribers?.delete(session);
      if (subscribers?.size === 0) this.#subscribers.delete(topic);
    }
  }

  ended(session: Session): void {
    this.unsubscribed([...(this.#subscriptions.get(session) ?? [])], session);
    this.#subscriptions.delete(session);
    this.#hubs.delete(session);
  }

  /** Subscribes this node's topics at a hub that just came up. */
  introduce(session: Session): void {
    if (!session.welcome?.hub) return;
    this.#hubs.add(session);
    if (this.#mine.size > 0) session.offer(writeFrame({ type: 'subscribe', topics: [...this.#mine] }), false);
  }

  want(topics: readonly string[]): void {
    const fresh = topics.filter((topic) => !this.#mine.has(topic));
    if (!fresh.every(isTopic)) throw new RangeError('A topic has 1 to 64 bytes without control characters.');
    if (this.#mine.size + fresh.length > this.#limits.topics) throw new RangeError('Too many topics.');
    for (const topic of fresh) this.#mine.add(topic);
    this.#tellHubs('subscribe', fresh);
  }

  unwant(topics: readonly string[]): void {
    this.#tellHubs(
      'unsubscribe',
      topics.filter((topic) => this.#mine.delete(topic)),
    );
  }

  #tellHubs(type: 'subscribe' | 'unsubscribe', topics: readonly string[]): void {
    if (topics.length === 0) return;
    const frame = writeFrame({ type, topics });
    for (const session of this.#currentHubs()) session.offer(frame, false);
  }

  /**
   * A leaf hears others from hubs of its own choice alone: whoever else carries broadcasts of keys it made up by the
   * thousand would have it forget all whom it knows. Hubs hear fellow hubs, and their handler bounds new keys.
   */
  #mayCarry(from: Session, sender: Uint8Array): boolean {
    return this.#options.hub || this.#isKept(from) || Buffer.compare(from.peer!.key, sender) === 0;
  }

  #forward(envelope: Uint8Array, topic: string, sender: Uint8Array, from: Session): void {
    const name = binaryString(sender);
    const rate = this.#senders.get(name) ?? new TokenBucket(this.#options.clock, this.#limits.senderRate);
    this.#senders.set(name, rate);
    if (!rate.take()) {
      this.#counters.add('broadcastsDropped');
      return;
    }
    const targets = this.#targets(topic);
    targets.delete(from);
    this.#send(targets, envelope, topic);
  }

  #targets(topic: string): Set<Session> {
    return new Set([...(this.#subscribers.get(topic) ?? []), ...this.#peerHubs()]);
  }

  /**
   * The hubs that hear everything from us. For a hub these are few: those it dialled come before those that came to
   * it, so that nobody who calls itself a hub displaces them, and older ones before newer ones.
   */
  #peerHubs(): Session[] {
    const hubs = this.#currentHubs();
    if (!this.#options.hub || hubs.length <= this.#limits.hubDegree) return hubs;
    hubs.sort((one, other) => Number(other.dialled) - Number(one.dialled) || one.openedAt - other.openedAt);
    return hubs.slice(0, this.#limits.hubDegree);
  }

  #currentHubs(): Session[] {
    return [...this.#hubs].filter((session) => this.#pool.get(session.peer!.key) === session);
  }

  #send(targets: ReadonlySet<Session>, envelope: Uint8Array, topic: string): number {
    if (targets.size === 0) return 0;
    const frame = writeFrame({ type: 'broadcast', topic, envelope });
    let sent = 0;
    for (const session of targets) if (session.offer(frame)) sent += 1;
    this.#counters.add('broadcastsOut', sent);
    this.#counters.add('broadcastsDropped', targets.size - sent);
    return sent;
  }
}
