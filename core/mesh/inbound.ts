import type { Ack } from './ack.ts';
import type { AckException, Frame } from './frames.ts';

/** Bytes of exceptions in one ACK frame; more of them go into the next. */
const MAX_EXCEPTIONS = 32 * 1024;
const EXCEPTION_HEAD = 4;
const MAX_BACK = 65_535;

interface Arrived {
  readonly length: number;
  ack?: Ack;
}

/** The envelopes of one session that arrived and are not acknowledged yet, in the order of their numbers. */
export class Inbound {
  readonly #changed: () => void;
  #arrived: Arrived[] = [];
  #bytes = 0;
  #acknowledged = 0;

  /** `changed` is called when an envelope was settled. */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  get pending(): number {
    return this.#arrived.length;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Numbers the next envelope; the returned function settles it, the first call counts. */
  arrive(length: number): (ack: Ack) => void {
    const entry: Arrived = { length };
    this.#arrived.push(entry);
    this.#bytes += length;
    return (ack) => {
      if (entry.ack) return;
      entry.ack = ack;
      this.#changed();
    };
  }

  /** The ACK for everything settled without a gap since the last call, or nothing. */
  collect(): (Frame & { type: 'ack' }) | undefined {
    let count = 0;
    let size = 0;
    const refused: [index: number, ack: Ack][] = [];
    for (const { length, ack } of this.#arrived) {
      if (!ack || size > MAX_EXCEPTIONS || count > MAX_BACK) break;
      if (ack.reason !== 'accepted') {
        refused.push([count, ack]);
        size += EXCEPTION_HEAD + (ack.evidence?.length ?? 0);
      }
      count += 1;
      this.#bytes -= length;
    }
    if (count === 0) return undefined;
    this.#arrived.splice(0, count);
    this.#acknowledged += count;
    const exceptions = refused.map(([index, ack]): AckException => ({ back: count - 1 - index, ...ack }));
    return { type: 'ack', upTo: this.#acknowledged, exceptions };
  }
}
