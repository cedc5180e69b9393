import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import { Answer } from './answers.ts';
import type { JsonRpc } from './json-rpc.ts';

const POLL_MS = 5_000;
const SLOT_MS = 400;
/** Without answers the extrapolation stops here. */
const MAX_AHEAD_SLOTS = 75;

/** The newest slot from memory: polled in the background, extrapolated in between, and never going back. */
export class SlotWatch {
  readonly #rpc: JsonRpc;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #stop: () => void;
  #polled = 0;
  #at = 0;
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
    if (this.#polled === 0) return 0;
    const ahead = Math.max(0, Math.floor((this.#clock.now() - this.#at) / SLOT_MS));
    this.#shown = Math.max(this.#shown, this.#polled + Math.min(ahead, MAX_AHEAD_SLOTS));
    return this.#shown;
  }

  close(): void {
    this.#stop();
  }

  #poll(): void {
    if (this.#busy) return;
    this.#busy = true;
    this.#rpc
      .once('getSlot', [{ commitment: 'confirmed' }])
      .then((slot) => {
        this.#polled = new Answer(slot, 'getSlot').integer();
        this.#at = this.#clock.now();
      })
      .catch((error: Error) => this.#log.debug({ error: error.message }, 'the ledger did not tell its slot'))
      .finally(() => {
        this.#busy = false;
      });
  }
}
