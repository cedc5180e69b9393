import type { Clock } from '../../platform/clock.ts';
import { VERSION } from '../../protocol/reputation/parameters.ts';
import type { Ref } from '../../storage/declarations.ts';
import type { Space } from '../../storage/space.ts';
import { everything } from '../reputation/facts.ts';
import type { ScoreJob } from '../reputation/score-job.ts';
import { Rest } from '../rest.ts';
import { cursorRef, flows } from '../store/flows.ts';
import { organicSeries, organicTotalsRef, type StoredOrganic } from '../store/organic.ts';
import { lastRunRef } from '../store/scores.ts';
import { type OrganicCounts, OrganicSums } from './organic.ts';

interface OrganicParts {
  readonly space: Space;
  readonly clock: Clock;
  /** Tells how much counts of the flow between two agents. */
  readonly scores: Pick<ScoreJob, 'organic' | 'organicAgents'>;
}

/** A count is followed by a pause so many times as long. */
const REST = 10;
/** Pages between two turns of everybody else. */
const PAGES = 4;
const HOUR = 3_600_000;

/**
 * Counts after each run of the scores what of all flows is organic, page by page, and writes the buckets that have changed.
 * A bucket follows the scores as long as the flows hold it, an hour for a day and a day for 30 days, and stays as it is then.
 */
export class OrganicJob {
  readonly #parts: OrganicParts;
  readonly #rest = new Rest(REST);
  #done: string | undefined;
  #due = 0;

  constructor(parts: OrganicParts) {
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
    const [scored, cursor] = await Promise.all([space.get(lastRunRef), space.get(cursorRef)]);
    const state = JSON.stringify([scored?.as_of, cursor?.activity, cursor?.settlements, Math.floor(began / HOUR)]);
    this.#due = Number.POSITIVE_INFINITY;
    if (!scored) return false;
    this.#due = (Math.floor(began / HOUR) + 1) * HOUR;
    if (state === this.#done) return false;
    this.#due = 0;
    const sums = new OrganicSums(began);
    let pages = 0;
    for await (const rows of everything(space, flows)) {
      // Answers of a store in memory and of the scorer's thread come faster than anybody else gets a turn.
      if (++pages % PAGES === 0) await clock.sleep(1, signal);
      signal.throwIfAborted();
      const shares = await scores.organic(rows.map(({ value: { from, to } }) => [from, to]));
      if (!shares) return false;
      for (const [index, { value }] of rows.entries()) sums.add(value, shares[index]!);
    }
    const agents = await scores.organicAgents();
    if (agents === undefined) return false;
    await this.#write(sums, { as_of: scored.as_of, agents });
    this.#done = state;
    this.#rest.begin(began, clock.now());
    return true;
  }

  async #write(sums: OrganicSums, { as_of, agents }: { as_of: number; agents: number }): Promise<void> {
    const { space } = this.#parts;
    const found = [...sums.buckets].map(([id, counts]): [Ref<StoredOrganic>, StoredOrganic] => {
      return [organicSeries.ref(id), storedOf(counts)];
    });
    const known = await space.getMany(found.map(([ref]) => ref));
    const changed = found.filter(([, counts], index) => JSON.stringify(counts) !== JSON.stringify(known[index]));
    await space.tx([], (tx) => {
      for (const [ref, counts] of changed) tx.put(ref, counts);
      tx.put(organicTotalsRef, { ...storedOf(sums.all), agents, as_of });
    });
  }
}

function storedOf({ micro, payments, ratings }: OrganicCounts): StoredOrganic {
  return { version: VERSION, usdc: BigInt(Math.round(micro)).toString(), payments, ratings };
}
