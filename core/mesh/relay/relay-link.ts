import type { Clock } from '../../platform/clock.ts';
import { FrameError, MAX_RELAYED } from '../frames/frames.ts';
import { cutReason, LinkInbox } from '../session/link-inbox.ts';
import { HIGH_WATER, type Link, type LinkListener, LOW_WATER } from '../transport.ts';
import { type Circuit, type CircuitEnd, costOf, WINDOW } from './circuit.ts';

/** How long the other end may take to read the rest before the circuit is dropped. */
const CLOSE_TIMEOUT = 2_000;
const CREDIT_STEP = WINDOW / 4;

/**
 * A link over a circuit of a hub. The session on it shakes hands end to end: to the hub its messages are noise. A
 * reader who pauses gives no credit, so the sender stops at the window and nothing piles up on the way.
 */
export class RelayLink implements Link, CircuitEnd {
  readonly remote: string;
  readonly dialled: boolean;
  readonly relayed = true;
  readonly #circuit: Circuit;
  readonly #clock: Clock;
  readonly #inbox = new LinkInbox();
  #queue: Uint8Array[] = [];
  #queuedBytes = 0;
  #window = WINDOW;
  #taken = 0;
  #aboveHighWater = false;
  #closing: string | undefined;
  #cancelClose = () => {};
  #open = true;

  constructor(circuit: Circuit, clock: Clock, remote: string, dialled: boolean) {
    this.#circuit = circuit;
    this.#clock = clock;
    this.remote = remote;
    this.dialled = dialled;
    circuit.attach(this);
  }

  get buffered(): number {
    return this.#queuedBytes;
  }

  send(message: Uint8Array): void {
    if (!this.#open || this.#closing !== undefined) return;
    if (message.length > MAX_RELAYED) {
      this.#break('message too large');
      return;
    }
    this.#queue.push(message);
    this.#queuedBytes += message.length;
    this.#pump();
    if (this.#queuedBytes > HIGH_WATER) this.#aboveHighWater = true;
  }

  receive(listener: LinkListener): void {
    this.#inbox.listen({
      message: (message) => {
        listener.message(message);
        this.#took(message);
      },
      drain: () => listener.drain(),
      closed: (reason, fault) => listener.closed(reason, fault),
    });
  }

  pause(): void {
    this.#inbox.pause();
  }

  resume(): void {
    this.#inbox.resume();
  }

  close(reason = 'closed'): void {
    if (!this.#open || this.#closing !== undefined) return;
    this.#closing = cutReason(reason);
    this.#inbox.mute();
    this.#cancelClose = this.#clock.after(CLOSE_TIMEOUT, () => this.#break(reason));
    this.#pump();
  }

  destroy(): void {
    this.#break('destroyed');
  }

  data(message: Uint8Array): void {
    if (!this.#inbox.push(message)) this.#break('backlog full');
  }

  credit(bytes: number): void {
    if (this.#window + bytes > WINDOW) throw new FrameError('A circuit is credited with more than it carried.');
    this.#window += bytes;
    this.#pump();
  }

  ended(reason: string): void {
    this.#finish();
    this.#inbox.end(reason);
  }

  #pump(): void {
    let sent = 0;
    for (const message of this.#queue) {
      const cost = costOf(message);
      if (cost > this.#window) break;
      if (!this.#circuit.data(message)) {
        this.#break('the hub is gone or too slow');
        return;
      }
      this.#window -= cost;
      this.#queuedBytes -= message.length;
      sent += 1;
    }
    if (sent > 0) this.#queue.splice(0, sent);
    if (this.#closing !== undefined && this.#queue.length === 0) this.#hangUp(this.#closing);
    else if (this.#aboveHighWater && this.#queuedBytes < LOW_WATER) {
      this.#aboveHighWater = false;
      this.#inbox.drained();
    }
  }

  #took(message: Uint8Array): void {
    this.#taken += costOf(message);
    if (this.#taken < CREDIT_STEP || !this.#open) return;
    this.#circuit.credit(this.#taken);
    this.#taken = 0;
  }

  #hangUp(reason: string): void {
    this.#finish();
    this.#circuit.close(reason);
    this.#inbox.end(reason);
  }

  #break(reason: string): void {
    this.#finish();
    this.#circuit.close(cutReason(reason));
    this.#inbox.abort(reason);
  }

  #finish(): void {
    this.#open = false;
    this.#queue = [];
    this.#queuedBytes = 0;
    this.#cancelClose();
  }
}
