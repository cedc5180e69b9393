import { toHex } from '../../platform/bytes.ts';
import type { Clock } from '../../platform/clock.ts';
import { TokenBucket } from '../../platform/token-bucket.ts';
import { writeFrame } from '../frames/frame-writer.ts';
import type { Located } from '../frames/relay-frames.ts';
import type { MeshLimits } from '../limits.ts';
import type { Session } from '../session/session.ts';

/** The share of a hub's patience with frames that questions may use up. */
const SHARE = 0.25;

interface Asked {
  readonly bucket: TokenBucket;
  readonly answers: Map<string, { readonly promise: Promise<Located>; readonly settle: (found: Located) => void }>;
}

/** This node's LOOKUPs to its hubs. A hub that does not answer in time counts as one that does not know the key. */
export class Lookups {
  readonly #clock: Clock;
  readonly #limits: MeshLimits;
  readonly #asked = new Map<Session, Asked>();

  constructor(clock: Clock, limits: MeshLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Whether the hub has a session with the key and a slot for it; neither when too much was asked. */
  ask(session: Session, key: Uint8Array): Promise<Located> {
    const nothing: Located = { key, session: false, slot: false };
    const asked = this.#askedOf(session);
    const name = toHex(key);
    const underWay = asked.answers.get(name);
    if (underWay) return underWay.promise;
    const full = asked.answers.size >= this.#limits.dials || !asked.bucket.take();
    if (full || !session.offer(writeFrame({ type: 'lookup', keys: [key] }))) return Promise.resolve(nothing);
    let settle: (found: Located) => void = () => {};
    const promise = new Promise<Located>((resolve) => {
      const cancel = this.#clock.after(this.#limits.lookupMs, () => settle(nothing));
      settle = (found) => {
        cancel();
        asked.answers.delete(name);
        resolve(found);
      };
    });
    asked.answers.set(name, { promise, settle });
    return promise;
  }

  answered(session: Session, found: readonly Located[]): void {
    const answers = this.#asked.get(session)?.answers;
    for (const located of found) answers?.get(toHex(located.key))?.settle(located);
  }

  ended(session: Session): void {
    const asked = this.#asked.get(session);
    this.#asked.delete(session);
    for (const [name, { settle }] of asked?.answers ?? []) {
      settle({ key: Buffer.from(name, 'hex'), session: false, slot: false });
    }
  }

  #askedOf(session: Session): Asked {
    const known = this.#asked.get(session);
    if (known) return known;
    const asked = { bucket: new TokenBucket(this.#clock, this.#limits.controlRate * SHARE), answers: new Map() };
    if (session.open) this.#asked.set(session, asked);
    return asked;
  }
}
