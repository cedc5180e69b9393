import { isMeshError } from '../../contracts/errors.ts';
import type { Settlement } from '../../ledger/settlement.ts';
import type { SettlementActions } from '../../ledger/settlement-actions.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { LeafArchive } from '../../protocol/batches/leaf-archive.ts';
import type { Network } from '../../protocol/identity/network.ts';
import type { AccusationAccount } from '../../protocol/settlement/accounts.ts';
import type { Found } from '../../storage/pages.ts';
import type { Space } from '../../storage/space.ts';
import type { BatchBook } from '../behavior/batch-book.ts';
import type { OwnAccount, OwnReading } from '../behavior/own-account.ts';
import type { DutyWarnings } from '../duty-warnings.ts';
import { LeafSearch, type SearchStep } from './leaf-search.ts';
import { OwnLeaves } from './own-leaves.ts';
import { type OpenAccusations, readAccusations } from './read-accusations.ts';
import {
  type AccusationRecord,
  accusations,
  changeAccusation,
  closeAccusation,
  noteAccusation,
} from './watch-records.ts';

export interface AccusationResponderOptions {
  readonly space: Space;
  readonly settlement: Settlement;
  readonly steps: SettlementActions;
  readonly own: OwnAccount;
  readonly book: BatchBook;
  readonly archives: readonly LeafArchive[];
  readonly network: Network;
  readonly key: string;
  readonly alarms: DutyWarnings;
  readonly clock: Clock;
  /** Milliseconds from one run to the next. */
  readonly pause: number;
  readonly log: Log;
}

const PAGE = 100;
/** Ended accusations whose headers are tried first: the same header can be accused again. */
const RECENT = 500;
/** Answers under way at the same time. */
const AT_ONCE = 4;
const UNKNOWN = 'accused-unknown';

/**
 * Answers accusations of this node's own key with the path from the accused envelope to the root of its batch. Driven by
 * accounts: the agent account counts the open accusations, and each of them has an account of its own. Events only say
 * where to look first.
 */
export class AccusationResponder {
  readonly #options: AccusationResponderOptions;
  readonly #leaves: OwnLeaves;
  readonly #search: LeafSearch;

  constructor(options: AccusationResponderOptions) {
    this.#options = options;
    this.#leaves = new OwnLeaves(options);
    this.#search = new LeafSearch({ ...options, leaves: this.#leaves });
  }

  async run(signal: AbortSignal): Promise<void> {
    const { own } = this.#options;
    const records = await this.#openRecords();
    const seen = await own.recent();
    if (records.length === 0 && !seen.agent?.open) return this.#rest();
    const latest = Math.max(seen.slot, ...records.map(({ slot = 0 }) => slot));
    const reading = latest > seen.slot || records.length > 0 ? await own.read(latest) : seen;
    const { accounts, slot } = await this.#find(reading, records, signal);
    await this.#closeEnded(records, accounts, slot);
    await this.#answerAll(reading, accounts, slot, signal);
  }

