import { cutReason, LinkInbox } from '../../../core/mesh/session/link-inbox.ts';
import { HIGH_WATER, type Link, type LinkListener, LOW_WATER, MAX_MESSAGE } from '../../../core/mesh/transport.ts';
import type { Clock } from '../../../core/platform/clock.ts';

/** How long the other end may take to read the rest before the pipe is dropped. */
const CLOSE_TIMEOUT = 2_000;

export interface Wire {
  readonly clock: Clock;
  /** Milliseconds from one end to the other, asked for every message. */
  latency(): number;
  /** While true nothing arrives, not even the news that a side closed. */
  isCut(): boolean;
}

/** One end of an in-process pipe. Messages that it sends wait here until the other end has taken them. */
export class MemoryLink implements Link {
  readonly remote: string;
  readonly dialled: boolean;
  readonly #wire: Wire;
  readonly #inbox = new LinkInbox();
  readonly #queue: Uint8Array[] = [];
  #peer: MemoryLink | undefined;
  #buffered = 0;
  #aboveHighWater = false;
  #closing: string | undefined;
  #open = true;
  #scheduled = false;

  constructor(wire: Wire, remote: string, dialled: boolean) {
    this.#wire = wire;
    this.remote = remote;
    this.dialled = dialled;
  }

  static pair(wire: Wire, dialler: string, listener: string): [dialled: MemoryLink, accepted: MemoryLink] {
    const dialled = new MemoryLink(wire, listener, true);
    const accepted = new MemoryLink(wire, dialler, false);
    dialled.#peer = accepted;
    accepted.#peer = dialled;
    return [dialled, accepted];
  }

  get buffered(): number {
    return this.#buffered;
  }

  get closed(): boolean {
    return !this.#open;
  }

  send(message: Uint8Array): void {
    if (!this.#open || this.#closing !== undefined) return;
    if (message.length > MAX_MESSAGE) {
      this.#break('message too large');
      return;
    }
    this.#queue.push(message);
    this.#buffered += message.length;
    if (this.#buffered > HIGH_WATER) this.#aboveHighWater = true;
    this.#schedule();
  }

  receive(listener: LinkListener): void {
    this.#inbox.listen(listener);
  }

  pause(): void {
    this.#inbox.pause();
  }

  resume(): void {
    this.#inbox.resume();
    this.#peer?.wakeUp();
  }

  close(reason = 'closed'): void {
    if (!this.#open || this.#closing !== undefined) return;
    this.#closing = cutReason(reason);
    this.#inbox.mute();
    this.#wire.clock.after(CLOSE_TIMEOUT, () => this.#break(reason));
    this.#schedule();
  }

  destroy(): void {
    this.#break('destroyed');
  }

  /** The wire was mended or the other end reads again: deliveries go on where they stopped. */
  wakeUp(): void {
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled || this.#wire.isCut()) return;
    if (this.#queue.length === 0 && this.#closing === undefined && this.#open) return;
    this.#scheduled = true;
    this.#wire.clock.after(this.#wire.latency(), () => {
      this.#scheduled = false;
      if (!this.#wire.isCut()) this.#deliver();
    });
  }

  #deliver(): void {
    const peer = this.#peer;
    if (!peer) return;
    if (!this.#open) {
      peer.#lost('connection lost');
      return;
    }
    while (this.#queue.length > 0 && !peer.#inbox.paused && this.#open) {
      const message = this.#queue.shift()!;
      this.#buffered -= message.length;
      if (!peer.#inbox.push(message)) {
        this.#break('backlog full');
        return;
      }
      if (this.#aboveHighWater && this.#buffered < LOW_WATER) {
        this.#aboveHighWater = false;
        this.#inbox.drained();
      }
    }
    if (this.#closing === undefined || this.#queue.length > 0 || !this.#open) return;
    this.#open = false;
    this.#inbox.abort(this.#closing);
    peer.#ended(this.#closing);
  }

  #ended(reason: string): void {
    this.#open = false;
    this.#queue.length = 0;
    this.#buffered = 0;
    this.#inbox.end(reason);
  }

  #lost(reason: string): void {
    this.#open = false;
    this.#queue.length = 0;
    this.#buffered = 0;
    this.#inbox.abort(reason);
  }

  #break(reason: string): void {
    if (!this.#open) return;
    this.#lost(reason);
    this.#schedule();
  }
}
