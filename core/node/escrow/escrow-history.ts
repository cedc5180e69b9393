import type { Settlement } from '../../ledger/settlement.ts';
import { BoundedMap } from '../../platform/bounded-map.ts';
import type { Log } from '../../platform/log.ts';
import { agreementOf, escrowName, unkeptLock } from '../../protocol/deals/agreed-lock.ts';
import type { Deal } from '../../protocol/deals/deal.ts';
import type { LedgerEvent } from '../../protocol/deals/events.ts';
import type { SettlementEvent } from '../../protocol/settlement/events.ts';
import { endingFact, historyFact } from './escrow-facts.ts';
import type { FactWriter } from './fact-writer.ts';

export interface EscrowHistoryOptions {
  readonly settlement: Settlement;
  /** This node's agent. */
  readonly self: string;
  readonly facts: FactWriter;
  readonly log: Log;
}

/** How far an escrow's history was read; the cursor is kept because strangers can make the history long. */
interface Trail {
  cursor: string | undefined;
  /** The facts of the lock that is read now; undefined while that lock does not count. */
  facts: LedgerEvent[] | undefined;
  /** Whether the lock itself was read, rather than left out by the ledger. */
  locked: boolean;
}

const EVENTS = 100;
const MAX_TRAILS = 1_000;
/** Facts of one lock; of its raises only the last one counts. */
const MAX_FACTS = 32;

/** Learns from the ledger's history how escrows ended, and what came before where this node was away. */
export class EscrowHistory {
  readonly #options: EscrowHistoryOptions;
  readonly #trails = new BoundedMap<string, Trail>(MAX_TRAILS);

  constructor(options: EscrowHistoryOptions) {
    this.#options = options;
  }

  /** Whether the deal changed. An end counts only from `seen` on, a slot at which its lock was still there. */
  async read(deal: Deal, seen: number): Promise<boolean> {
    const { settlement, facts, log } = this.#options;
    const { conversation } = deal;
    const trail = this.#trails.get(conversation) ?? { cursor: undefined, facts: [], locked: false };
    for (let changed = false; ; ) {
      const page = await settlement.escrowEvents(escrowName(deal), trail.cursor, EVENTS);
      if (page.entries.length === 0) return changed;
      for (const entry of page.entries) {
        if (entry.name === 'gap') log.warn({ conversation, reason: entry.reason }, 'history of an escrow is missing');
        else if (this.#follow(trail, deal, entry, seen))
          changed = (await facts.write(conversation, trail.facts ?? [])) || changed;
      }
      trail.cursor = page.cursor;
      this.#trails.set(conversation, trail);
    }
  }

  /** Takes an event into the trail; whether it is an end of the deal's lock. */
  #follow(trail: Trail, deal: Deal, event: SettlementEvent, seen: number): boolean {
    if (event.name === 'escrow_locked') {
      const { self, settlement } = this.#options;
      const counts = unkeptLock(agreementOf(deal), event, event.time, self) === undefined;
      const { disputeSecs } = settlement.numbers;
      trail.facts = counts ? [historyFact(event, disputeSecs)!] : undefined;
      trail.locked = counts;
      return false;
    }
    if (!trail.facts || (!deal.escrow && !trail.locked)) return false;
    const ending = endingFact(event);
    if (ending && deal.escrow && event.slot < seen) {
      // The end of an earlier lock of this name.
      trail.facts = [];
      return false;
    }
    const fact = ending ?? historyFact(event, 0);
    if (fact) add(trail.facts, fact);
    return ending !== undefined;
  }
}

function add(facts: LedgerEvent[], fact: LedgerEvent): void {
  const [before, last] = facts.slice(-2);
  if (fact.type === 'escrow_disputed' && before?.type === fact.type && last?.type === fact.type) facts.pop();
  if (facts.length < MAX_FACTS) facts.push(fact);
}
