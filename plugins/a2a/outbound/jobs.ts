import { createHash } from 'node:crypto';
import { type Log, MeshError } from '../../../core/plugin.ts';
import type { Clock, Http, Random, Signatures, Space } from '../../../core/services.ts';
import { cardUrl, readCard } from './foreign-card.ts';
import { ForeignClient, ForeignFault, type Words } from './foreign-client.ts';
import type { Told } from './foreign-objects.ts';
import { type ForeignAgent, hasEnded, type JobRecord, jobs, MOST_SAID } from './records.ts';

const MOST_OPEN = 64;
/** Jobs that are looked at together. */
const AT_ONCE = 8;
/** Milliseconds to the next question after a task that works; each lasts twice the one before it. */
const [FIRST_PAUSE, LONGEST_PAUSE] = [2_000, 60_000];
/** Milliseconds for which a task may stay open, or its agent away, before this node stops asking. */
const PATIENCE = 7 * 24 * 3_600_000;
/** Milliseconds after which a message is no longer being sent, whatever became of it. */
const LONGEST_CALL = 120_000;
const PAGE = 64;
const ID_BYTES = 16;

export interface JobMeans {
  readonly space: Space;
  readonly http: Http;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly tokens: ReadonlyMap<string, string>;
  readonly signatures: Signatures;
  /** The mesh of this node. */
  readonly network: string;
  /** Gives tasks to agents alone whose card a key of their own host has signed. */
  readonly signedOnly: boolean;
}

/**
 * Work that A2A agents elsewhere do for the owner. Such an agent has no key in the mesh, so a job is no deal: no money moves, and no
 * score. A message is on disk before it is sent, and never sent twice.
 */
export class Jobs {
  readonly #means: JobMeans;
  readonly #client: ForeignClient;
  /** Jobs whose card is being read. */
  readonly #reading = new Set<string>();
  /** Calls count the open jobs one after another, so that those at once do not pass the bound. */
  #counted: Promise<unknown> = Promise.resolve();

  constructor(means: JobMeans) {
    this.#means = means;
    this.#client = new ForeignClient(means.http, means.tokens, means.signal);
  }

  /** A job that was being sent when the node ended may have arrived; only the agent knows. Another process may still send it, and tells. */
  async open(): Promise<void> {
    for (let after: string | undefined; ; ) {
      const from = after === undefined ? {} : { from: [`${after}\u0000`] as [string] };
      const rows = await this.#means.space.page(jobs, { index: 'open', limit: PAGE, ...from });
      for (const { value } of rows) if (value.state === 'sending') await this.#change(value.id, lost);
      after = rows.at(-1)?.value.id;
      if (after === undefined || rows.length < PAGE) return;
    }
  }

  /** Gives an agent a task; the job that an operation began before, when the operation comes again. */
  async begin(address: string, message: string, operation: string | undefined): Promise<JobRecord> {
    const { space, clock, signal } = this.#means;
    const card_url = cardUrl(address);
    const id = this.#idOf('job', operation);
    const known = await space.get(jobs.ref(id));
    if (known) return known;
    await this.#enter(id);
    let agent: ForeignAgent;
    try {
      agent = await readCard(this.#means, card_url);
      const now = clock.now();
      const times = { created_at: now, updated_at: now, due: now + LONGEST_CALL, unanswered: 0 };
      const empty = { task: '', context: '', text: '', artifacts: [], error: null };
      const job: JobRecord = { id, card_url, agent, message, state: 'sending', ...empty, ...times };
      const ref = jobs.ref(id);
      const { value } = await space.tx([ref], (tx) => {
        const before = tx.get(ref);
        if (!before) tx.put(ref, job);
        return before;
      });
      // Another process began the same operation meanwhile, and sends.
      if (value) return value;
    } finally {
      this.#reading.delete(id);
    }
    try {
      const told = await this.#client.send(agent, { messageId: id, text: message, task: '', context: '' });
      return await this.#told(id, told);
    } catch (error) {
      signal.throwIfAborted();
      const state = error instanceof ForeignFault && error.kind !== 'unanswered' ? 'failed' : 'unclear';
      const reason = this.#reasonOf(error, id);
      return this.#change(id, (job) => ({ ...job, state, error: reason }));
    }
  }

  /** Takes a place among the open jobs, which other processes open and end as well. */
  #enter(id: string): Promise<void> {
    const entered = this.#counted.then(async () => {
      if (this.#reading.has(id)) throw new MeshError('request_in_progress', { retryAfter: 1 });
      // One whose card has been read meanwhile is on the page or was among these.
      const open = new Set(this.#reading);
      for (const { value } of await this.#means.space.page(jobs, { index: 'open', limit: MOST_OPEN }))
        open.add(value.id);
      if (open.size >= MOST_OPEN)
        throw new MeshError('quota_exceeded', `${MOST_OPEN} jobs are open; cancel one or wait until one has ended.`);
      this.#reading.add(id);
    });
    this.#counted = entered.catch(() => undefined);
    return entered;
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

  /** Answers an agent that waits for the owner, or adds something to what it works on; once for an operation. */
  async say(id: string, text: string, operation: string | undefined): Promise<JobRecord> {
    const messageId = this.#idOf(id, operation);
    const job = await this.get(id);
    if (job.said?.includes(messageId)) return job;
    this.#asked(job);
    let isKnown = false;
    await this.#change(id, (now) => {
      isKnown = now.said?.includes(messageId) ?? false;
      return isKnown ? now : { ...now, said: [...(now.said ?? []), messageId].slice(-MOST_SAID) };
    });
    if (isKnown) return this.get(id);
    const words: Words = { messageId, text, task: job.task, context: job.context };
    const unsaid = (now: JobRecord) => ({ ...now, said: (now.said ?? []).filter((one) => one !== messageId) });
    return this.#asking(job, () => this.#client.send(job.agent, words), unsaid);
  }

