import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { Space } from '../storage/space.ts';
import type { Ledger } from './ledger.ts';
import { RecordedTransactions } from './recorded-transactions.ts';

const RESUME_MS = 30_000;

export interface ResumedOptions {
  readonly space: Space;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly log: Log;
  /** Aborted when the node stops. */
  readonly signal: AbortSignal;
  /** Runs when the node stops. */
  readonly defer: (work: () => unknown) => void;
}

/** Ledger transactions that survive a crash; what was left unfinished is taken up at start and every half minute. */
export function resumedTransactions({ clock, signal, defer, ...options }: ResumedOptions): RecordedTransactions {
  const transactions = new RecordedTransactions(options);
  let running: Promise<void> | undefined;
  const resume = () => {
    running ??= transactions
      .resume(signal)
      .catch((error: unknown) =>
        options.log.warn({ reason: String(error) }, 'unfinished transactions could not be read'),
      )
      .finally(() => {
        running = undefined;
      });
  };
  resume();
  defer(clock.every(RESUME_MS, resume));
  defer(() => running);
  return transactions;
}
