import { toHex } from '../../platform/bytes.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Session } from '../session/session.ts';

/** The peers that a hub relays to, because they asked for it. A slot ends with its time or with its session. */
export class Slots {
  readonly #clock: Clock;
  readonly #limit: number;
  readonly #longest: number;
  readonly #slots = new Map<string, { readonly session: Session; readonly until: number }>();

  /** `longest` is in milliseconds. */
  constructor(clock: Clock, limit: number, longest: number) {
    this.#clock = clock;
    this.#limit = limit;
    this.#longest = longest;
  }

  get size(): number {
    return this.#slots.size;
  }

  /** For how many seconds the session has a slot from now on; 0 when there is none left or it gave its own up. */
  reserve(session: Session, seconds: number): number {
    const name = toHex(session.peer!.key);
    const granted = Math.min(seconds, Math.floor(this.#longest / 1_000));
    if (granted === 0) this.#slots.delete(name);
    if (granted === 0 || !this.#hasRoom(name)) return 0;
    this.#slots.set(name, { session, until: this.#clock.now() + granted * 1_000 });
    return granted;
  }

  find(key: Uint8Array): Session | undefined {
    const slot = this.#slots.get(toHex(key));
    return slot && slot.until > this.#clock.now() && slot.session.open ? slot.session : undefined;
  }

  ended(session: Session): void {
    if (!session.peer) return;
    const name = toHex(session.peer.key);
    if (this.#slots.get(name)?.session === session) this.#slots.delete(name);
  }

  #hasRoom(name: string): boolean {
    if (this.#slots.size < this.#limit || this.#slots.has(name)) return true;
    for (const [other, { until }] of this.#slots) if (until <= this.#clock.now()) this.#slots.delete(other);
    return this.#slots.size < this.#limit;
  }
}
