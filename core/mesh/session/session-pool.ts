import { binaryString } from '../../platform/bytes.ts';
import type { Clock, Random } from '../../platform/clock.ts';
import { writeFrame } from '../frames/frame-writer.ts';
import type { Welcome } from '../frames/frames.ts';
import type { MeshLimits } from '../limits.ts';
import type { MeshOptions } from '../mesh-contract.ts';
import type { Link, Transport } from '../transport.ts';
import { type PeerIdentity, ProcessKey } from './certificate.ts';
import { Dials } from './dials.ts';
import { HalfOpen } from './half-open.ts';
import { placeFor } from './places.ts';
import { probe } from './probe.ts';
import { Session } from './session.ts';
import type { SessionFault, SessionListener, SessionOptions } from './session-listener.ts';

/** The pool tells the mesh of its sessions. A plain object of functions that need no `this`. */
export interface PoolListener
  extends Pick<SessionListener, 'envelope' | 'broadcast' | 'subscribed' | 'unsubscribed' | 'relay' | 'limited'> {
  welcomeFor(peer: PeerIdentity): Promise<Welcome>;
  /** A session is open, whether or not it will be the peer's current one. */
  begun(session: Session): void;
  /** A peer has a session now and had none before. */
  up(session: Session): void;
  /** The peer has another session now; what was agreed over the old one must be said again. */
  replaced(session: Session, old: Session): void;
  /** The peer has no session any more. */
  down(session: Session, reason: string): void;
  /** A session is over, or a handshake failed. */
  ended(session: Session, fault: SessionFault | undefined): void;
  refusedFull(): void;
  refusedBusy(): void;
  /** A handshake under way made room for that of another network. */
  displaced(): void;
  /** Proven by a handshake under our own key, or claimed by the peer of `session`. */
  identityInUse(remote: string, session?: Session): void;
}

export const IDENTITY_IN_USE = 'identity_in_use';
const PROLOGUE = Buffer.concat([Buffer.of(0xff), Buffer.from('agent-mesh/prologue/1'), Buffer.of(0)]);

/** The sessions of a node, at most one per key. */
export class SessionPool {
  readonly #listener: PoolListener;
  readonly #transports: readonly Transport[];
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #limits: MeshLimits;
  readonly #prologue: Uint8Array;
  readonly #processKey: ProcessKey;
  readonly #current = new Map<string, Session>();
  /** Every session whose link is not closed yet, also retired and unproven ones. */
  readonly #all = new Set<Session>();
  readonly #waiting = new Map<Session, (result: Session | Error) => void>();
  readonly #dials: Dials;
  /** Sessions that we, and that their peers, have moved away from. */
  readonly #moved = new WeakSet<Session>();
  readonly #left = new WeakSet<Session>();
  /** Cancels the deadline of a session that is being left. */
  readonly #handovers = new Map<Session, () => void>();
  /** Handshakes with those whom we dialled, and with those who dialled us. */
  readonly #dialling = new Set<Session>();
  readonly #halfOpen: HalfOpen<Session>;
  #closed = false;
  #emptied: (() => void) | undefined;

  constructor(options: MeshOptions, limits: MeshLimits, listener: PoolListener) {
    this.#listener = listener;
    this.#transports = options.transports;
    this.#dials = new Dials(options, limits);
    this.#clock = options.clock;
    this.#random = options.random;
    this.#limits = limits;
    this.#halfOpen = new HalfOpen(limits);
    this.#prologue = Buffer.concat([PROLOGUE, options.network]);
    this.#processKey = new ProcessKey(options.certifier, options.clock, options.random);
  }

  get size(): number {
    return this.#current.size;
  }

  get handshakes(): number {
    return this.#dialling.size + this.#halfOpen.size;
  }

  sessions(): IterableIterator<Session> {
    return this.#current.values();
  }

  get(key: Uint8Array): Session | undefined {
    return this.#current.get(binaryString(key));
  }

