import { largeTree } from '../../behavior/large-tree.ts';
import { leafOf } from '../../behavior/leaf-list.ts';
import { toHex } from '../../bytes.ts';
import type { Clock } from '../../clock.ts';
import { isMeshError } from '../../errors.ts';
import type { LedgerSteps } from '../../ledger/ledger-steps.ts';
import type { Settlement } from '../../ledger/settlement.ts';
import type { SettlementStep } from '../../ledger/settlement-steps.ts';
import type { Log } from '../../log.ts';
import type { Count } from '../../ports.ts';
import { accusationRef, accusations, type StoredAccusation } from '../store/accusations.ts';
import { leafListRef } from '../store/leaves.ts';
import { aPause, type LeafParts, readLeaves } from './keeping.ts';

export interface AnswerParts extends LeafParts {
  readonly settlement: Settlement;
  readonly steps: LedgerSteps;
  readonly clock: Clock;
  readonly log: Log;
  /** By result: `answered`, `failed`, `unanswerable`. */
  readonly answered: Count;
}

const PAGE = 50;
const FIRST_PAUSE_MS = 10_000;
const MAX_PAUSE_MS = 3_600_000;

/**
 * Answers open accusations from the leaf lists kept here. Anyone may answer, so nothing is lost when several do: the
 * first one lands, and an accusation that is gone from the ledger is forgotten.
 */
export class AccusationAnswers {
  readonly #parts: AnswerParts;

  constructor(parts: AnswerParts) {
    this.#parts = parts;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { space, clock, log } = this.#parts;
    const due = await space.page(accusations, { index: 'next', to: [clock.now() + 1], limit: PAGE });
    for (const { value } of due) {
      if (signal.aborted) return;
      try {
        if (await this.#settled(value, signal)) await space.del(accusationRef(value.key, value.id));
        else await this.#later(value);
      } catch (error) {
        if (signal.aborted) return;
        log.warn({ agent: value.key, envelope: value.id, reason: String(error) }, 'an accusation was not answered yet');
        await this.#later(value);
      }
    }
  }

  /** Whether nothing is left to do about it. */
  async #settled({ key, id, epoch, index }: StoredAccusation, signal: AbortSignal): Promise<boolean> {
    const { space, blobs, settlement, answered } = this.#parts;
    const account = await settlement.accusation(key, id);
    if (!account) return true;
    const list = await space.get(leafListRef(key, epoch));
    if (!list || list.root !== account.root) return false;
    const leaves = await readLeaves(blobs, list);
    if (!leaves) return false;
    const leaf = leafOf(leaves, index + 1);
    if (!leaf || toHex(leaf) !== id) {
      answered({ result: 'unanswerable' });
      return true;
    }
    const siblings = (await largeTree(leaves, aPause)).path(index);
    await this.#answer({ type: 'answer', key, id, accuser: account.accuser, siblings }, signal);
    return true;
  }

  async #answer(step: Extract<SettlementStep, { type: 'answer' }>, signal: AbortSignal): Promise<void> {
    const { steps, answered } = this.#parts;
    try {
      await steps.run(`answer:${step.id}`, step, signal);
      answered({ result: 'answered' });
    } catch (error) {
      // Somebody else was first.
      if (isMeshError(error) && error.code === 'not_found') return;
      answered({ result: 'failed' });
      throw error;
    }
  }

  async #later(accusation: StoredAccusation): Promise<void> {
    const { space, clock } = this.#parts;
    const ref = accusationRef(accusation.key, accusation.id);
    await space.tx([ref], (tx) => {
      const known = tx.get(ref);
      if (!known) return;
      const pause = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(known.tries, 20), MAX_PAUSE_MS);
      tx.put(ref, { ...known, tries: known.tries + 1, next_try: clock.now() + pause });
    });
  }
}
