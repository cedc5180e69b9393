import { isMeshError } from '../../contracts/errors.ts';
import type { LedgerTime, Settlement } from '../../ledger/settlement.ts';
import type { SettlementActions } from '../../ledger/settlement-actions.ts';
import { fromHex, toHex } from '../../platform/bytes.ts';
import type { Log } from '../../platform/log.ts';
import { examine, type Finding } from '../../protocol/batches/evidence.ts';
import { findList, type LeafArchive } from '../../protocol/batches/leaf-archive.ts';
import type { LeafList } from '../../protocol/batches/leaf-list.ts';
import type { SignedHeader } from '../../protocol/envelopes/envelope.ts';
import { seqOfNonce } from '../../protocol/envelopes/epochs.ts';
import { encodeHeader, envelopeId } from '../../protocol/envelopes/header.ts';
import type { Network } from '../../protocol/identity/network.ts';
import type { AccusationAccount } from '../../protocol/settlement/accounts.ts';
import type { Found } from '../../storage/pages.ts';
import type { Space } from '../../storage/space.ts';
import { DepositBudget } from './deposit-budget.ts';
import { heldHeaders } from './held-headers.ts';
import {
  type AccusationRecord,
  accusationName,
  accusations,
  changeAccusation,
  closeAccusation,
  isOpen,
  type SuspectBatch,
  suspects,
} from './watch-records.ts';

export interface AccusationJobOptions {
  readonly space: Space;
  readonly settlement: Settlement;
  readonly steps: SettlementActions;
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
const OPEN = 100;
/** Looks at a batch whose leaves nobody shows, before it is let go or accused blindly. */
const MOST_TRIES = 5;
/** An accusation that is missing this many slots after it was made, without a slash, was answered. */
const SURE_SLOTS = 64;

/** Nothing is left to do about a batch; look again; go on with what was begun, at the next run. */
type Step = 'done' | 'again' | 'soon';

/** Compares the batches of others with the envelopes it holds of them, accuses who left one out, and convicts. */
export class AccusationJob {
  readonly #options: AccusationJobOptions;
  readonly #budget: DepositBudget;

  constructor(options: AccusationJobOptions) {
    this.#options = options;
    this.#budget = new DepositBudget(options);
  }

  /** Examines every due batch and pursues every accusation of this node; one that fails does not stop the others. */
  async run(now: number, signal: AbortSignal): Promise<void> {
    const { space, settlement, key } = this.#options;
    const batches = await space.page(suspects, { index: 'due', to: [now], limit: PAGE });
    const open = await space.page(accusations, { index: 'open', limit: OPEN });
    const own = open.filter(({ value }) => value.accuser === key);
    if (batches.length === 0 && own.length === 0) return;
    const time = await settlement.time();
    const failures: unknown[] = [];
    const duties = [
      ...batches.map((row) => () => this.#examine(row, time, now, signal)),
      ...own.map(
        ({ id }) =>
          () =>
            this.#pursue(id, time, signal),
      ),
    ];
    for (const duty of duties) if (!signal.aborted) await duty().catch((error: unknown) => failures.push(error));
    if (failures.length > 0 && !signal.aborted) throw failures[0];
  }

  async #examine(
    { id, value }: Found<SuspectBatch>,
    time: LedgerTime,
    now: number,
    signal: AbortSignal,
  ): Promise<void> {
    const { space, pause } = this.#options;
    const step = await this.#compare(value, time, signal);
    if (step === 'done') return space.del(suspects.ref(id));
    const tries = value.tries + (step === 'again' ? 1 : 0);
    await space.put(suspects.ref(id), { ...value, tries, due: now + pause });
  }

  async #compare(batch: SuspectBatch, time: LedgerTime, signal: AbortSignal): Promise<Step> {
    const { space, settlement, blind } = this.#options;
    const { key, epoch } = batch;
    const { value } = await settlement.agents([key], Math.max(time.slot, batch.slot ?? 0));
    const agent = value[0];
    const staked = agent?.state === 'active' || agent?.state === 'leaving';
    const entry = agent?.batches.find((one) => one.epoch === epoch && one.root === batch.root);
    if (!agent || !staked || !entry || epoch <= agent.settledEpoch) return 'done';
    let list: LeafList | undefined;
    let asked = false;
    let complete = true;
    for await (const header of heldHeaders(space, key, epoch)) {
      if (!asked) list = await this.#list(key, epoch, entry.root);
      asked = true;
      const finding = findingOf(header, entry, list);
      if (finding.kind === 'contained') continue;
      const guessing = finding.kind === 'unknown';
      if (!guessing || (blind && batch.tries >= MOST_TRIES)) return this.#accuse(header, finding, batch, time, signal);
      complete = false;
    }
    return complete || (batch.tries >= MOST_TRIES && !blind) ? 'done' : 'again';
  }

