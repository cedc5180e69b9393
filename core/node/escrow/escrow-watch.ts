import type { Settlement } from '../../ledger/settlement.ts';
import { BoundedMap } from '../../platform/bounded-map.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import { escrowName } from '../../protocol/deals/agreed-lock.ts';
import { type Deal, lastOffer } from '../../protocol/deals/deal.ts';
import type { EscrowAccount } from '../../protocol/settlement/accounts.ts';
import type { Found } from '../../storage/pages.ts';
import type { Space } from '../../storage/space.ts';
import { type DealDocument, deals } from '../deals/deal-document.ts';
import { accountFacts, accountProblem } from './escrow-facts.ts';
import { EscrowHistory } from './escrow-history.ts';
import { FactWriter } from './fact-writer.ts';

export interface EscrowWatchOptions {
  readonly space: Space;
  readonly settlement: Settlement;
  /** This node's agent. */
  readonly self: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly changed: (document: DealDocument) => void;
}

const BATCH = 100;
/** Deals without a lock whose history is read in one run: locked and ended between two looks, perhaps. */
const LOCKLESS_LOOKS = 10;
/** Most locks come soon, and are seen; only then is the history worth a call. */
const LOCKLESS_PAUSE_MS = 8_000;
/** A look into the history that taught nothing is repeated after twice the time. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 3_600_000;
/** History may come later than the account is gone; from this pause on it is said that there is none. */
const MISSING_PAUSE_MS = 32_000;
const MAX_REMEMBERED = 10_000;

/**
 * Moves this node's deals by what is finalised on the ledger. The escrow accounts, read a hundred at a time, say what is
 * so. The history of an escrow is asked only how it ended: when a later slot than the one at which the account was last
 * seen shows it no more. An account that is missing without such an end changes nothing. The maps in memory only save
 * work: a node that starts again reads the same.
 */
export class EscrowWatch {
  readonly #options: EscrowWatchOptions;
  readonly #facts: FactWriter;
  readonly #history: EscrowHistory;
  /** The latest slot at which an account was seen, by conversation. */
  readonly #seen = new BoundedMap<string, number>(MAX_REMEMBERED);
  readonly #fruitless = new BoundedMap<string, { readonly until: number; readonly pause: number }>(MAX_REMEMBERED);
  /** Locks that do not count. */
  readonly #told = new BoundedMap<string, true>(MAX_REMEMBERED);
  #lockless = 0;

  constructor(options: EscrowWatchOptions) {
    this.#options = options;
    this.#facts = new FactWriter(options);
    this.#history = new EscrowHistory({ ...options, facts: this.#facts });
  }

  /** One look at every deal that the ledger can move; gives when to look again, and Infinity while there is none. */
  async run(signal: AbortSignal): Promise<number> {
    const { space, settlement } = this.#options;
    this.#lockless = 0;
    let after: Found<DealDocument> | undefined;
    while (!signal.aborted) {
      const found = await space.page(deals, { index: 'ledger', limit: BATCH, ...(after && { after }) });
      if (found.length === 0) return after ? 0 : Number.POSITIVE_INFINITY;
      const { slot, value } = await settlement.escrows(found.map(({ value }) => escrowName(value.deal)));
      for (const [index, row] of found.entries()) {
        if (signal.aborted) return 0;
        await this.#see(row.value, value[index], slot, false);
      }
      if (found.length < BATCH) return 0;
      after = found.at(-1);
    }
    return 0;
  }

  /** One look at one deal, now; whether that changed it. */
  async look({ conversation }: Pick<Deal, 'conversation'>): Promise<boolean> {
    const { space, settlement } = this.#options;
    const document = await space.get(deals.ref(conversation));
    if (!document?.deal.accepted || document.deal.final) return false;
    const { slot, value } = await settlement.escrows([escrowName(document.deal)]);
    return this.#see(document, value[0], slot, true);
  }

