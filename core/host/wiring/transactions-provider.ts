import { Ledger, RecordedTransactions, Store } from '../../internal-services.ts';
import { RecordedTransactions as Recorded } from '../../ledger/recorded-transactions.ts';
import { provider } from '../../provider.ts';
import { Clock } from '../../services.ts';

const RESUME_MS = 30_000;

/** Ledger transactions that survive a crash; what was left unfinished is taken up at start and every half minute. */
export const transactionsProvider = provider(RecordedTransactions, {
  uses: { store: Store, ledger: Ledger, clock: Clock },
  open({ store, ledger, clock }, { log, signal, defer }) {
    const transactions = new Recorded({ space: store.space('ledger'), ledger, log });
    let running: Promise<void> | undefined;
    const resume = () => {
      running ??= transactions
        .resume(signal)
        .catch((error: unknown) => log.warn({ reason: String(error) }, 'unfinished transactions could not be read'))
        .finally(() => {
          running = undefined;
        });
    };
    resume();
    defer(clock.every(RESUME_MS, resume));
    defer(() => running);
    return transactions;
  },
});
