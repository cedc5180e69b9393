import type { Transaction } from '@solana/web3.js';
import type { Clock } from '../../core/platform/clock.ts';
import type { JsonRpc } from './json-rpc.ts';

/** Fees change with the versions of a cluster, so seldom. */
const KEPT_MS = 10 * 60_000;

/** The fee of a transfer. All of them carry one signature and no priority fee, so they cost the same. */
export class TransferFee {
  readonly #rpc: JsonRpc;
  readonly #clock: Clock;
  #known: { readonly lamports: bigint; readonly at: number } | undefined;

  constructor(rpc: JsonRpc, clock: Clock) {
    this.#rpc = rpc;
    this.#clock = clock;
  }

  async of(transfer: Transaction): Promise<bigint> {
    const now = this.#clock.now();
    if (this.#known && now - this.#known.at < KEPT_MS) return this.#known.lamports;
    const message = transfer.serializeMessage().toString('base64');
    const answer = await this.#rpc.ask('getFeeForMessage', [message, { commitment: 'confirmed' }]);
    const lamports = answer.at('value').lamports();
    this.#known = { lamports, at: now };
    return lamports;
  }
}
