import { type Log, MeshError } from '../../../core/plugin.ts';
import type { Clock, Http, Random, Space } from '../../../core/services.ts';
import { cardUrl, readCard } from './foreign-card.ts';
import { ForeignClient, ForeignFault, type Words } from './foreign-client.ts';
import type { Told } from './foreign-objects.ts';
import { hasEnded, type JobRecord, jobs } from './records.ts';

const MOST_OPEN = 64;
/** Jobs that are looked at together. */
const AT_ONCE = 8;
/** Milliseconds to the next question after a task that works; each lasts twice the one before it. */
const [FIRST_PAUSE, LONGEST_PAUSE] = [2_000, 60_000];
/** Milliseconds for which a task may stay open, or its agent away, before this node stops asking. */
const PATIENCE = 7 * 24 * 3_600_000;
const ID_BYTES = 16;

export interface JobMeans {
  readonly space: Space;
  readonly http: Http;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly tokens: ReadonlyMap<string, string>;
}

/**
 * Work that A2A agents elsewhere do for the owner. Such an agent has no key in the mesh, so a job is no deal: no money moves, and no
 * score. A message is on disk before it is sent, and never sent twice.
 */
export class Jobs {
  readonly #means: JobMeans;
  readonly #client: ForeignClient;

  constructor(means: JobMeans) {
    this.#means = means;
    this.#client = new ForeignClient(means.http, means.tokens, means.signal);
  }

  /** A job that was being sent when the node ended may have arrived; only the agent knows. */
  async open(): Promise<void> {
    const { space } = this.#means;
    for (const { value } of await space.page(jobs, { index: 'open', limit: MOST_OPEN })) {
      if (value.state !== 'sending') continue;
      await this.#change(value.id, (job) => ({ ...job, state: 'unclear', error: LOST }));
    }
  }

  async begin(address: string, message: string): Promise<JobRecord> {
    const { space, http, random, clock, signal } = this.#means;
    const card_url = cardUrl(address);
    const open = await space.page(jobs, { index: 'open', limit: MOST_OPEN });
    if (open.length >= MOST_OPEN)
      throw new MeshError('quota_exceeded', `${MOST_OPEN} jobs are open; cancel one or wait until one has ended.`);
    const agent = await readCard(http, card_url, signal);
    const id = Buffer.from(random.bytes(ID_BYTES)).toString('hex');
    const now = clock.now();
    const times = { created_at: now, updated_at: now, due: now, unanswered: 0 };
    const empty = { task: '', context: '', text: '', artifacts: [], error: null };
    await space.put(jobs.ref(id), { id, card_url, agent, message, state: 'sending', ...empty, ...times });
    const words = { messageId: id, text: message, task: '', context: '' };
    try {
      const told = await this.#client.send(agent, words);
      return await this.#told(id, told);
    } catch (error) {
      if (!(error instanceof ForeignFault)) throw error;
      const state = error.kind === 'unanswered' ? 'unclear' : 'failed';
      return this.#change(id, (job) => ({ ...job, state, error: error.message }));
    }
  }

  async get(id: string): Promise<JobRecord> {
    const found = await this.#means.space.get(jobs.ref(id));
    if (!found) throw new MeshError('not_found', 'There is no such job.');
    return found;
  }

  async list(limit: number, offset: number): Promise<JobRecord[]> {
    const rows = await this.#means.space.page(jobs, { index: 'newest', limit, offset });
    return rows.map(({ value }) => value);
  }