  listen(): void {
    for (const transport of this.#transports) transport.accept((link) => this.accept(link));
  }

  /** A session with this key at a URL that somebody named; rejects with a plain sentence. */
  async dial(url: string, expectedKey: Uint8Array): Promise<Session> {
    return this.#dials.open(url, (link) => this.connect(link, expectedKey));
  }

  /** A session with whoever answers at a URL of our own configuration, which may lead anywhere. */
  async dialChosen(url: string, expectedKey?: Uint8Array): Promise<Session> {
    return this.#dials.open(url, (link) => this.connect(link, expectedKey, true), true);
  }

  /** Resolves when this key has proven itself at a URL that somebody named; no session comes of it. */
  async probe(url: string, expectedKey: Uint8Array): Promise<void> {
    await this.#dials.open(url, (link) => probe(link, { ...this.#channelOptions(expectedKey) }));
  }

  /** A session over a link that this side dialled; rejects with a plain sentence. One that was `chosen` has its place. */
  async connect(link: Link, expectedKey?: Uint8Array, chosen = false): Promise<Session> {
    const session = this.#open(link, expectedKey, chosen);
    if (this.#closed) session.destroy('closed');
    const result = await new Promise<Session | Error>((resolve) => this.#waiting.set(session, resolve));
    if (result instanceof Error) throw result;
    return result;
  }

  /** A session over a link that the other side dialled. */
  accept(link: Link, expectedKey?: Uint8Array): void {
    const place = this.#closed ? 'none' : this.#halfOpen.placeFor(link);
    if (place === 'none') {
      if (!this.#closed) this.#listener.refusedBusy();
      link.close(this.#closed ? 'closing' : 'busy');
      return;
    }
    if (place !== 'free') {
      this.#halfOpen.delete(place);
      this.#listener.displaced();
      place.close('busy');
    }
    this.#open(link, expectedKey);
  }

  /** The peer has nothing under way in this session any more, and uses another. */
  left(session: Session): void {
    this.#left.add(session);
    if (this.#moved.has(session)) session.close('upgraded');
  }

  /** Says goodbye to all and resolves when every link is closed. */
  async close(reason: string): Promise<void> {
    this.#closed = true;
    this.#dials.close();
    for (const session of this.#all) session.close(reason);
    if (this.#all.size === 0) return;
    await new Promise<void>((resolve) => {
      this.#emptied = resolve;
    });
  }

  #open(link: Link, expectedKey?: Uint8Array, chosen = false): Session {
    const session: Session = new Session(link, this.#channelOptions(expectedKey), {
      ...this.#listener,
      greet: (peer) => this.#greet(peer, link, chosen),
      opened: (opened) => {
        this.#shaken(opened);
        this.#listener.begun(opened);
        // Others may have come in since it was greeted.
        const place = this.#placeFor(opened.peer!, link, chosen);
        if (place === 'none') return opened.close(this.#full());
        if (place !== 'free') place.close('full');
        this.#admit(opened);
      },
      closed: (reason, fault, closed) => {
        this.#shaken(closed);
        this.#ended(closed, reason, fault);
      },
    });
    if (link.dialled) this.#dialling.add(session);
    else this.#halfOpen.add(session);
    this.#all.add(session);
    return session;
  }

  #shaken(session: Session): void {
    this.#dialling.delete(session);
    this.#halfOpen.delete(session);
  }

  #channelOptions(expectedKey?: Uint8Array): SessionOptions {
    return {
      processKey: this.#processKey,
      prologue: this.#prologue,
      expectedKey,
      clock: this.#clock,
      random: this.#random,
      limits: this.#limits,
    };
  }

  async #greet(peer: PeerIdentity, link: Link, chosen: boolean): Promise<Welcome | { refuse: string }> {
    if (Buffer.compare(peer.key, this.#processKey.identity) === 0) {
      if (Buffer.compare(peer.instance, this.#processKey.instance) === 0) return { refuse: 'this is me' };
      this.#listener.identityInUse(link.remote);
      return { refuse: IDENTITY_IN_USE };
    }
    if (this.#placeFor(peer, link, chosen) === 'none') return { refuse: this.#full() };
    return this.#listener.welcomeFor(peer);
  }

  /** A peer who has a session keeps its place. */
  #placeFor(peer: PeerIdentity, link: Link, chosen: boolean): ReturnType<typeof placeFor> {
    return chosen || this.get(peer.key) ? 'free' : placeFor(link, this.sessions(), this.#limits);
  }

  #full(): string {
    this.#listener.refusedFull();
    return 'full';
  }

  /**
   * Two nodes that dial each other at once must keep the same session: the one dialled by the smaller key. A second
   * session of the same dialler means that the first is dead or forgotten there, and a new process replaces the old. A
   * direct session is better than one over a hub, and takes over from it without overtaking what is under way there.
   */
  #admit(session: Session): void {
    const peer = session.peer!;
    const old = this.get(peer.key);
    if (old?.open) {
      const otherProcess = Buffer.compare(old.peer!.instance, peer.instance) !== 0;
      if (!otherProcess && this.#prefers(old, session)) {
        this.#retire(session);
        this.#settle(session, old);
        return;
      }
      if (otherProcess) old.close(IDENTITY_IN_USE);
      else if (old.relayed && !session.relayed) this.#handOver(old, session);
      else this.#retire(old);
    }
    this.#current.set(binaryString(peer.key), session);
    if (old) this.#listener.replaced(session, old);
    else this.#listener.up(session);
    this.#settle(session, session);
  }

  /** Whether both sides keep the old one of two sessions with the same process. */
  #prefers(old: Session, session: Session): boolean {
    if (old.relayed !== session.relayed) return session.relayed;
    if (old.dialled === session.dialled) return false;
    return session.dialled !== Buffer.compare(this.#processKey.identity, session.peer!.key) < 0;
  }

  /** It is not given to anyone any more, but answers under way still arrive. */
  #retire(session: Session): void {
    this.#clock.after(this.#limits.retireMs, () => session.close('duplicate session'));
  }

  /** The old session goes on until neither side has anything under way there; the new one waits with ours till then. */
  #handOver(old: Session, session: Session): void {
    session.follow(old, () => {
      old.offer(writeFrame({ type: 'connect-moved' }), false);
      this.#moved.add(old);
      if (this.#left.has(old)) old.close('upgraded');
    });
    this.#handovers.set(
      old,
      this.#clock.after(this.#limits.ackMs, () => old.close('upgraded')),
    );
  }

  #ended(session: Session, reason: string, fault: SessionFault | undefined): void {
    this.#all.delete(session);
    this.#handovers.get(session)?.();
    this.#handovers.delete(session);
    this.#settle(session, new Error(`The session with ${session.remote} ended: ${reason}.`));
    if (session.farewell === IDENTITY_IN_USE) this.#listener.identityInUse(session.remote, session);
    if (session.peer && this.get(session.peer.key) === session) {
      this.#current.delete(binaryString(session.peer.key));
      this.#listener.down(session, reason);
    }
    this.#listener.ended(session, fault);
    if (this.#all.size === 0) this.#emptied?.();
  }

  #settle(session: Session, result: Session | Error): void {
    this.#waiting.get(session)?.(result);
    this.#waiting.delete(session);
  }
}
