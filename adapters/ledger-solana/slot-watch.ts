import type { Clock } from '../../core/platform/clock.ts';
import type { Log } from '../../core/platform/log.ts';
import type { JsonRpc } from './json-rpc.ts';

const POLL_MS = 5_000;
/** The rate is measured over so many polls, a minute. */
const OBSERVATIONS = 12;
/** Without answers the extrapolation stops here. */
const MAX_AHEAD_MS = 30_000;
/** No cluster makes a slot in less, so a faster one is a jump and no rate. */
const SHORTEST_SLOT_MS = 50;
/** A slot this far from the expected one is believed when a node gives it this often in a row. */
const FAR_SLOTS = 9_000;
const TIMES_AHEAD = 2;
const TIMES_BACK = 12;

interface Observation {
  readonly slot: number;
  readonly at: number;
}

/**
 * The newest slot from memory: polled in the background and extrapolated in between, at the rate it was seen to move at,
 * because clusters make slots shorter over time. It goes back only when the node insists on it.
 */
export class SlotWatch {
  readonly #rpc: JsonRpc;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #stop: () => void;
  #seen: Observation[] = [];
  #doubted = 0;
  #shown = 0;
  #busy = false;

  constructor(rpc: JsonRpc, clock: Clock, log: Log) {
    this.#rpc = rpc;
    this.#clock = clock;
    this.#log = log;
    this.#stop = clock.every(POLL_MS, () => this.#poll());
    this.#poll();
  }

  slot(): number {
    const newest = this.#seen.at(-1);
    if (!newest) return 0;
    const ahead = Math.min(Math.max(0, this.#clock.now() - newest.at), MAX_AHEAD_MS);
    this.#shown = Math.max(this.#shown, newest.slot + Math.floor(ahead * this.#slotsPerMs()));
    return this.#shown;
  }

  close(): void {
    this.#stop();
  }

  /** 0 until there are two observations. */
  #slotsPerMs(): number {
    const [first, last] = [this.#seen[0]!, this.#seen.at(-1)!];
    const rate = last.at > first.at ? (last.slot - first.slot) / (last.at - first.at) : 0;
    return Math.min(Math.max(0, rate), 1 / SHORTEST_SLOT_MS);
  }

  #poll(): void {
    if (this.#busy) return;
    this.#busy = true;
    this.#rpc
      .once('getSlot', [{ commitment: 'confirmed' }])
      .then((answer) => this.#observe(this.#rpc.answerOf('getSlot', answer).natural()))
      .catch((error: Error) => this.#log.debug({ error: error.message }, 'the ledger did not tell its slot'))
      .finally(() => {
        this.#busy = false;
      });
  }

  #observe(slot: number): void {
    const at = this.#clock.now();
    const newest = this.#seen.at(-1);
    const far = newest !== undefined && Math.abs(slot - newest.slot) > FAR_SLOTS;
    if (far) {
      this.#doubted += 1;
      if (this.#doubted < (slot > newest.slot ? TIMES_AHEAD : TIMES_BACK)) return;
      this.#seen = [];
      this.#shown = slot;
    }
    this.#doubted = 0;
    this.#seen = [...this.#seen, { slot, at }].slice(-OBSERVATIONS);
  }
}