  /** Announces first, and some slots later accuses: who copies a proof has announced nothing. */
  async #accuse(
    header: SignedHeader,
    finding: Finding,
    batch: SuspectBatch,
    time: LedgerTime,
    signal: AbortSignal,
  ): Promise<Step> {
    const { space, steps, log, settlement, key: own } = this.#options;
    const { key, epoch } = batch;
    const id = toHex(envelopeId(header));
    const ref = accusations.ref(accusationName(key, id));
    const known = await space.get(ref);
    const mine = known?.accuser === own ? known : undefined;
    if (mine?.state === 'open') return 'done';
    if (mine?.state !== 'announced') {
      // A number outside of the batch convicts at once, without a deposit.
      if (finding.kind !== 'outside' && !(await this.#budget.allows(time.unixSeconds))) {
        log.warn({ key, id }, 'an accusation has to wait: core.watch.deposits is used up');
        return 'again';
      }
      const step = { type: 'announce', key, id } as const;
      const { slot } = await steps.run(`announce:${key}:${id}:${batch.tries}`, step, signal);
      const index = seqOfNonce(header.nonce) - 1;
      const record = { key, id, epoch, index, accuser: own, at: time.unixSeconds, slot, state: 'announced' } as const;
      await space.put(ref, record);
      return 'soon';
    }
    if (time.slot < (mine.slot ?? 0) + settlement.numbers.announceSlots) return 'soon';
    const step = { type: 'accuse', key, header: encodeHeader(header), signature: header.signature } as const;
    try {
      const { slot } = await steps.run(`accuse:${key}:${id}:${mine.slot}`, step, signal);
      await changeAccusation(space, mine, (record) => ({ ...record, slot, state: 'open' }));
    } catch (error) {
      if (isMeshError(error) && error.code === 'deadline_not_reached') return 'soon';
      if (!isRefused(error)) throw error;
      log.info({ key, id, reason: error.message }, 'an accusation was not taken');
      await this.#retract(mine, signal);
      return 'done';
    }
    log.warn({ key, id, finding: finding.kind }, 'an agent was accused of leaving out an envelope');
    return 'done';
  }

  /** Takes back an announcement that nothing follows, with its rent. */
  async #retract(record: AccusationRecord, signal: AbortSignal): Promise<void> {
    const { space, steps } = this.#options;
    const { key, id, slot } = record;
    await steps.run(`retract:${key}:${id}:${slot}`, { type: 'retract', key, id }, signal).catch((error: unknown) => {
      if (!isRefused(error)) throw error;
    });
    await space.del(accusations.ref(accusationName(key, id)));
  }

  /** Retracts an announced accusation whose batch is suspect no more, convicts an open one, closes one that is over. */
  async #pursue(name: string, time: LedgerTime, signal: AbortSignal): Promise<void> {
    const { space, settlement } = this.#options;
    const record = await space.get(accusations.ref(name));
    if (!record || !isOpen(record)) return;
    const { key, id, epoch, slot: since = 0 } = record;
    if (record.state === 'announced') {
      if (!(await space.get(suspects.ref(`${key}:${epoch}`)))) await this.#retract(record, signal);
      return;
    }
    const { slot, value } = await settlement.accusations([{ key, id }], Math.max(time.slot, since));
    const account = value[0];
    if (account?.accuser === this.#options.key) return this.#convict(record, account, time, signal);
    if (slot <= since) return;
    const agent = (await settlement.agents([key], slot)).value[0];
    if (agent && agent.settledEpoch >= epoch) return closeAccusation(space, record, 'convicted');
    if (agent?.open === 0 || slot > since + SURE_SLOTS) await closeAccusation(space, record, 'answered');
  }

  async #convict(
    record: AccusationRecord,
    account: AccusationAccount,
    time: LedgerTime,
    signal: AbortSignal,
  ): Promise<void> {
    const { settlement, steps, log } = this.#options;
    const { key, id } = record;
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
      await steps.run(`convict:${key}:${id}:${account.slot}`, { ...step, ...shown }, signal);
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
