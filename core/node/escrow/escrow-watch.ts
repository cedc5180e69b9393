import { advance } from '../../deals/advance.ts';
import type { Deal } from '../../deals/deal.ts';
import type { Settlement } from '../../ledger/settlement.ts';
import type { EscrowAccount } from '../../ledger/settlement-accounts.ts';
import type { SettlementEvent } from '../../ledger/settlement-events.ts';
import type { Log } from '../../log.ts';
import type { Space } from '../../storage/space.ts';
import { type DealDocument, deals, withDeal } from '../deals/deal-document.ts';
import { escrowName } from './agreed-lock.ts';
import { escrowFact } from './escrow-facts.ts';

export interface EscrowWatchOptions {
  readonly space: Space;
  readonly settlement: Settlement;
  readonly log: Log;
  readonly changed: (document: DealDocument) => void;
}

const BATCH = 100;
const EVENTS = 100;
/** Locks that are not what was agreed are told once; so many are remembered. */
const MAX_STRANGE = 1_000;

/**
 * Moves this node's deals by what is finalised on the ledger. The escrow accounts, read a hundred at a time, tell that
 * something happened; the history of that one escrow tells what. Nothing is remembered, so nothing can be missed.
 */
export class EscrowWatch {
  readonly #options: EscrowWatchOptions;
  readonly #strange = new Set<string>();

  constructor(options: EscrowWatchOptions) {
    this.#options = options;
  }

  /** One look at every deal that the ledger can move. */
  async run(signal: AbortSignal): Promise<void> {
    const { space, settlement } = this.#options;
    let after: { key: string; id: string } | undefined;
    while (!signal.aborted) {
      const found = await space.page(deals, { index: 'ledger', limit: BATCH, ...(after && { after }) });
      if (found.length === 0) return;
      const escrows = await settlement.escrows(found.map(({ value }) => escrowName(value.deal)));
      for (const [index, { value }] of found.entries()) {
        if (signal.aborted) return;
        if (hasMoved(value.deal, escrows[index]) && !this.#isStrange(escrows[index])) await this.look(value.deal);
      }
      if (found.length < BATCH) return;
      after = found.at(-1);
    }
  }

  /** Reads the history of one escrow into its deal. */
  async look(deal: Deal): Promise<void> {
    const { settlement, log } = this.#options;
    const { conversation } = deal;
    let cursor: string | undefined;
    for (;;) {
      const page = await settlement.escrowEvents(escrowName(deal), cursor, EVENTS);
      if (page.entries.length === 0) return;
      for (const entry of page.entries) {
        if (entry.name !== 'gap') await this.#take(conversation, entry);
        else log.warn({ conversation, reason: entry.reason }, 'the ledger no longer has all of an escrow');
      }
      cursor = page.cursor;
    }
  }

  async #take(conversation: string, event: SettlementEvent): Promise<void> {
    const { space, settlement, log, changed } = this.#options;
    const ref = deals.ref(conversation);
    const { value } = await space.tx([ref], (tx) => {
      const document = tx.get(ref);
      const fact = document?.deal.accepted ? escrowFact(document.deal, event) : undefined;
      if (!document || !fact) return undefined;
      const { deal } = document;
      if ('problem' in fact) return deal.escrow ? undefined : { problem: fact.problem, deal };
      const step = advance(document.deal, fact);
      if (!step.ok || step.outcome !== 'applied') return undefined;
      const after = withDeal(document, step.deal, tx.now);
      tx.put(ref, after);
      return { after };
    });
    if (value?.after) changed(value.after);
    if (value?.problem !== undefined) {
      const { address } = settlement.escrowAddress(escrowName(value.deal));
      log.warn({ conversation, escrow: address, why: value.problem }, 'an amount was locked that does not count');
      if (this.#strange.size >= MAX_STRANGE) this.#strange.clear();
      this.#strange.add(`${address} ${event.time}`);
    }
  }

  #isStrange(escrow: EscrowAccount | undefined): boolean {
    return escrow !== undefined && this.#strange.has(`${escrow.address} ${escrow.lockedAt}`);
  }
}

/** Whether the ledger knows more of a deal than its node. */
function hasMoved({ escrow }: Deal, account: EscrowAccount | undefined): boolean {
  if (!account || !escrow) return account !== undefined || escrow !== null;
  const delivered = account.deliveredAt !== null && escrow.delivered_at === null;
  return delivered || (account.disputedAt !== null && escrow.disputed_at === null);
}
