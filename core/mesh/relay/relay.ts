import { networkOf } from '../../platform/addresses.ts';
import { toHex } from '../../platform/bytes.ts';
import type { Clock } from '../../platform/clock.ts';
import { KeyedCounter } from '../../platform/keyed-counter.ts';
import { TokenBucket } from '../../platform/token-bucket.ts';
import { writeFrame } from '../frames/frame-writer.ts';
import { FrameError } from '../frames/frames.ts';
import type { BlobFrame, ConnectBackFrame, Located, RelayFrame } from '../frames/relay-frames.ts';
import type { MeshLimits } from '../limits.ts';
import type { MeshCounters } from '../mesh-counters.ts';
import type { Session } from '../session/session.ts';
import type { Link } from '../transport.ts';
import { type Circuit, CircuitTable } from './circuit.ts';
import { Lookups } from './lookups.ts';
import { RelayLeg, type RelayRate } from './relay-leg.ts';
import { RelayLink } from './relay-link.ts';
import { Reservations } from './reservations.ts';
import { Slots } from './slots.ts';

/** Circuits between the same two peers: one, and one that replaces it. */
const CIRCUITS_PER_PAIR = 2;
/** The part of all circuits that those who call from one network may have. */
const CIRCUITS_PER_NETWORK = 0.25;

export interface RelayOptions {
  /** Our own key. */
  readonly key: Uint8Array;
  readonly hub: boolean;
  readonly clock: Clock;
  readonly limits: MeshLimits;
  readonly counters: MeshCounters;
  sessionOf(key: Uint8Array): Session | undefined;
  /** Somebody reached us over a hub, who says that it has this key. */
  accept(link: Link, key: Uint8Array): void;
}

interface Neighbour {
  readonly circuits: CircuitTable;
  readonly rate: RelayRate;
}

/** Circuits over sessions: passed on between two peers when this node is a hub, used as links when it is at their end. */
export class Relay {
  readonly #options: RelayOptions;
  readonly #neighbours = new Map<Session, Neighbour>();
  readonly #slots: Slots;
  readonly #reservations: Reservations;
  readonly #lookups: Lookups;
  readonly #pairs = new KeyedCounter();
  readonly #callers = new KeyedCounter();
  #circuits = 0;

  constructor(options: RelayOptions) {
    const { clock, limits } = options;
    this.#options = options;
    this.#slots = new Slots(clock, limits.slots, limits.slotMs);
    this.#reservations = new Reservations(clock, limits);
    this.#lookups = new Lookups(clock, limits);
  }

