import type { Clock } from '../../platform/clock.ts';
import { writeFrame } from '../frames/frame-writer.ts';
import type { MeshLimits } from '../limits.ts';
import type { Session } from '../session/session.ts';

/** How long before its end a slot is renewed; a shorter one halfway. */
const AHEAD = 300_000;

/** The slots that this node asks its hubs for, renewed before they end. */
export class Reservations {
  readonly #clock: Clock;
  readonly #limits: MeshLimits;
  readonly #cancels = new Map<Session, () => void>();
  readonly #granted = new Set<Session>();
  /** Asked, and not answered yet. */
  readonly #open = new Set<Session>();

  constructor(clock: Clock, limits: MeshLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Whether this hub may hand circuits to this node. */
  has(session: Session): boolean {
    return this.#granted.has(session);
  }

  /** Whether an answer of this hub is still to come. */
  isOpen(session: Session): boolean {
    return this.#open.has(session);
  }

  keep(session: Session): void {
    if (!this.#cancels.has(session)) this.#ask(session);
  }

  /** Asks now, also where a slot is thought to last: nobody counted the time while the device slept. */
  renew(session: Session): void {
    this.#ask(session);
  }

  /** The hub's answer. One to nothing that was asked counts for nothing. */
  answered(session: Session, seconds: number): void {
    if (!this.#cancels.has(session)) return;
    this.#open.delete(session);
    if (seconds > 0) this.#granted.add(session);
    else this.#granted.delete(session);
    const { slotMs, maxBackoffMs } = this.#limits;
    const granted = Math.min(seconds * 1_000, slotMs);
    this.#again(session, granted > 0 ? granted - Math.min(AHEAD, granted / 2) : maxBackoffMs);
  }

  ended(session: Session): void {
    this.#cancels.get(session)?.();
    this.#cancels.delete(session);
    this.#granted.delete(session);
    this.#open.delete(session);
  }

  #ask(session: Session): void {
    const seconds = Math.floor(this.#limits.slotMs / 1_000);
    if (!session.offer(writeFrame({ type: 'reserve', seconds }), false)) return;
    this.#open.add(session);
    this.#again(session, this.#limits.maxBackoffMs);
  }

  #again(session: Session, pause: number): void {
    this.#cancels.get(session)?.();
    this.#cancels.set(
      session,
      this.#clock.after(pause, () => this.#ask(session)),
    );
  }
}