  async #see(document: DealDocument, account: EscrowAccount | undefined, slot: number, now: boolean) {
    const { deal } = document;
    const problem = account && accountProblem(deal, account, this.#options.self);
    if (account && problem === undefined && account.state !== 'splitting')
      return this.#seeAlive(document, account, slot);
    if (!deal.escrow) return this.#seeNone(deal, account, problem, now);
    // Within one slot the embedded ledger shows both, and only history that was found ends a deal.
    if (slot < this.#seenSlot(document)) return false;
    return this.#seeEnded(document, now);
  }

  async #seeAlive(document: DealDocument, account: EscrowAccount, slot: number): Promise<boolean> {
    const { deal, ledger } = document;
    const { conversation } = deal;
    if (deal.escrow?.outcome) return false;
    const seen_slot = Math.max(slot, this.#seenSlot(document));
    this.#seen.set(conversation, seen_slot);
    this.#fruitless.delete(conversation);
    const facts = accountFacts(deal, account, this.#options.settlement.numbers.disputeSecs);
    if (facts.length === 0 && ledger?.missing_since === undefined) return false;
    return this.#facts.write(conversation, facts, { seen_slot });
  }

  /** Nothing that counts is locked, and nothing was: unless it came and went between two looks. */
  async #seeNone(deal: Deal, account: EscrowAccount | undefined, problem: string | undefined, now: boolean) {
    const { settlement, log } = this.#options;
    const { conversation } = deal;
    if (account && problem !== undefined) {
      const key = `${conversation} ${account.lockedAt}`;
      const { address } = settlement.escrowAddress(escrowName(deal));
      if (!this.#told.get(key))
        log.warn({ conversation, escrow: address, why: problem }, 'an amount was locked that does not count');
      this.#told.set(key, true);
      return false;
    }
    const first = lastOffer(deal).escrow ? LOCKLESS_PAUSE_MS : LONGEST_PAUSE_MS;
    if (!now && !this.#fruitless.get(conversation)) this.#postpone(conversation, first);
    if (!now && (!this.#isDue(conversation) || ++this.#lockless > LOCKLESS_LOOKS)) return false;
    if (await this.#history.read(deal, 0)) return true;
    this.#postpone(conversation, first);
    return false;
  }

  async #seeEnded(document: DealDocument, now: boolean): Promise<boolean> {
    const { conversation } = document.deal;
    if (!this.#isDue(conversation) && !now) return false;
    if (await this.#history.read(document.deal, this.#seenSlot(document))) {
      this.#fruitless.delete(conversation);
      return true;
    }
    const pause = this.#postpone(conversation, FIRST_PAUSE_MS);
    if (pause >= MISSING_PAUSE_MS && !document.deal.escrow?.outcome) await this.#sayMissing(document);
    return false;
  }

  #isDue(conversation: string): boolean {
    return (this.#fruitless.get(conversation)?.until ?? 0) <= this.#options.clock.now();
  }

  #postpone(conversation: string, first: number): number {
    const before = this.#fruitless.get(conversation)?.pause;
    const pause = Math.min(before ? before * 2 : first, LONGEST_PAUSE_MS);
    this.#fruitless.set(conversation, { until: this.#options.clock.now() + pause, pause });
    return pause;
  }

  async #sayMissing({ deal, ledger }: DealDocument): Promise<void> {
    const { clock, log } = this.#options;
    const { conversation } = deal;
    log.warn({ conversation }, 'the escrow of this deal is gone, and no history of its end is found; nothing is done');
    if (ledger?.missing_since !== undefined) return;
    await this.#facts.write(conversation, [], { seen_slot: ledger?.seen_slot ?? 0, missing_since: clock.now() });
  }

  #seenSlot({ deal, ledger }: DealDocument): number {
    return Math.max(ledger?.seen_slot ?? 0, this.#seen.get(deal.conversation) ?? 0);
  }
}
