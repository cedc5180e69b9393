import { examine, type Finding } from '../../behavior/evidence.ts';
import { findList, type LeafArchive } from '../../behavior/leaf-archive.ts';
import type { LeafList } from '../../behavior/leaf-list.ts';
import { fromHex, toHex } from '../../bytes.ts';
import type { SignedHeader } from '../../envelopes/envelope.ts';
import { seqOfNonce } from '../../envelopes/epochs.ts';
import { encodeHeader, envelopeId } from '../../envelopes/header.ts';
import { isMeshError } from '../../errors.ts';
import type { Network } from '../../identity/network.ts';
import type { LedgerSteps } from '../../ledger/ledger-steps.ts';
import type { LedgerTime, Settlement } from '../../ledger/settlement.ts';
import type { Log } from '../../log.ts';
import type { Space } from '../../storage/space.ts';
import { DepositBudget } from './deposit-budget.ts';
import { heldHeaders } from './held-headers.ts';
import { type AccusationRecord, accusations, closeAccusation, type SuspectBatch, suspects } from './watch-records.ts';

export interface ProsecutionOptions {
  readonly space: Space;
  readonly settlement: Settlement;
  readonly steps: LedgerSteps;
  readonly archives: readonly LeafArchive[];
  readonly network: Network;
  /** This node's wallet. */
  readonly key: string;
  /** Accuse, too, where no list of the leaves is to be had: the answer costs the deposit. */
  readonly blind: boolean;
  /** Lamports that may be put down in 30 days. */
  readonly deposits: bigint;
  /** Milliseconds until a batch without a list is looked at again. */
  readonly pause: number;
  readonly log: Log;
}

const PAGE = 20;
/** Looks at a batch whose leaves nobody shows, before it is let go or accused blindly. */
const MOST_TRIES = 5;

/** Compares the batches of others with the envelopes it holds of them, accuses who left one out, and convicts. */
export class Prosecution {
  readonly #options: ProsecutionOptions;
  readonly #budget: DepositBudget;

  constructor(options: ProsecutionOptions) {
    this.#options = options;
    this.#budget = new DepositBudget(options);
  }

  async run(now: number, signal: AbortSignal): Promise<void> {
    const { space, settlement } = this.#options;
    for (const { id, value } of await space.page(suspects, { index: 'due', to: [now], limit: PAGE })) {
      if (signal.aborted) return;
      const done = await this.#compare(value, signal);
      const next = { ...value, tries: value.tries + 1, due: now + this.#options.pause };
      if (done) await space.del(suspects.ref(id));
      else await space.put(suspects.ref(id), next);
    }
    const time = await settlement.time();
    for (const { value } of await space.page(accusations, { index: 'open', limit: PAGE })) {
      if (!signal.aborted && value.accuser === this.#options.key) await this.#convict(value, time, signal);
    }
  }

  /** False while the batch has to be looked at again. */
  async #compare(batch: SuspectBatch, signal: AbortSignal): Promise<boolean> {
    const { space, settlement, blind } = this.#options;
    const { key, epoch } = batch;
    const agent = await settlement.agent(key);
    const staked = agent?.state === 'active' || agent?.state === 'leaving';
    const entry = agent?.batches.find((one) => one.epoch === epoch && one.root === batch.root);
    if (!agent || !staked || !entry || epoch <= agent.settledEpoch) return true;
    let list: LeafList | undefined;
    let asked = false;
    let complete = true;
    for await (const header of heldHeaders(space, key, epoch)) {
      if (!asked) list = await this.#list(key, epoch, entry.root);
      asked = true;
      const finding = findingOf(header, entry, list);
      if (finding.kind === 'contained') continue;
      const guessing = finding.kind === 'unknown';
      if (!guessing || (blind && batch.tries >= MOST_TRIES)) return this.#accuse(key, header, finding, signal);
      complete = false;
    }
    return complete || (batch.tries >= MOST_TRIES && !blind);
  }

  /** False when there was no budget for it now. */
  async #accuse(key: string, header: SignedHeader, finding: Finding, signal: AbortSignal): Promise<boolean> {
    const { steps, log } = this.#options;
    const id = toHex(envelopeId(header));
    // A number outside of the batch convicts at once, without a deposit.
    if (finding.kind !== 'outside' && !(await this.#budget.allows())) {
      log.warn({ key, id }, 'an accusation has to wait: core.watch.deposits is used up');
      return false;
    }
    const step = { type: 'accuse', key, header: encodeHeader(header), signature: header.signature } as const;
    try {
      await steps.run(`accuse:${id}`, step, signal);
    } catch (error) {
      if (!isRefused(error)) throw error;
      log.info({ key, id, reason: error.message }, 'an accusation was not taken');
      return true;
    }
    log.warn({ key, id, finding: finding.kind }, 'an agent was accused of leaving out an envelope');
    return true;
  }

  async #convict(record: AccusationRecord, time: LedgerTime, signal: AbortSignal): Promise<void> {
    const { space, settlement, steps, log } = this.#options;
    const { key, id } = record;
    const account = await settlement.accusation(key, id);
    if (!account) return closeAccusation(space, record, 'convicted');
    const { responseSecs, responseSlots } = settlement.numbers;
    const late = time.unixSeconds > account.accusedAt + responseSecs && time.slot >= account.slot + responseSlots;
    const list = late ? undefined : await this.#list(key, record.epoch, account.root);
    const header = { seq: record.index + 1, id: fromHex(id, 32)! };
    const finding = examine(header, account, list);
    if (!late && finding.kind !== 'replaced') return;
    const { accuser } = account;
    const step = { type: 'convict', key, id, accuser } as const;
    const shown = finding.kind === 'replaced' ? { other: { leaf: finding.leaf, siblings: finding.siblings } } : {};
    try {
      await steps.run(`convict:${id}`, { ...step, ...shown }, signal);
    } catch (error) {
      if (!isRefused(error)) throw error;
      log.info({ key, id, reason: error.message }, 'a conviction was not taken');
    }
  }

  #list(key: string, epoch: number, root: string): Promise<LeafList | undefined> {
    const { archives, network } = this.#options;
    return findList(archives, { key, epoch, root }, network);
  }
}

function findingOf(header: SignedHeader, batch: { count: number; root: string }, list: LeafList | undefined): Finding {
  return examine({ seq: seqOfNonce(header.nonce), id: envelopeId(header) }, batch, list);
}

/** The ledger refused, so there is nothing to gain by trying again: answered, settled, or done by somebody else. */
function isRefused(error: unknown): error is Error {
  return isMeshError(error) && ['conflict', 'not_found', 'deadline_passed', 'invalid_request'].includes(error.code);
}
