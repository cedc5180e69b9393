import { isMeshError } from '../../contracts/errors.ts';
import type { LedgerTime, Settlement } from '../../ledger/settlement.ts';
import type { SettlementActions } from '../../ledger/settlement-actions.ts';
import type { EpochJournal } from '../../messaging/epoch-journal.ts';
import type { Log } from '../../platform/log.ts';
import { type Duty, nextDuty } from '../../protocol/batches/duty.ts';
import type { AgentAccount } from '../../protocol/settlement/accounts.ts';
import type { DutyWarnings } from '../duty-warnings.ts';
import type { BatchBook } from './batch-book.ts';
import type { BatchRecord } from './batch-records.ts';
import type { OwnAccount, OwnReading } from './own-account.ts';
import type { Preparation } from './preparation.ts';

export interface BatchJobOptions {
  readonly settlement: Settlement;
  readonly own: OwnAccount;
  readonly steps: SettlementActions;
  readonly journal: EpochJournal;
  readonly book: BatchBook;
  readonly preparation: Preparation;
  /** The node's key in base58. */
  readonly key: string;
  readonly alarms: DutyWarnings;
  readonly log: Log;
  /** Told of every batch of ours that is on the ledger. */
  readonly submitted: (record: BatchRecord) => void;
}

type Submission = Extract<Duty, { kind: 'submit' }>;

/**
 * Submits the batch of every epoch that is over, oldest first. Each step can be repeated: closing, storing
 * and comparing change nothing the second time, the transaction goes out under one name, and what the ledger holds is
 * noted whenever it is seen. So a crash anywhere is made good by the next run.
 */
export class BatchJob {
  readonly #options: BatchJobOptions;
  /** Batches on the ledger up to here are noted. */
  #noted = 0;

  constructor(options: BatchJobOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { settlement, own, book } = this.#options;
    for (let reading = await own.recent(); !signal.aborted; reading = await own.read()) {
      const { agent, time } = reading;
      if (agent) await this.#note(reading, agent);
      const duty = await this.#duty(agent, time);
      this.#warn(duty, agent, time);
      // The ledger's finalised word may lag behind what it has confirmed: then the next run goes on.
      if (duty.kind === 'submit' && (await this.#submit(duty, time, signal))) continue;
      return book.tidy(time.epoch, (record) => isSettled(record, reading, settlement));
    }
  }

  async #duty(agent: AgentAccount | undefined, time: LedgerTime): Promise<Duty> {
    const { numbers } = this.#options.settlement;
    const missing = new Set<number>();
    if (agent?.duties) {
      const end = Math.min(time.epoch - 1, agent.last + numbers.submitGap);
      for (let epoch = agent.last + 1; epoch <= end; epoch++) if (!(await this.#batchable(epoch))) missing.add(epoch);
    }
    return nextDuty(agent, { numbers, ...time, unbatchable: (epoch) => missing.has(epoch) });
  }

  async #batchable(epoch: number): Promise<boolean> {
    const { journal, book } = this.#options;
    const { state } = await journal.view(epoch);
    if (state === 'tainted') return false;
    return state !== 'forgotten' || (await book.record(epoch)) !== undefined;
  }

  /** Whether a batch went to the ledger now. */
  async #submit({ epoch, skipped }: Submission, time: LedgerTime, signal: AbortSignal): Promise<boolean> {
    const { own, book, preparation, journal, steps, key, log } = this.#options;
    const record = await book.close(epoch).catch(undefinedWhileItLasts);
    if (!record || record.submitted) return false;
    const prepared = await preparation.prepare(epoch);
    if (prepared === 'stray' || (prepared === 'incomplete' && this.#hasPatience(epoch, time))) return false;
    const { state } = await journal.view(epoch);
    if (state === 'tainted' || signal.aborted) return false;
    if (skipped.length > 0) log.warn({ epoch, skipped }, 'epochs stay without a batch');
    const { count, root, undone = 0 } = record;
    const step = { type: 'submit_batch', key, epoch, count, root } as const;
    const name = `batch:${epoch}${undone > 0 ? `:${undone}` : ''}`;
    const { signature, slot } = await steps.run(name, step, signal);
    own.changed(slot);
    await this.#onLedger(record, { signature, slot });
    return true;
  }

  /** An aggregator that does not answer may hold up a batch for an epoch, when no other is owed. */
  #hasPatience(epoch: number, time: LedgerTime): boolean {
    return time.epoch <= epoch + 1;
  }

  /**
   * Writes down which batches the ledger holds. A batch that this node did not make shows that another has its key; one
   * that the ledger had confirmed and does not hold was undone with its block, and is submitted again.
   */
  async #note({ slot }: OwnReading, agent: AgentAccount): Promise<void> {
    const { book, alarms, log } = this.#options;
    for (const { epoch, count, root } of agent.batches) {
      if (epoch <= this.#noted) continue;
      const record = await book.record(epoch);
      if (!record || record.submitted) continue;
      if (record.root === root && record.count === count) await this.#onLedger(record, { signature: null, slot });
      else
        alarms.raise(
          'foreign-batch',
          `The ledger holds another batch of epoch ${epoch} than this node made: another process signs with its key. Stop one of them.`,
        );
    }
    this.#noted = Math.max(this.#noted, ...agent.batches.map(({ epoch }) => epoch));
    const next = agent.duties ? await book.record(agent.last + 1) : undefined;
    if (!next?.submitted?.slot || next.submitted.slot > slot) return;
    log.warn({ epoch: next.epoch }, 'a confirmed batch is not in the final history of the ledger');
    await book.change(next.epoch, (known) => ({ ...known, submitted: null, undone: (known.undone ?? 0) + 1 }));
  }

  async #onLedger({ epoch }: BatchRecord, how: { signature: string | null; slot: number }): Promise<void> {
    const { book, journal, submitted } = this.#options;
    await journal.submitted(epoch);
    await book.change(epoch, (record, at) => ({ ...record, submitted: { at, ...how } }));
    const record = await book.record(epoch);
    if (record) submitted(record);
  }

  #warn(duty: Duty, agent: AgentAccount | undefined, time: LedgerTime): void {
    const { alarms, settlement } = this.#options;
    if (duty.kind === 'stuck') {
      alarms.raise(
        'batches-stuck',
        `No batch can follow that of epoch ${duty.last} (${duty.reason === 'gap' ? 'too many epochs in a row' : 'too many epochs of the last 32'} are not whole), so this agent will be slashed once. See docs/batches.md, "When nothing can be submitted any more".`,
      );
    } else alarms.clear('batches-stuck');
    const slashableAt = (agent?.last ?? 0) + settlement.numbers.inactiveEpochs;
    if (agent?.duties && time.epoch >= slashableAt - 1) {
      alarms.raise(
        'batches-late',
        `The last batch is of epoch ${agent.last}; from epoch ${slashableAt} on anyone can slash this agent.`,
      );
    } else alarms.clear('batches-late');
  }
}

/** No accusation of this batch is open, and none can come. */
function isSettled(
  { epoch, submitted }: BatchRecord,
  { agent, time, slot }: OwnReading,
  { numbers }: Settlement,
): boolean {
  if (!agent) return true;
  if (agent.open > 0 || (submitted?.slot ?? 0) > slot) return false;
  if (epoch <= agent.settledEpoch) return true;
  const entry = agent.batches.find((batch) => batch.epoch === epoch);
  return !entry || time.unixSeconds > entry.submittedAt + numbers.challengeSecs;
}

function undefinedWhileItLasts(error: unknown): undefined {
  if (isMeshError(error) && error.code === 'conflict') return undefined;
  throw error;
}
