import type { RecordedTransactions } from '../../../ledger/recorded-transactions.ts';
import type { Space } from '../../../storage/space.ts';
import type { Tx } from '../../../storage/transaction.ts';
import { addEntry } from '../../history/entries.ts';
import { type SaleRecord, saleName, sales } from './records.ts';

export interface SaleEntriesOptions {
  readonly space: Space;
  readonly transactions: Pick<RecordedTransactions, 'find'>;
}

const BATCH = 100;
const MAX_TEXT = 256;

/** Tells the history of payments for sold calls, each once the ledger cannot take it back. */
export async function tellSales({ space, transactions }: SaleEntriesOptions, signal: AbortSignal): Promise<number> {
  for (let after: { key: string; id: string } | undefined; !signal.aborted; ) {
    const found = await space.page(sales, { index: 'untold', limit: BATCH, ...(after && { after }) });
    for (const { id } of found) {
      if (signal.aborted) return 0;
      const state = await transactions.find(saleName(id));
      // A payment that was never sent is forgotten with its sale.
      if (!state || state.status === 'recorded' || state.revocable) continue;
      const ref = sales.ref(id);
      await space.tx([ref], (tx) => {
        const record = tx.get(ref);
        if (!record?.untold) return;
        const { untold: _, ...told } = record;
        tx.put(ref, told);
        if (state.status === 'confirmed') addSale(tx, id, record, state.signature);
      });
    }
    if (found.length < BATCH) return found.length === 0 && !after ? Number.POSITIVE_INFINITY : 0;
    after = found.at(-1)!;
  }
  return 0;
}

function addSale(tx: Tx, id: string, { line, price, payer }: SaleRecord, signature: string): void {
  const draft = { type: 'fee', action: 'x402-sale', direction: 'in', amount: price, counterparty: payer } as const;
  addEntry(tx, saleName(id), { ...draft, details: { route: line.slice(0, MAX_TEXT), sale_id: id } }, signature);
}
