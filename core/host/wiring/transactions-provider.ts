import { Ledger, RecordedTransactions, Store } from '../../internal-services.ts';
import { resumedTransactions } from '../../ledger/resumed-transactions.ts';
import { provider } from '../../provider.ts';
import { Clock } from '../../services.ts';

/** The transactions of this node's own wallet. */
export const transactionsProvider = provider(RecordedTransactions, {
  uses: { store: Store, ledger: Ledger, clock: Clock },
  open: ({ store, ledger, clock }, { log, signal, defer }) =>
    resumedTransactions({ space: store.space('ledger'), ledger, clock, log, signal, defer }),
});
