import { BoundedMap } from '../../bounded-map.ts';
import type { Clock } from '../../clock.ts';
import { advance } from '../../deals/advance.ts';
import { escrowName } from '../../deals/agreed-lock.ts';
import type { Deal } from '../../deals/deal.ts';
import type { Settlement } from '../../ledger/settlement.ts';
import type { EscrowAccount } from '../../ledger/settlement-accounts.ts';
import type { SettlementEvent } from '../../ledger/settlement-events.ts';
import type { Log } from '../../log.ts';
import type { Space } from '../../storage/space.ts';
import { type DealDocument, deals, withDeal } from '../deals/deal-document.ts';
import { escrowFact } from './escrow-facts.ts';

export interface EscrowWatchOptions {
  readonly space: Space;
  readonly settlement: Settlement;
  readonly clock: Clock;
  readonly log: Log;
  readonly changed: (document: DealDocument) => void;
}

const BATCH = 100;
const EVENTS = 100;
/** A look that taught nothing is repeated after twice the time, unless the account changes. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 3_600_000;
const MAX_REMEMBERED = 10_000;

/**
 * Moves this node's deals by what is finalised on the ledger. The escrow accounts, read a hundred at a time, tell that
 * something happened; the history of that one escrow tells what. What it remembers only saves work: a node that starts
 * again reads the same.
 */
export class EscrowWatch {
  readonly #options: EscrowWatchOptions;
  /** Looks that taught nothing: at locks that were not agreed, and where the ledger has forgotten. */
  readonly #fruitless = new BoundedMap<string, { readonly until: number; readonly pause: number }>(MAX_REMEMBERED);

  /** How far histories were read already: strangers can make them long. */
  readonly #read = new BoundedMap<string, string>(MAX_REMEMBERED);

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
      const { value: escrows } = await settlement.escrows(found.map(({ value }) => escrowName(value.deal)));
      for (const [index, { value }] of found.entries()) {
        if (signal.aborted) return;
        if (hasMoved(value.deal, escrows[index])) await this.#lookNowAndThen(value.deal, escrows[index]);
      }
      if (found.length < BATCH) return;
      after = found.at(-1);
    }
  }

  /** Reads the history of one escrow into its deal; whether that changed the deal. */
  async look(deal: Deal): Promise<boolean> {
    const { settlement, log } = this.#options;
    const { conversation } = deal;
    let changed = false;
    for (;;) {
      const cursor = this.#read.get(conversation);
      const page = await settlement.escrowEvents(escrowName(deal), cursor, EVENTS);
      if (page.entries.length === 0) return changed;
      for (const entry of page.entries) {
        if (entry.name !== 'gap') changed = (await this.#take(conversation, entry)) || changed;
        else log.warn({ conversation, reason: entry.reason }, 'the ledger no longer has all of an escrow');
      }
      if (page.cursor !== undefined) this.#read.set(conversation, page.cursor);
    }
  }

  async #lookNowAndThen(deal: Deal, account: EscrowAccount | undefined): Promise<void> {
    const { clock } = this.#options;
    const seen = `${deal.conversation} ${account?.lockedAt} ${account?.state}`;
    const before = this.#fruitless.get(seen);
    if (before && before.until > clock.now()) return;
    if (await this.look(deal)) return;
    const pause = Math.min(before ? before.pause * 2 : FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
    this.#fruitless.set(seen, { until: clock.now() + pause, pause });
  }

  async #take(conversation: string, event: SettlementEvent): Promise<boolean> {
    const { space, settlement, log, changed } = this.#options;
    const ref = deals.ref(conversation);
    const { value } = await space.tx([ref], (tx) => {
      const document = tx.get(ref);
      const fact = document?.deal.accepted ? escrowFact(document.deal, event) : undefined;
      if (!document || !fact) return undefined;
      const { deal } = document;
      if ('problem' in fact) return deal.escrow ? undefined : { problem: fact.problem, deal };
      const step = advance(deal, fact);
      if (!step.ok || step.outcome !== 'applied') return undefined;
      const after = withDeal(document, step.deal, tx.now);
      tx.put(ref, after);
      return { after };
    });
    if (value?.after) changed(value.after);
    if (value?.problem !== undefined) {
      const { address } = settlement.escrowAddress(escrowName(value.deal));
      log.warn({ conversation, escrow: address, why: value.problem }, 'an amount was locked that does not count');
    }
    return value?.after !== undefined;
  }
}

/** Whether the ledger knows more of a deal than its node. */
function hasMoved({ escrow }: Deal, account: EscrowAccount | undefined): boolean {
  if (!account || !escrow) return account !== undefined || escrow !== null;
  const delivered = account.deliveredAt !== null && escrow.delivered_at === null;
  return delivered || (account.disputedAt !== null && escrow.disputed_at === null);
}
