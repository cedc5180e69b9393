import type { Clock, Random } from '../../platform/clock.ts';
import type { OrganicShare } from '../../protocol/reputation/between.ts';
import { VERSION } from '../../protocol/reputation/parameters.ts';
import type { Rescored } from '../../protocol/reputation/scorer.ts';
import { inPassing } from '../../storage/declarations.ts';
import type { Space } from '../../storage/space.ts';
import type { Epochs } from '../epochs.ts';
import { JobLease } from '../job-lease.ts';
import { restAfter } from '../rest.ts';
import { agents, type StoredAgent } from '../store/agents.ts';
import { explanations, lastRunRef, SCORING_MS, scoreChanges, scoringRef } from '../store/scores.ts';
import { agentsOf, allAgents, allPairs, pairsOf, sizeOf } from './facts.ts';
import { type Changed, type Cursor, changedSince, endsOf, nextNews } from './news.ts';
import { type AgentPairs, ScoreThread, type ScoringPlace, scoreHere } from './score-thread.ts';

export interface ScoreJobParts {
  readonly space: Space;
  readonly epochs: Epochs;
  readonly clock: Clock;
  readonly random: Random;
  /** Agents that the configuration lists as ordinary buyers. */
  readonly anchors: readonly string[];
  /** Agents and pairs from which on a thread of its own computes; 1,000 unless given. */
  readonly here?: number;
}

/** Agents and pairs that are scored in a millisecond or two. */
const HERE = 1_000;
/**
 * Agents learned or written at once: few enough that other work does not wait for them. Changed agents lie anywhere
 * in the store, so each of them may be a read of its own.
 */
const LEARNED = 8;
const WRITTEN = 4;
/** Changes within this time are scored together. */
const GATHER_MS = 100;
/** A run is followed by a pause so many times as long. */
const REST = 10;

/**
 * Keeps the scores of everybody up to date, in this process or in another one that shares the store: a pause after each
 * run keeps it below a tenth of one core, and what a run has changed is written in small steps.
 */
export class ScoreJob {
  readonly #parts: ScoreJobParts;
  readonly #lease: JobLease;
  #place: ScoringPlace | undefined;
  #isThread = false;
  /** Agents and pairs that it knows. */
  #size = 0;
  #cursor: Cursor = { activity: 0, changes: 0 };
  #epoch = -1;

  constructor(parts: ScoreJobParts) {
    this.#parts = parts;
    this.#lease = new JobLease({ ...parts, ref: scoringRef });
  }

