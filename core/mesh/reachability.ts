import type { Clock } from '../clock.ts';
import { writeFrame } from './frame-writer.ts';
import type { MeshLimits } from './limits.ts';
import type { Reachable } from './mesh-contract.ts';
import type { Session } from './session.ts';

export interface ReachabilityOptions {
  readonly clock: Clock;
  readonly limits: MeshLimits;
  /** A hub reached this node at its URL for the first time, or again after none did. */
  readonly found: (url: string) => void;
}

/**
 * Whether this node can be dialled at its URL: it asks its hubs to try. One that reached it is enough; that none can is
 * believed when all that answered say so.
 */
export class Reachability {
  readonly #options: ReachabilityOptions;
  readonly #answers = new Map<Session, boolean | undefined>();
  readonly #cancels = new Map<Session, () => void>();
  #url: string | undefined;

  constructor(options: ReachabilityOptions) {
    this.#options = options;
  }

  /** Where this node could be dialled. */
  set url(url: string | undefined) {
    this.#url = url;
    for (const hub of this.#answers.keys()) this.#ask(hub);
  }

  get state(): Reachable {
    const answers = [...this.#answers.values()].filter((answer) => answer !== undefined);
    if (answers.includes(true)) return 'reachable';
    return answers.length > 0 ? 'unreachable' : 'unknown';
  }

  /** The URL at which this node was reached. */
  get reachedAt(): string | undefined {
    return this.state === 'reachable' ? this.#url : undefined;
  }

  /** A hub that this node keeps a session with. */
  hub(session: Session): void {
    if (this.#answers.has(session)) return;
    this.#answers.set(session, undefined);
    this.#ask(session);
  }

  /** The hub's answer. One to nothing that was asked counts for nothing. */
  tested(session: Session, reached: boolean): void {
    if (!this.#answers.has(session) || this.#url === undefined) return;
    const before = this.state;
    this.#answers.set(session, reached);
    if (before !== 'reachable' && reached) this.#options.found(this.#url);
  }

  ended(session: Session): void {
    this.#cancels.get(session)?.();
    this.#cancels.delete(session);
    this.#answers.delete(session);
  }

  #ask(session: Session): void {
    const { clock, limits } = this.#options;
    this.#cancels.get(session)?.();
    if (this.#url === undefined) return;
    session.offer(writeFrame({ type: 'connect-test', url: this.#url }), false);
    this.#cancels.set(
      session,
      clock.after(limits.testMs, () => this.#ask(session)),
    );
  }
}
