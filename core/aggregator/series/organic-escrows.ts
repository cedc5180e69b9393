import type { Clock } from '../../platform/clock.ts';
import { VERSION } from '../../protocol/reputation/parameters.ts';
import type { Space } from '../../storage/space.ts';
import type { ScoreJob } from '../reputation/score-job.ts';
import { Rest } from '../rest.ts';
import { escrows, heldStateOf, ledgerEvents } from '../store/ledger.ts';
import { organicEscrowsRef } from '../store/organic.ts';
import { lastRunRef } from '../store/scores.ts';

interface Parts {
  readonly space: Space;
  readonly clock: Clock;
  readonly scores: Pick<ScoreJob, 'organic'>;
}

const PAGE = 50;
/** Pages between two turns of everybody else. */
const PAGES = 4;
/** A count is followed by a pause so many times as long. */
const REST = 10;

/**
 * Counts what is organic of the escrows that hold money, after each run of the scores and each step on the ledger. An escrow counts when
 * money that counts went between its two agents before; the same share of its amount counts as of what was paid.
 */
export class OrganicEscrows {
  readonly #parts: Parts;
  readonly #rest = new Rest(REST);
  #done: string | undefined;
  #due = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** After a run: when there is something to count again while the store stays as it is. */
  get due(): number {
    return this.#due;
  }

  /** False when nothing was counted: nothing has changed, it rests, or another process scores. */
  async run(signal: AbortSignal): Promise<boolean> {
    const { space, clock, scores } = this.#parts;
    const began = clock.now();
    this.#due = this.#rest.until;
    if (!this.#rest.isOver(began)) return false;
    const [scored, [step]] = await Promise.all([space.get(lastRunRef), space.page(ledgerEvents, { limit: 1 })]);
    const state = JSON.stringify([scored?.as_of, step?.id]);
    this.#due = Number.POSITIVE_INFINITY;
    if (!scored || state === this.#done) return false;
    this.#due = 0;
    const counts = { locked: 0, delivered: 0, disputed: 0 };
    let micro = 0;
    let after: { key: string; id: string } | undefined;
    for (let page = 1; ; page += 1) {
      const rows = await space.page(escrows, { index: 'held', limit: PAGE, after });
      const shares = await scores.organic(rows.map(({ value }) => [value.requester, value.provider]));
      if (!shares) return false;
      for (const [index, { value }] of rows.entries()) {
        const { paid, rated } = shares[index]!;
        if (!rated) continue;
        counts[heldStateOf(value)] += 1;
        micro += Number(value.amount) * paid;
      }
      after = rows.at(-1);
      if (rows.length < PAGE) break;
      if (page % PAGES === 0) await clock.sleep(1, signal);
      signal.throwIfAborted();
    }
    const found = { version: VERSION, as_of: began, ...counts, usdc: BigInt(Math.round(micro)).toString() };
    await space.tx([], (tx) => tx.put(organicEscrowsRef, found));
    this.#done = state;
    this.#rest.begin(began, clock.now());
    return true;
  }
}