  /** Answers an agent that waits for the owner, or adds something to what it works on. */
  async say(id: string, text: string): Promise<JobRecord> {
    const job = this.#asked(await this.get(id));
    const messageId = Buffer.from(this.#means.random.bytes(ID_BYTES)).toString('hex');
    const words: Words = { messageId, text, task: job.task, context: job.context };
    return this.#asking(job, () => this.#client.send(job.agent, words));
  }

  async cancel(id: string): Promise<JobRecord> {
    const job = this.#asked(await this.get(id));
    return this.#asking(job, () => this.#client.cancel(job.agent, job.task));
  }

  /** Asks the agents of the jobs that are due how they stand. */
  async look(): Promise<void> {
    const { space, clock, log, signal } = this.#means;
    const due = await space.page(jobs, { index: 'due', limit: AT_ONCE });
    const now = clock.now();
    await Promise.all(
      due
        .filter(({ value }) => value.due <= now)
        .map(({ value }) =>
          this.#lookAt(value).catch((error: unknown) => {
            if (!signal.aborted) log.warn({ err: error, job: value.id }, 'a job elsewhere was not looked at');
          }),
        ),
    );
  }

  async #lookAt({ id, agent, task }: JobRecord): Promise<void> {
    const { clock } = this.#means;
    try {
      await this.#told(id, await this.#client.task(agent, task));
    } catch (error) {
      if (!(error instanceof ForeignFault)) throw error;
      await this.#change(id, (job) => {
        const unanswered = job.unanswered + 1;
        const isOver = clock.now() - job.updated_at > PATIENCE;
        const error_ = isOver ? `${error.message} This node no longer asks.` : error.message;
        const due = clock.now() + pauseAfter(unanswered);
        return { ...job, unanswered, due, error: error_, ...(isOver && { state: 'unclear' as const }) };
      });
    }
  }

  /** A job that the agent knows and that has not ended. */
  #asked(job: JobRecord): JobRecord {
    if (hasEnded(job.state)) throw new MeshError('conflict', `The job has ended: ${job.state}.`);
    if (job.task === '') throw new MeshError('conflict', 'The agent has not answered yet.');
    return job;
  }

  async #asking({ id }: JobRecord, ask: () => Promise<Told>): Promise<JobRecord> {
    try {
      return await this.#told(id, await ask());
    } catch (error) {
      if (!(error instanceof ForeignFault)) throw error;
      // It may have arrived: the next look tells.
      await this.#change(id, (job) => ({ ...job, due: this.#means.clock.now() }));
      if (error.kind === 'refused') throw new MeshError('conflict', error.message);
      throw new MeshError(
        'upstream_failed',
        `The agent did not answer: ${error.message} GET the job to see how it stands.`,
      );
    }
  }

  #told(id: string, told: Told): Promise<JobRecord> {
    const { clock } = this.#means;
    return this.#change(id, (job) => {
      const now = clock.now();
      const task = told.task === '' ? job.task : told.task;
      const isOther = job.task !== '' && task !== job.task;
      // Another task than the one that was asked about tells nothing about it.
      if (isOther) return { ...job, due: now + LONGEST_PAUSE, error: 'The agent answered with another task.' };
      const { state, text, artifacts, error } = told;
      const isSame = state === job.state && text === job.text && artifacts.length === job.artifacts.length;
      const updated_at = isSame ? job.updated_at : now;
      const known = { task, context: told.context === '' ? job.context : told.context };
      const due = now + pauseAfter(Math.ceil((now - updated_at) / LONGEST_PAUSE) + 1);
      const isOver = !hasEnded(state) && now - updated_at > PATIENCE;
      const end = isOver
        ? { state: 'unclear' as const, error: `It has been ${state} for a week. This node no longer asks.` }
        : {};
      return { ...job, ...known, state, text, artifacts, error, updated_at, due, unanswered: 0, ...end };
    });
  }

  async #change(id: string, change: (job: JobRecord) => JobRecord): Promise<JobRecord> {
    const ref = jobs.ref(id);
    const { value } = await this.#means.space.tx([ref], (tx) => {
      const before = tx.get(ref);
      if (!before) throw new MeshError('not_found', 'There is no such job.');
      if (hasEnded(before.state)) return before;
      const after = change(before);
      tx.put(ref, after);
      return after;
    });
    return value;
  }
}

const LOST = 'The node ended while it sent the message. The agent may work on it; it is not sent again.';

function pauseAfter(times: number): number {
  return Math.min(FIRST_PAUSE * 2 ** Math.min(times - 1, 10), LONGEST_PAUSE);
}