  async cancel(id: string): Promise<JobRecord> {
    const job = this.#asked(await this.get(id));
    return this.#asking(job, () => this.#client.cancel(job.agent, job.task));
  }

  /** Asks the agents of the jobs that are due how they stand; gives when the next one is due. */
  async look(): Promise<number> {
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
    return due[0]?.value.due ?? Number.POSITIVE_INFINITY;
  }

  async #lookAt({ id, agent, task, state }: JobRecord): Promise<void> {
    const { clock, signal } = this.#means;
    if (state === 'sending') return void (await this.#change(id, lost));
    try {
      await this.#told(id, await this.#client.task(agent, task));
    } catch (error) {
      signal.throwIfAborted();
      const reason = this.#reasonOf(error, id);
      await this.#change(id, (job) => {
        const unanswered = job.unanswered + 1;
        const isOver = clock.now() - job.updated_at > PATIENCE;
        const error_ = isOver ? `${reason} This node no longer asks.` : reason;
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

  /** `undo` takes back what was noted of a call that the agent has not taken. */
  async #asking(
    { id }: JobRecord,
    ask: () => Promise<Told>,
    undo: (job: JobRecord) => JobRecord = (job) => job,
  ): Promise<JobRecord> {
    try {
      return await this.#told(id, await ask());
    } catch (error) {
      this.#means.signal.throwIfAborted();
      const kind = error instanceof ForeignFault ? error.kind : 'unanswered';
      const reason = this.#reasonOf(error, id);
      // It may have arrived: the next look tells.
      await this.#change(id, (job) => ({ ...(kind === 'unanswered' ? job : undo(job)), due: this.#means.clock.now() }));
      if (kind === 'refused') throw new MeshError('conflict', reason);
      const remedy = kind === 'unsent' ? 'Nothing was sent.' : 'GET the job to see how it stands.';
      throw new MeshError('upstream_failed', `The agent did not answer: ${reason} ${remedy}`);
    }
  }

  /** The words of a fault for the owner; one of this node goes to the log. */
  #reasonOf(error: unknown, id: string): string {
    if (error instanceof ForeignFault) return error.message;
    this.#means.log.error({ err: error, job: id }, 'the answer of an agent elsewhere was not taken');
    return 'This node could not take the answer; its log has the reason.';
  }

  /** The same for every repetition of an operation; a new one for a call that is none. */
  #idOf(purpose: string, operation: string | undefined): string {
    if (operation === undefined) return Buffer.from(this.#means.random.bytes(ID_BYTES)).toString('hex');
    return createHash('sha256')
      .update(`${purpose} ${operation}`)
      .digest('hex')
      .slice(0, 2 * ID_BYTES);
  }

  #told(id: string, told: Told): Promise<JobRecord> {
    const { clock } = this.#means;
    return this.#change(id, (job) => {
      const now = clock.now();
      const task = told.task === '' ? job.task : told.task;
      const isOther = job.task !== '' && task !== job.task;
      // A message does not end a task that is under way.
      if (told.task === '' && job.task !== '')
        return { ...job, text: told.text, error: null, updated_at: now, due: now + FIRST_PAUSE, unanswered: 0 };
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
      if (isFinal(before)) return before;
      const after = change(before);
      tx.put(ref, after);
      return after;
    });
    return value;
  }
}

/** One that was sent may yet be answered by the process that sends it. */
function isFinal({ state, task }: JobRecord): boolean {
  return hasEnded(state) && !(state === 'unclear' && task === '');
}

const LOST = 'The node ended while it sent the message. The agent may work on it; it is not sent again.';

function lost(job: JobRecord): JobRecord {
  return { ...job, state: 'unclear', error: LOST };
}

function pauseAfter(times: number): number {
  return Math.min(FIRST_PAUSE * 2 ** Math.min(times - 1, 10), LONGEST_PAUSE);
}
