import type { RecordedTransactions } from '../../../ledger/recorded-transactions.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Space } from '../../../storage/space.ts';
import { saleName, sales } from './records.ts';

export interface ReconcileOptions {
  readonly space: Space;
  readonly transactions: Pick<RecordedTransactions, 'find'>;
  readonly clock: Clock;
}

const BATCH = 100;
/** Milliseconds after which a payment that the ledger has not got can certainly not be taken any more. */
const LAPSED_MS = 3_600_000;

/** Learns what became of payments whose buyers did not wait: one that was confirmed is owed an answer, one that failed is forgotten. */
export async function reconcileSales(options: ReconcileOptions, signal: AbortSignal): Promise<number> {
  const { space, transactions, clock } = options;
  for (let after: { key: string; id: string } | undefined; !signal.aborted; ) {
    const found = await space.page(sales, { index: 'taken', limit: BATCH, ...(after && { after }) });
    for (const { id, value } of found) {
      const state = await transactions.find(saleName(id));
      if (state?.status === 'recorded') continue;
      const lapsed = clock.now() - value.at > LAPSED_MS;
      if (state?.status !== 'confirmed' && !lapsed) continue;
      const ref = sales.ref(id);
      await space.tx([ref], (tx) => {
        const record = tx.get(ref);
        if (record?.state !== 'taken') return;
        if (state?.status === 'confirmed') tx.put(ref, { ...record, state: 'paid', signature: state.signature });
        else tx.del(ref);
      });
    }
    if (found.length < BATCH) return found.length === 0 && !after ? Number.POSITIVE_INFINITY : 0;
    after = found.at(-1)!;
  }
  return 0;
}
