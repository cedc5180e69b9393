import type { Clock } from '../../platform/clock.ts';
import { writeFrame } from '../frames/frame-writer.ts';
import type { MeshLimits } from '../limits.ts';
import type { Reachable } from '../mesh-contract.ts';
import type { Session } from '../session/session.ts';

export interface ReachabilityOptions {
  readonly clock: Clock;
  readonly limits: MeshLimits;
  /** A hub reached this node at its URL for the first time, or again after none did. */
  readonly found: (url: string) => void;
}

/** One hub's last answer, and the timer until the hub is asked again. */
interface Asked {
  answer?: boolean;
  /** Whether the hub still owes an answer. */
  waits: boolean;
  cancel: () => void;
}

/**
 * Whether this node can be dialled at its URL: it asks its hubs to try. One that reached it is enough; that none can is
 * believed when all that answered say so.
 */
export class Reachability {
  readonly #options: ReachabilityOptions;
  readonly #hubs = new Map<Session, Asked>();
  #url: string | undefined;

  constructor(options: ReachabilityOptions) {
    this.#options = options;
  }

  /** Where this node could be dialled. */
  set url(url: string | undefined) {
    this.#url = url;
    this.again();
  }

  get state(): Reachable {
    const answers = [...this.#hubs.values()].flatMap(({ answer }) => answer ?? []);
    if (answers.includes(true)) return 'reachable';
    return answers.length > 0 ? 'unreachable' : 'unknown';
  }

  /** The URL at which this node was reached. */
  get reachedAt(): string | undefined {
    return this.state === 'reachable' ? this.#url : undefined;
  }

  /** A hub that this node keeps a session with. */
  hub(session: Session): void {
    if (this.#hubs.has(session)) return;
    const hub = { waits: false, cancel: () => {} };
    this.#hubs.set(session, hub);
    this.#ask(session, hub);
  }

  /** Asks all hubs anew: this node may be in another network. */
  again(): void {
    for (const [session, hub] of this.#hubs) this.#ask(session, hub);
  }

  /** The hub's answer. One to nothing that was asked counts for nothing. */
  tested(session: Session, reached: boolean): void {
    const hub = this.#hubs.get(session);
    if (!hub?.waits || this.#url === undefined) return;
    hub.waits = false;
    const before = this.state;
    const { testMs, retestMs } = this.#options.limits;
    hub.answer = reached;
    this.#askAgain(session, hub, reached ? retestMs : testMs);
    if (before !== 'reachable' && reached) this.#options.found(this.#url);
  }

  ended(session: Session): void {
    this.#hubs.get(session)?.cancel();
    this.#hubs.delete(session);
  }

  #ask(session: Session, hub: Asked): void {
    if (this.#url === undefined) return;
    hub.waits = session.offer(writeFrame({ type: 'connect-test', url: this.#url }), false);
    this.#askAgain(session, hub, this.#options.limits.testMs);
  }

  #askAgain(session: Session, hub: Asked, ms: number): void {
    hub.cancel();
    hub.cancel = this.#options.clock.after(ms, () => this.#ask(session, hub));
  }
}
