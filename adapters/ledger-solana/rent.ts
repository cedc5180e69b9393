import type { Clock } from '../../core/platform/clock.ts';
import type { JsonRpc } from './json-rpc.ts';

/** Rent is changed by votes of the validators, so seldom. */
const KEPT_MS = 10 * 60_000;
const MAX_SIZES = 64;

/** The lamports that keep an account for ever, by its size in bytes: the cluster's own figure, kept for minutes. */
export class Rent {
  readonly #rpc: JsonRpc;
  readonly #clock: Clock;
  readonly #known = new Map<number, { readonly lamports: bigint; readonly at: number }>();

  constructor(rpc: JsonRpc, clock: Clock) {
    this.#rpc = rpc;
    this.#clock = clock;
  }

  async of(bytes: number): Promise<bigint> {
    const now = this.#clock.now();
    const known = this.#known.get(bytes);
    if (known && now - known.at < KEPT_MS) return known.lamports;
    const lamports = (await this.#rpc.ask('getMinimumBalanceForRentExemption', [bytes])).lamports();
    if (this.#known.size >= MAX_SIZES) this.#known.clear();
    this.#known.set(bytes, { lamports, at: now });
    return lamports;
  }
}