  get #here(): number {
    return this.#parts.here ?? HERE;
  }

  /** Until the signal is aborted. */
  async follow(signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    try {
      while (!signal.aborted) {
        const began = clock.now();
        const mine = await this.update(signal);
        await this.#rest(mine ? restAfter(clock.now() - began, REST) : SCORING_MS / 3, signal);
        if (mine) await this.#news(signal);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      await this.close();
    }
  }

  /** Brings all scores up to what is stored now; false when another process does. */
  async update(signal: AbortSignal): Promise<boolean> {
    if (!(await this.#lease.hold())) {
      await this.#forget();
      return false;
    }
    try {
      await this.#score(signal);
    } catch (error) {
      // The scorer may have learned half of the changes.
      await this.#forget();
      throw error;
    }
    return true;
  }

  /**
   * How much counts of what went between pairs of agents, by its last run; undefined while another process scores, and before
   * the first run.
   */
  organic(pairs: AgentPairs): Promise<readonly OrganicShare[] | undefined> {
    return this.#asked((place) => place.organic(pairs));
  }

  /** How many agents paid or were paid something that counts; undefined likewise. */
  organicAgents(): Promise<number | undefined> {
    return this.#asked((place) => place.organicAgents());
  }

  /** Ends its thread, and lets another process score. */
  async close(): Promise<void> {
    await this.#forget();
    await this.#lease.release();
  }

  async #score(signal: AbortSignal): Promise<void> {
    const { space, epochs, clock, anchors } = this.#parts;
    const asOf = clock.now();
    const epoch = epochs.at(asOf);
    const known = this.#place !== undefined;
    const changed = known ? await changedSince(space, this.#cursor) : undefined;
    if (changed && changed.agents.size === 0 && epoch === this.#epoch) {
      this.#cursor = changed.upTo;
      return;
    }
    const told = changed ? changed.agents : await this.#toldSinceLastRun();
    const isHere = changed ? await this.#learnChanges(changed) : await this.#learnAll(signal);
    // The mesh has grown: from now on a thread of its own computes.
    if (!isHere) {
      this.#isThread = true;
      await this.#learnAll(signal);
    }
    const { yardstick, size } = await this.#place!.run(epoch, anchors, told && [...told]);
    this.#size = size;
    for (;;) {
      await this.#lease.hold();
      const some = await this.#place!.next(WRITTEN);
      if (some.length === 0) break;
      signal.throwIfAborted();
      await this.#write(some);
    }
    this.#epoch = epoch;
    const upTo = this.#cursor;
    await space.tx([], (tx) => {
      tx.put(lastRunRef, { as_of: asOf, epoch, yardstick_usdc: yardstick, version: VERSION, read: upTo });
      if (upTo.changes > 0) tx.trim(scoreChanges, upTo.changes);
    });
  }

  /** The agents whose explanations are older than their facts; null where the last run did not write down what it had read. */
  async #toldSinceLastRun(): Promise<Changed['agents'] | null> {
    const { space } = this.#parts;
    const last = await space.get(lastRunRef);
    return last?.read ? (await changedSince(space, last.read)).agents : null;
  }

  /** False as soon as it is more than is scored here. */
  async #learnAll(signal: AbortSignal): Promise<boolean> {
    const { space } = this.#parts;
    // Learned here, it would be learned again.
    this.#isThread ||= (await sizeOf(space)) > this.#here;
    await this.#place?.close();
    this.#place = this.#isThread ? new ScoreThread() : scoreHere();
    this.#size = 0;
    this.#cursor = await endsOf(space);
    for await (const some of allAgents(space)) {
      signal.throwIfAborted();
      await this.#lease.hold();
      if (!(await this.#learn(some, []))) return false;
    }
    for await (const some of allPairs(space)) {
      signal.throwIfAborted();
      await this.#lease.hold();
      if (!(await this.#learn([], some))) return false;
    }
    return true;
  }

  async #learnChanges({ agents: keys, pairs, upTo }: Changed): Promise<boolean> {
    const { space } = this.#parts;
    let isHere = true;
    for (const some of slices([...keys])) isHere = await this.#learn(await agentsOf(space, some), []);
    for (const some of slices([...pairs])) isHere = await this.#learn([], await pairsOf(space, some));
    this.#cursor = upTo;
    return isHere;
  }

  /** False when that makes more than is scored here. */
  async #learn(
    ...[known, pairs]: [Awaited<ReturnType<typeof agentsOf>>, Awaited<ReturnType<typeof pairsOf>>]
  ): Promise<boolean> {
    this.#size += known.length + pairs.length;
    await this.#place!.learn({ agents: known, pairs });
    return this.#isThread || this.#size <= this.#here;
  }

  async #write(some: readonly Rescored[]): Promise<void> {
    // They are everybody: kept in memory for a next look, each would be copied by the collector and let go when it is old.
    const refs = some.map(({ id }) => inPassing(agents.ref(id)));
    await this.#parts.space.tx(refs, (tx) => {
      for (const [index, { id, score, rank, explanation }] of some.entries()) {
        const agent = tx.get(refs[index]!) as StoredAgent | undefined;
        if (!agent) continue;
        tx.put(refs[index]!, { ...agent, standing: { ...agent.standing, score, rank } });
        tx.put(explanations.ref(id), { ...explanation, raters: explanation.raters.map((rater) => ({ ...rater })) });
      }
    });
  }

  /** Until something changes, or an epoch ends: then everything fades a little. */
  async #news(signal: AbortSignal): Promise<void> {
    const { space, clock, epochs } = this.#parts;
    const heard = new AbortController();
    const until = AbortSignal.any([signal, heard.signal]);
    const left = (this.#epoch + 1) * epochs.ms - clock.now();
    try {
      await Promise.race([nextNews(space, this.#cursor, until), clock.sleep(Math.max(1, left), until)]);
    } finally {
      heard.abort();
    }
    await this.#rest(GATHER_MS, signal);
  }

  #rest(ms: number, signal: AbortSignal): Promise<void> {
    return ms > 0 ? this.#parts.clock.sleep(ms, signal) : Promise.resolve();
  }

  async #asked<T>(ask: (place: ScoringPlace) => Promise<T | undefined>): Promise<T | undefined> {
    const place = this.#place;
    if (!place) return undefined;
    return ask(place).catch((error: unknown) => {
      if (this.#place === place) throw error;
      // Its thread was ended meanwhile.
      return undefined;
    });
  }

  async #forget(): Promise<void> {
    const place = this.#place;
    this.#place = undefined;
    this.#epoch = -1;
    await place?.close();
  }
}

function slices<T>(all: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(all.length / LEARNED) }, (_, n) => all.slice(n * LEARNED, (n + 1) * LEARNED));
}