  async #rest(): Promise<void> {
    this.#options.alarms.clear(UNKNOWN);
    this.#leaves.release();
    await this.#search.end();
  }

  async #openRecords(): Promise<readonly AccusationRecord[]> {
    const { space, key } = this.#options;
    const records: AccusationRecord[] = [];
    for (let after: Found<AccusationRecord> | undefined; ; ) {
      const rows = await space.page(accusations, { index: 'open', limit: PAGE, after });
      records.push(...rows.map(({ value }) => value).filter((record) => record.key === key));
      if (rows.length < PAGE) return records;
      after = rows.at(-1);
    }
  }

  /** The open accusations: those known, else those of headers that were accused before, else by a search of all leaves. */
  async #find(
    reading: OwnReading,
    records: readonly AccusationRecord[],
    signal: AbortSignal,
  ): Promise<OpenAccusations> {
    const { space, settlement, own, key } = this.#options;
    const known = records.map(({ id }) => id);
    const { accounts, slot } = await readAccusations(settlement, key, known, reading.slot);
    const found = [...accounts];
    const missing = () => (reading.agent?.open ?? 0) - found.length;
    if (missing() > 0) {
      const recent = await space.page(accusations, { index: 'recent', reverse: true, limit: RECENT });
      const again = recent.map(({ value }) => value).filter((one) => one.key === key && !known.includes(one.id));
      const more = await readAccusations(
        settlement,
        key,
        again.map(({ id }) => id),
        reading.slot,
      );
      found.push(...more.accounts);
    }
    if (missing() > 0 && found.length < ((await own.read(slot)).agent?.open ?? 0)) {
      const step = await this.#search.step(reading, new Set(found.map(({ id }) => id)), signal);
      found.push(...step.found);
      if (missing() > 0) this.#warn(reading, missing(), step);
    }
    if (missing() <= 0) {
      this.#options.alarms.clear(UNKNOWN);
      await this.#search.end();
    }
    for (const account of found) await noteAccusation(space, account);
    return { accounts: found, slot };
  }

  /**
   * Closes the records of accusations that have ended. That an account is missing is not enough: it must be missing at a
   * later slot than that of the accusation, and the agent account must show an end, for a lagging ledger shows nothing.
   */
  async #closeEnded(
    records: readonly AccusationRecord[],
    accounts: readonly AccusationAccount[],
    slot: number,
  ): Promise<void> {
    const { space, own, alarms } = this.#options;
    const gone = records.filter(({ id, slot: since = 0 }) => slot > since && !accounts.some((one) => one.id === id));
    if (gone.length === 0) return;
    const { agent } = await own.read(slot);
    for (const record of gone) {
      const settled = agent !== undefined && agent.settledEpoch >= record.epoch;
      if (!settled && agent?.open !== accounts.length) continue;
      alarms.clear(alarmOf(record.id));
      await closeAccusation(space, record, settled ? 'convicted' : 'answered');
    }
  }

  /** One that cannot be answered does not keep the others from their answers. */
  async #answerAll(
    { agent }: OwnReading,
    accounts: readonly AccusationAccount[],
    slot: number,
    signal: AbortSignal,
  ): Promise<void> {
    const settled = agent?.settledEpoch ?? 0;
    // A slash has made accusations of settled epochs void: they only keep an agent that is leaving from its stake.
    const waiting = accounts.filter(({ epoch }) => epoch > settled || agent?.state === 'leaving');
    waiting.sort((a, b) => a.accusedAt - b.accusedAt);
    const failures: unknown[] = [];
    const next = async (): Promise<void> => {
      for (let account = waiting.shift(); account && !signal.aborted; account = waiting.shift()) {
        const end = account.epoch > settled ? this.#answer(account, slot, signal) : this.#annul(account, signal);
        await end.catch((error: unknown) => {
          this.#failed(account!, error);
          failures.push(error);
        });
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, next));
    if (failures.length > 0 && !signal.aborted) throw failures[0];
  }

  async #answer(account: AccusationAccount, slot: number, signal: AbortSignal): Promise<void> {
    const { space, steps, own, key, log, alarms } = this.#options;
    const { id, accuser } = account;
    const record = await noteAccusation(space, account);
    // The ledger has confirmed an answer, and what was read is from before it.
    if (record.answer && record.answer.slot > slot) return;
    const siblings = await this.#leaves.path(account, account.index, id);
    if (!siblings) return this.#despair(account);
    // An answer that was confirmed and is not in the ledger's final history was undone with its block.
    const undone = record.answer ? record.answer.undone + 1 : 0;
    const name = `answer:${id}:${account.slot}${undone > 0 ? `:${undone}` : ''}`;
    try {
      const landed = await steps.run(name, { type: 'answer', key, id, accuser, siblings }, signal);
      own.changed(landed.slot);
      await changeAccusation(space, record, (known) => ({ ...known, answer: { slot: landed.slot, undone } }));
    } catch (error) {
      // Somebody else has answered; the account will tell.
      if (isMeshError(error) && error.code === 'not_found') return;
      throw error;
    }
    alarms.clear(alarmOf(id));
    log.info({ id, epoch: account.epoch, accuser }, 'an accusation was answered');
  }

  async #annul({ id, accuser, slot }: AccusationAccount, signal: AbortSignal): Promise<void> {
    const { steps, own, key } = this.#options;
    const landed = await steps.run(`annul:${id}:${slot}`, { type: 'convict', key, id, accuser }, signal);
    own.changed(landed.slot);
  }

  #warn({ agent }: OwnReading, missing: number, { over, unread }: SearchStep): void {
    const searched = over
      ? `No leaf that it has is accused${unread.length > 0 ? `; it has none of epoch ${unread.join(', ')}, and neither have its aggregators` : ''}. Look for a backup of the data folder and ask who else keeps its leaf lists`
      : 'It searches the leaves of its batches for the others';
    this.#options.alarms.raise(
      UNKNOWN,
      `The ledger counts ${agent?.open} open accusations of this agent, and this node does not know ${missing} of them. ${searched}. Half of the stake is slashed for one that is not answered within ${this.#patience()}.`,
    );
  }

  /** It is tried again with every run: an aggregator may come back. */
  #despair({ id, epoch, accusedAt }: AccusationAccount): void {
    this.#options.alarms.raise(
      alarmOf(id),
      `This agent is accused of leaving envelope ${id} out of its batch of epoch ${epoch}, and neither this node nor its aggregators hold leaves that contain it. Without an answer by ${this.#deadline(accusedAt)} half of the stake is slashed: look for a backup of the data folder, and ask who else keeps its leaf lists.`,
    );
  }

  #failed({ id, accusedAt }: AccusationAccount, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    this.#options.log.warn({ id, reason }, 'an accusation was not answered yet');
    // An outage is said by the ledger's own health; what else fails needs somebody to look.
    if (isMeshError(error) && ['ledger_unavailable', 'not_ready'].includes(error.code)) return;
    this.#options.alarms.raise(
      alarmOf(id),
      `The accusation of envelope ${id} could not be answered: ${reason} Without an answer by ${this.#deadline(accusedAt)} half of the stake is slashed; the node tries again.`,
    );
  }

  #deadline(accusedAt: number): string {
    return new Date((accusedAt + this.#options.settlement.numbers.responseSecs) * 1_000).toISOString();
  }

  #patience(): string {
    const { responseSecs } = this.#options.settlement.numbers;
    return responseSecs < 7_200 ? `${responseSecs} seconds` : `${Math.floor(responseSecs / 3_600)} hours`;
  }
}

function alarmOf(id: string): string {
  return `accused-${id}`;
}
