import { MeshError } from '../../contracts/errors.ts';
import type { IncomingTransfer, Ledger } from '../../ledger/ledger.ts';
import { type AskedAgain, putOff, withPassedOver } from '../../ledger/passed-over.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import { advance } from '../../protocol/deals/advance.ts';
import { MAX_PAYMENTS } from '../../protocol/deals/deal.ts';
import { collection } from '../../storage/declarations.ts';
import type { Space } from '../../storage/space.ts';
import { type DealDocument, deals, type EarlyPayment, paidEvent, withDeal } from '../deals/deal-document.ts';
import { addDealEntries } from '../history/deal-entries.ts';
import { addEntry, type HistoryDraft } from '../history/entries.ts';
import { paidConversation } from './memo.ts';

interface Cursor {
  /** Of the transaction up to which the history was read. */
  readonly signature?: string;
  readonly passed_over?: readonly AskedAgain[];
}

/** How far the history of the account has been read. */
const cursors = collection<Cursor>('payment-cursors', { schema: 'payment-cursor' });
const BATCH = 100;
/** Strangers can make the history long; the next run goes on. */
const PAGES_A_RUN = 10;

export interface IncomingPaymentsOptions {
  readonly space: Space;
  readonly ledger: Ledger;
  /** The provider: this node's address. */
  readonly address: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly changed: (document: DealDocument) => void;
}

/** Watches this node's USDC account and settles the deals that were paid: the ledger's word, not a message's. */
export class IncomingPayments {
  readonly #options: IncomingPaymentsOptions;

  constructor(options: IncomingPaymentsOptions) {
    this.#options = options;
  }

  /** One look; asks the ledger only while a deal waits for money, and gives when to look again. */
  async run(signal: AbortSignal): Promise<number> {
    const { space, ledger, address } = this.#options;
    const waiting = await space.page(deals, { index: 'owed', prefix: [address], limit: 1 });
    if (waiting.length === 0) return Number.POSITIVE_INFINITY;
    for (let pages = 0; pages < PAGES_A_RUN && !signal.aborted; pages++) {
      const known = (await space.get(cursors.ref(address)))?.signature;
      const { transfers, cursor, more, passedOver } = await ledger.incomingUsdc(address, known, BATCH);
      // Before the cursor goes on, which then is behind them.
      if (passedOver.length > 0)
        await this.#keep((kept, now) => ({ passed_over: withPassedOver(kept.passed_over, passedOver, now) }));
      for (const transfer of transfers) {
        if (signal.aborted) return 0;
        await this.#take(transfer, { signature: transfer.signature });
      }
      if (cursor !== undefined && cursor !== known) await this.#keep(() => ({ signature: cursor }));
      if (more) continue;
      await this.#askAgain();
      break;
    }
    return 0;
  }

  /** One of the transactions that were passed over. It may be a payment, so none is given up. */
  async #askAgain(): Promise<void> {
    const { space, ledger, address, clock, log } = this.#options;
    const { passed_over = [] } = (await space.get(cursors.ref(address))) ?? {};
    const one = passed_over.find(({ again }) => again <= clock.now());
    if (!one) return;
    const { signature } = one;
    const without = ({ passed_over: kept = [] }: Cursor) => kept.filter((each) => each.signature !== signature);
    try {
      const transfer = await ledger.incomingTransfer(address, one);
      if (transfer) await this.#take(transfer);
      await this.#keep((kept) => ({ passed_over: without(kept) }));
    } catch (error) {
      if (!(error instanceof MeshError) || error.code !== 'ledger_unavailable') throw error;
      log.warn({ signature, reason: error.message }, 'a transaction may be a payment, and the ledger does not show it');
      await this.#keep((kept, now) => ({ passed_over: putOff(kept.passed_over, signature, now) }));
    }
  }

  async #keep(change: (kept: Cursor, now: number) => Cursor): Promise<void> {
    const ref = cursors.ref(this.#options.address);
    await this.#options.space.tx([ref], (tx) => {
      const kept = tx.get(ref) ?? {};
      tx.put(ref, { ...kept, ...change(kept, tx.now) });
    });
  }

  async #take(transfer: IncomingTransfer, place?: Cursor): Promise<void> {
    const { space, address, changed, log } = this.#options;
    const conversation = paidConversation(transfer.memo);
    const cursor = cursors.ref(address);
    const reads = conversation === undefined ? [] : [deals.ref(conversation)];
    const { value } = await space.tx([cursor, ...reads], (tx) => {
      if (place) tx.put(cursor, { ...tx.get(cursor), ...place });
      const document = conversation === undefined ? undefined : tx.get(deals.ref(conversation));
      if (!document || document.deal.provider !== address) return undefined;
      const { signature, from, amount } = transfer;
      const payment = { signature, from, amount: amount.toString() };
      const step = advance(document.deal, paidEvent(payment, tx.now));
      if (step.ok) {
        const after = withDeal(document, step.deal, tx.now);
        tx.put(deals.ref(conversation!), after);
        addDealEntries(tx, { before: document.deal, after: step.deal, self: address, fact: signature });
        return { after };
      }
      if (!step.premature) return { refused: step.detail };
      const early_payments = largest([...document.early_payments, payment]);
      if (early_payments.includes(payment))
        addEntry(tx, `early/${signature}`, earlyDraft(conversation!, payment), signature);
      tx.put(deals.ref(conversation!), { ...document, early_payments });
      return undefined;
    });
    if (value?.refused)
      log.warn({ conversation, signature: transfer.signature, why: value.refused }, 'a payment moved no deal');
    if (value?.after) changed(value.after);
  }
}

/** It is in the wallet, whether or not the deal comes to be. */
function earlyDraft(conversation: string, { from, amount }: EarlyPayment): HistoryDraft {
  return { type: 'bounty', action: 'paid', direction: 'in', amount, counterparty: from, conversation };
}

/** Anybody can send dust, so it does not keep out what is worth more. */
function largest(payments: readonly EarlyPayment[]): EarlyPayment[] {
  const [...all] = payments;
  return all.sort((one, other) => Number(BigInt(other.amount) - BigInt(one.amount))).slice(0, MAX_PAYMENTS);
}