  /** Slots given and circuits passed on, now. */
  get gauges(): { slots: number; circuits: number } {
    return { slots: this.#slots.size, circuits: this.#circuits };
  }

  /** Wants to be reached over this hub for as long as the session lasts. */
  reserve(hub: Session): void {
    this.#reservations.keep(hub);
  }

  /** The same, asked for again at once. */
  renew(hub: Session): void {
    this.#reservations.renew(hub);
  }

  /** Whether this hub gives this node a slot; undefined until it has answered. */
  holds(hub: Session): boolean | undefined {
    return this.#reservations.isOpen(hub) ? undefined : this.#reservations.has(hub);
  }

  locate(hub: Session, key: Uint8Array): Promise<Located> {
    return this.#lookups.ask(hub, key);
  }

  /** A link to the key over the hub; whether anybody is there shows in its handshake. */
  dial(hub: Session, key: Uint8Array): Link | undefined {
    const circuit = this.#neighbour(hub).circuits.create();
    if (!circuit) return undefined;
    const link = new RelayLink(circuit, this.#options.clock, nameOf(hub), true);
    if (!circuit.open(this.#options.key, key)) link.destroy();
    return link;
  }

  /** False when the frame was of no use. Throws a FrameError when it breaks a rule. */
  frame(frame: Exclude<RelayFrame, ConnectBackFrame | BlobFrame>, session: Session): boolean {
    switch (frame.type) {
      case 'circuit-open':
        this.#open(frame.circuit, frame.from, frame.to, session);
        return true;
      case 'circuit-data':
      case 'circuit-credit':
      case 'circuit-close':
        return this.#neighbours.get(session)?.circuits.frame(frame) ?? false;
      case 'reserve':
        session.offer(writeFrame({ type: 'reserved', seconds: this.#grant(session, frame.seconds) }), false);
        return true;
      case 'reserved':
        this.#reservations.answered(session, frame.seconds);
        return true;
      case 'lookup':
        session.offer(writeFrame({ type: 'located', found: frame.keys.map((key) => this.#located(key)) }));
        return true;
      case 'located':
        this.#lookups.answered(session, frame.found);
        return true;
    }
  }

  ended(session: Session): void {
    this.#slots.ended(session);
    this.#reservations.ended(session);
    this.#lookups.ended(session);
    const neighbour = this.#neighbours.get(session);
    this.#neighbours.delete(session);
    neighbour?.circuits.end('a side of the circuit is gone');
  }

  #grant(session: Session, seconds: number): number {
    return this.#options.hub ? this.#slots.reserve(session, seconds) : 0;
  }

  #located(key: Uint8Array): Located {
    const session = this.#options.sessionOf(key)?.open ?? false;
    return { key, session, slot: this.#slots.find(key) !== undefined };
  }

  #open(number: number, from: Uint8Array, to: Uint8Array, session: Session): void {
    const forMe = same(to, this.#options.key);
    if (!forMe && !same(from, session.peer!.key)) throw new FrameError('A circuit is opened in the name of another.');
    const circuit = this.#neighbour(session).circuits.accept(number);
    const refusal = circuit ? this.#answer(circuit, from, to, forMe) : 'too many circuits';
    if (refusal === undefined) return;
    this.#options.counters.add('circuitsRefused');
    if (circuit) circuit.close(refusal);
    else session.offer(writeFrame({ type: 'circuit-close', circuit: number, reason: refusal }), false);
  }

  /** Why the circuit is refused, if it is. */
  #answer(circuit: Circuit, from: Uint8Array, to: Uint8Array, forMe: boolean): string | undefined {
    if (!forMe) return this.#passOn(circuit, from, to);
    if (!this.#reservations.has(circuit.session)) return 'not reserved';
    this.#options.accept(new RelayLink(circuit, this.#options.clock, nameOf(circuit.session), false), from);
    return undefined;
  }

  #passOn(circuit: Circuit, from: Uint8Array, to: Uint8Array): string | undefined {
    const { limits, counters } = this.#options;
    const target = this.#slots.find(to);
    if (!target || target === circuit.session) return 'not here';
    const pair = `${toHex(from)} ${toHex(to)}`;
    if (this.#pairs.of(pair) >= CIRCUITS_PER_PAIR || this.#circuits >= limits.circuits) return 'too many circuits';
    const network = networkOf(circuit.session.remote);
    if (this.#callers.of(network) >= limits.circuits * CIRCUITS_PER_NETWORK) return 'too many circuits';
    const neighbour = this.#neighbour(target);
    const onward = neighbour.circuits.create();
    if (!onward) return 'too many circuits';
    if (!onward.open(from, to)) {
      onward.close('too slow');
      return 'too slow';
    }
    this.#circuits += 1;
    const taken = [this.#pairs.take(pair), this.#callers.take(network)];
    counters.add('circuitsOpened');
    RelayLeg.join(
      new RelayLeg(circuit, this.#neighbour(circuit.session).rate),
      new RelayLeg(onward, neighbour.rate),
      () => {
        this.#circuits -= 1;
        for (const giveBack of taken) giveBack();
      },
    );
    return undefined;
  }

  #neighbour(session: Session): Neighbour {
    const known = this.#neighbours.get(session);
    if (known) return known;
    const { clock, limits, counters } = this.#options;
    const neighbour: Neighbour = {
      circuits: new CircuitTable(session, limits.circuitsPerPeer),
      rate: {
        clock,
        bucket: new TokenBucket(clock, limits.relayByteRate),
        perSecond: limits.relayByteRate,
        relayed: (bytes) => counters.add('relayedBytes', bytes),
      },
    };
    // The end of one that is over has been told already.
    if (session.open) this.#neighbours.set(session, neighbour);
    return neighbour;
  }
}

/** A circuit's remote: that of the hub, marked as such. */
function nameOf(hub: Session): string {
  return `relay:${hub.remote}`;
}

function same(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}
