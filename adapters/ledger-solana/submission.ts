import type { PreparedTransaction, SentTransaction, TransactionOutcome } from '../../core/ledger/ledger.ts';
import type { Clock } from '../../core/platform/clock.ts';
import type { JsonRpc } from './json-rpc.ts';
import { Outcomes, type RefusalOf } from './outcomes.ts';

const FIRST_PAUSE_MS = 300;
const MAX_PAUSE_MS = 4_000;
/** How long a node that does not know the outcome of a transaction yet is asked again. */
const LAPSED_MS = 30_000;

/** Sends transactions and finds out their outcome. */
export class Submission {
  readonly #rpc: JsonRpc;
  readonly #outcomes: Outcomes;
  readonly #clock: Clock;

  /** Sends through the first node, and believes outcomes that all of them tell. */
  constructor(rpcs: readonly [JsonRpc, ...JsonRpc[]], clock: Clock, refusalOf: RefusalOf) {
    this.#rpc = rpcs[0];
    this.#outcomes = new Outcomes(rpcs, refusalOf);
    this.#clock = clock;
  }

  async submit(
    transaction: PreparedTransaction,
    signal?: AbortSignal,
    until: 'confirmed' | 'finalised' = 'confirmed',
  ): Promise<TransactionOutcome> {
    let lapsedAt: number | undefined;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 1.5, MAX_PAUSE_MS)) {
      if (lapsedAt === undefined) await this.#send(transaction, signal);
      const outcome = await this.outcome(transaction, signal);
      if (isEnd(outcome, until)) return outcome;
      if (outcome.status === 'pending' && outcome.lapsed) {
        lapsedAt ??= this.#clock.now();
        if (this.#clock.now() - lapsedAt >= LAPSED_MS) return outcome;
      } else {
        lapsedAt = undefined;
      }
      await this.#clock.sleep(pause, signal);
    }
  }

  outcome(transaction: SentTransaction, signal?: AbortSignal): Promise<TransactionOutcome> {
    return this.#outcomes.of(transaction, signal);
  }

  /**
   * One try to send, without a rehearsal: that was part of preparing. Nothing that a node answers here is believed: one
   * that reports an error may have forwarded the transaction all the same.
   */
  async #send({ bytes }: PreparedTransaction, signal?: AbortSignal): Promise<void> {
    const options = { encoding: 'base64', skipPreflight: true, maxRetries: 0 };
    await this.#rpc.once('sendTransaction', [bytes, options], signal).catch(() => signal?.throwIfAborted());
  }
}

function isEnd(outcome: TransactionOutcome, until: 'confirmed' | 'finalised'): boolean {
  if (outcome.status === 'confirmed') return until === 'confirmed' || outcome.finalised;
  return outcome.status !== 'pending';
}
