import { advance } from '../../protocol/deals/advance.ts';
import type { LedgerEvent } from '../../protocol/deals/events.ts';
import type { Space } from '../../storage/space.ts';
import { type DealDocument, deals, type Sighting, withDeal } from '../deals/deal-document.ts';
import { addDealEntries } from '../history/deal-entries.ts';

export interface FactWriterOptions {
  readonly space: Space;
  /** This node's agent. */
  readonly self: string;
  readonly changed: (document: DealDocument) => void;
}

/** Writes the ledger's facts about escrows into their deals. */
export class FactWriter {
  readonly #options: FactWriterOptions;

  constructor(options: FactWriterOptions) {
    this.#options = options;
  }

  /** Facts that the deal has already change nothing. Gives whether the deal changed. */
  async write(conversation: string, facts: readonly LedgerEvent[], ledger?: Sighting): Promise<boolean> {
    const { space, self, changed } = this.#options;
    const ref = deals.ref(conversation);
    const { value } = await space.tx([ref], (tx) => {
      const document = tx.get(ref);
      if (!document?.deal.accepted) return undefined;
      let { deal } = document;
      let moved = false;
      for (const fact of facts) {
        const step = advance(deal, fact);
        if (!step.ok || step.outcome !== 'applied') continue;
        addDealEntries(tx, { before: deal, after: step.deal, self, fact: fact.id });
        deal = step.deal;
        moved = true;
      }
      if (!moved && !ledger) return undefined;
      const after = { ...withDeal(document, deal, moved ? tx.now : document.updated_at), ...(ledger && { ledger }) };
      tx.put(ref, after);
      return { after, moved };
    });
    if (value?.moved) changed(value.after);
    return value?.moved ?? false;
  }
}
