import { type LinkFault, type LinkListener, MAX_BACKLOG } from '../transport.ts';

const MAX_REASON = 100;

/**
 * Stands between the wire and the listener in every adapter's link. It keeps messages while nobody listens or the link
 * is paused, hands them over in order, and calls `closed` exactly once, after them.
 */
export class LinkInbox {
  #listener: LinkListener | undefined;
  #kept: Uint8Array[] = [];
  #keptBytes = 0;
  #paused = false;
  #muted = false;
  #scheduled = false;
  #ended: string | undefined;
  #fault: LinkFault | undefined;
  #closed = false;

  get paused(): boolean {
    return this.#paused;
  }

  /** False when the message does not fit into the backlog any more: the adapter must then drop the link. */
  push(message: Uint8Array): boolean {
    if (this.#muted || this.#ended !== undefined) return true;
    if (this.#listener && !this.#paused && this.#kept.length === 0) {
      this.#listener.message(message);
      return true;
    }
    if (this.#keptBytes + message.length > MAX_BACKLOG) return false;
    this.#kept.push(message);
    this.#keptBytes += message.length;
    return true;
  }

  listen(listener: LinkListener): void {
    if (this.#listener) throw new Error('This link has a listener already.');
    this.#listener = listener;
    this.#schedule();
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#schedule();
  }

  drained(): void {
    if (this.#ended === undefined) this.#listener?.drain();
  }

  /** The other side is gone in order: what it sent before is still handed over, then `closed`. */
  end(reason: string, fault?: LinkFault): void {
    if (this.#ended !== undefined) return;
    this.#ended = reason;
    this.#fault = fault;
    this.#schedule();
  }

  /** The pipe broke or was dropped: nothing more is handed over but `closed`, even to a paused listener. */
  abort(reason: string, fault?: LinkFault): void {
    if (this.#closed) return;
    this.#fault ??= fault;
    this.#ended ??= reason;
    this.mute();
    this.#schedule();
  }

  /** This side closes: no message is handed over any more, only `closed`. */
  mute(): void {
    this.#muted = true;
    this.#kept = [];
    this.#keptBytes = 0;
    this.#paused = false;
  }

  /** Never from within the call that caused it, so that a listener may be set in the middle of a constructor. */
  #schedule(): void {
    if (this.#scheduled || !this.#listener || (this.#kept.length === 0 && this.#ended === undefined)) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      this.#handOver();
    });
  }

  #handOver(): void {
    while (!this.#paused && this.#kept.length > 0) {
      const message = this.#kept.shift()!;
      this.#keptBytes -= message.length;
      this.#listener?.message(message);
    }
    if (this.#ended === undefined || this.#closed || this.#kept.length > 0) return;
    this.#closed = true;
    this.#listener?.closed(this.#ended, this.#fault);
  }
}

/** A close reason of at most 100 bytes; a character that was cut in half becomes one replacement character. */
export function cutReason(reason: string): string {
  const bytes = Buffer.from(reason);
  return bytes.length <= MAX_REASON ? reason : bytes.subarray(0, MAX_REASON - 3).toString('utf8');
}
