import { writeFrame } from '../frames/frame-writer.ts';
import { FrameError } from '../frames/frames.ts';
import type { CircuitFrame } from '../frames/relay-frames.ts';
import type { Session } from '../session/session.ts';

/** Bytes that one side may send on a circuit before the other credits some: this bounds the reader's memory. */
export const WINDOW = 256 * 1024;
/** Each message costs the window so many bytes besides its length, so that many small ones are not free. */
const MESSAGE_COST = 256;
const LAST_NUMBER = 2 ** 32 - 1;

/** A circuit ends at this node in a link of its own, or in the other leg of a relay. */
export interface CircuitEnd {
  data(message: Uint8Array): void;
  /** The far reader has taken that much. */
  credit(bytes: number): void;
  /** Called once, unless this side closed it. */
  ended(reason: string): void;
}

export function costOf(message: Uint8Array): number {
  return message.length + MESSAGE_COST;
}

/** One numbered pipe within a session with a hub, as this side of the session sees it. */
export class Circuit {
  readonly session: Session;
  readonly number: number;
  readonly #table: CircuitTable;
  #end: CircuitEnd | undefined;

  constructor(table: CircuitTable, session: Session, number: number) {
    this.#table = table;
    this.session = session;
    this.number = number;
  }

  get end(): CircuitEnd | undefined {
    return this.#end;
  }

  /** At once after the circuit was made, before anything can arrive. */
  attach(end: CircuitEnd): void {
    this.#end = end;
  }

  /** False when the session is over or its pipe too full. */
  open(from: Uint8Array, to: Uint8Array): boolean {
    return this.session.offer(writeFrame({ type: 'circuit-open', circuit: this.number, from, to }));
  }

  /** False as with `open`; the circuit is then of no use any more. */
  data(message: Uint8Array): boolean {
    return this.session.offer(writeFrame({ type: 'circuit-data', circuit: this.number, message }));
  }

  credit(bytes: number): void {
    this.session.offer(writeFrame({ type: 'circuit-credit', circuit: this.number, bytes }), false);
  }

  close(reason: string): void {
    if (!this.#table.release(this.number)) return;
    this.session.offer(writeFrame({ type: 'circuit-close', circuit: this.number, reason }), false);
  }
}

/** The circuits of one session. Those that the dialler of the session opened have odd numbers, the others even ones. */
export class CircuitTable {
  readonly #session: Session;
  readonly #limit: number;
  readonly #circuits = new Map<number, Circuit>();
  #next: number;

  constructor(session: Session, limit: number) {
    this.#session = session;
    this.#limit = limit;
    this.#next = session.dialled ? 1 : 2;
  }

  get size(): number {
    return this.#circuits.size;
  }

  get full(): boolean {
    return this.#circuits.size >= this.#limit;
  }

  /** A circuit of this side; undefined when there are too many. */
  create(): Circuit | undefined {
    const number = this.#next;
    if (this.full || number > LAST_NUMBER) return undefined;
    this.#next += 2;
    return this.#add(number);
  }

  /** A circuit of the other side; undefined when there are too many. */
  accept(number: number): Circuit | undefined {
    const odd = number % 2 === 1;
    if (odd === this.#session.dialled || this.#circuits.has(number)) {
      throw new FrameError('A circuit has a number that is not free.');
    }
    return this.full ? undefined : this.#add(number);
  }

  /** Whether the frame belonged to a circuit; what comes late for one that was closed does not. */
  frame(frame: Exclude<CircuitFrame, { type: 'circuit-open' }>): boolean {
    const circuit = this.#circuits.get(frame.circuit);
    if (!circuit) return false;
    if (frame.type === 'circuit-data') circuit.end?.data(frame.message);
    else if (frame.type === 'circuit-credit') circuit.end?.credit(frame.bytes);
    else if (this.release(frame.circuit)) circuit.end?.ended(frame.reason);
    return true;
  }

  release(number: number): boolean {
    return this.#circuits.delete(number);
  }

  /** The session is over. */
  end(reason: string): void {
    const circuits = [...this.#circuits.values()];
    this.#circuits.clear();
    for (const circuit of circuits) circuit.end?.ended(reason);
  }

  #add(number: number): Circuit {
    const circuit = new Circuit(this, this.#session, number);
    this.#circuits.set(number, circuit);
    return circuit;
  }
}
