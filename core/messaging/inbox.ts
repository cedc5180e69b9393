import type { Log } from '../platform/log.ts';
import type { Space } from '../storage/space.ts';
import type { Tx } from '../storage/transaction.ts';
import { Wakeups } from '../storage/wakeups.ts';
import { broadcasts, EMPTY, type InboxRecord, inboxState, letters, positionOf } from './inbox-records.ts';
import { conversationPosting } from './records.ts';

export interface InboxLimits {
  /** Letters that wait for the agent; further ones are refused until it acknowledges some. */
  readonly letters: number;
  /** Broadcasts kept; older ones make room. */
  readonly broadcasts: number;
}

export const INBOX_LIMITS: InboxLimits = { letters: 100_000, broadcasts: 10_000 };

/** A record before the inbox has given it its cursor. */
export type NewRecord = Omit<InboxRecord, 'cursor'>;

const PAGE = 200;

/**
 * Keeps the envelopes sent to this agent until the agent acknowledges them and the plugins' handlers have seen them.
 * Cursors number the records from 1, in the order of arrival and without gaps.
 */
export class Inbox {
  readonly #space: Space;
  readonly #log: Log;
  readonly #limits: InboxLimits;
  readonly #wakeups = new Wakeups();
  /** Cursors of the newest durable record, and of the last one acknowledged and handled; null without handlers. */
  #cursor = 0;
  #acknowledged = 0;
  #handled: number | null = null;
  /** Ids in the logs: the newest letter, the newest forgotten one, the newest broadcast. */
  #newestLetter = 0;
  #forgotten = 0;
  #newestBroadcast = 0;
  #trimmedBroadcast = 0;
  #closed = false;

  private constructor(space: Space, log: Log, limits: InboxLimits) {
    this.#space = space;
    this.#log = log;
    this.#limits = limits;
  }

  static async open(space: Space, log: Log, limits: InboxLimits = INBOX_LIMITS): Promise<Inbox> {
    const inbox = new Inbox(space, log, limits);
    const { cursor, acknowledged, handled } = (await space.get(inboxState)) ?? EMPTY;
    const [newest] = await space.page(letters, { limit: 1 });
    const [oldest] = await space.page(letters, { after: 0, limit: 1 });
    const [broadcast] = await space.page(broadcasts, { limit: 1 });
    inbox.#cursor = cursor;
    inbox.#acknowledged = acknowledged;
    inbox.#handled = handled;
    inbox.#newestLetter = newest?.id ?? 0;
    inbox.#forgotten = oldest ? oldest.id - 1 : inbox.#newestLetter;
    inbox.#newestBroadcast = broadcast?.id ?? 0;
    return inbox;
  }

  /** Whether another letter is taken. */
  get hasRoom(): boolean {
    return this.#newestLetter - this.#forgotten < this.#limits.letters;
  }

  /** How far the handlers have come; null when there were none. */
  get handled(): number | null {
    return this.#handled;
  }

  /** Up to where agent and handlers are done with everything. */
  get done(): number {
    return Math.min(this.#acknowledged, this.#handled ?? this.#acknowledged);
  }

  get newest(): number {
    return this.#cursor;
  }

  /** How many records the agent has not acknowledged. */
  async waiting(): Promise<number> {
    const counts = await Promise.all(
      [letters, broadcasts].map(async (of) => {
        const [newest] = await this.#space.page(of, { limit: 1 });
        const [oldest] = await this.#space.page(of, { after: 0, limit: 1 });
        if (!newest || !oldest) return 0;
        const done = await positionOf(this.#space, of, this.#acknowledged);
        return newest.id - Math.max(done, oldest.id - 1);
      }),
    );
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /** Writes a record down, in a transaction that reads `inboxState` and appends nothing before it; gives its cursor. */
  append(tx: Tx, record: NewRecord, open: boolean): number {
    const state = tx.get(inboxState) ?? EMPTY;
    const cursor = state.cursor + 1;
    tx.put(inboxState, { ...state, cursor });
    tx.append(open ? broadcasts : letters, { cursor, ...record });
    if (open && this.#surplus > 0) tx.trim(broadcasts, this.#surplus);
    return cursor;
  }

  /** Must be called when the transaction of `append` is durable, with what it gave and the id of the record. */
  appended(cursor: number, id: number, open: boolean): void {
    if (open) {
      if (this.#surplus > 0) this.#trimmedBroadcast = this.#surplus;
      this.#newestBroadcast = Math.max(this.#newestBroadcast, id);
    } else this.#newestLetter = Math.max(this.#newestLetter, id);
    this.#cursor = Math.max(this.#cursor, cursor);
    if (!open && !this.hasRoom) this.#log.error({ letters: this.#limits.letters }, 'the inbox is full: acknowledge it');
    this.#wakeups.wake('inbox');
  }

  /** The records behind `since` that the agent has not acknowledged, oldest first, then new ones as they arrive. */
  async *tail(since: number, signal: AbortSignal): AsyncGenerator<InboxRecord, void> {
    for await (const record of this.everything(Math.max(since, this.#acknowledged), signal)) {
      if (record.cursor > this.#acknowledged) yield record;
    }
  }

  /** One page of the records that `tail` begins with; only those of `conversation` when it is given. */
  async page(since: number, limit: number, conversation?: string): Promise<InboxRecord[]> {
    const behind = Math.max(since, this.#acknowledged);
    const posting = conversation === undefined ? {} : { posting: conversationPosting(conversation) };
    const pages = await Promise.all(
      [letters, broadcasts].map(async (of) => {
        const after = await positionOf(this.#space, of, behind);
        return this.#space.page(of, { after, limit, ...posting });
      }),
    );
    const records = pages.flat().map(({ record }) => record);
    return records.sort((a, b) => a.cursor - b.cursor).slice(0, limit);
  }

  /** Every record kept behind `since`, acknowledged or not, oldest first, then those to come. */
  async *everything(since: number, signal: AbortSignal): AsyncGenerator<InboxRecord, void> {
    const [space, logs] = [this.#space, [letters, broadcasts]];
    const at = await Promise.all(logs.map((of) => positionOf(space, of, since)));
    for (let last = since; !(signal.aborted || this.#closed); ) {
      // Everything up to here is durable; a log may already show more.
      let upTo = this.#cursor;
      if (upTo <= last) {
        await this.#wakeups.wait('inbox', signal);
        continue;
      }
      const pages = await Promise.all(logs.map((of, i) => space.page(of, { after: at[i], limit: PAGE })));
      for (const page of pages) if (page.length === PAGE) upTo = Math.min(upTo, page.at(-1)!.record.cursor);
      const found = pages.map((page) => page.filter(({ record }) => record.cursor <= upTo));
      for (const [i, page] of found.entries()) at[i] = page.at(-1)?.id ?? at[i]!;
      last = upTo;
      const records = found.flat().map(({ record }) => record);
      for (const record of records.sort((a, b) => a.cursor - b.cursor)) {
        if (signal.aborted) return;
        yield record;
      }
    }
  }

  /** The agent is done with everything up to a cursor. */
  async acknowledge(cursor: number): Promise<void> {
    this.#acknowledged = Math.max(this.#acknowledged, Math.min(cursor, this.#cursor));
    await this.#forget();
  }

  /** The handlers are done with everything up to a cursor; null: nobody handles anything. */
  async handledUpTo(cursor: number | null): Promise<void> {
    this.#handled = cursor;
    await this.#forget();
  }

  /** Ends every `tail`. */
  close(): void {
    this.#closed = true;
    this.#wakeups.close();
  }

  /** Up to which id broadcasts go. A tenth more than the limit is kept, so that not every broadcast costs a trim. */
  get #surplus(): number {
    const upTo = this.#newestBroadcast - this.#limits.broadcasts;
    return upTo - this.#trimmedBroadcast > this.#limits.broadcasts / 10 ? upTo : 0;
  }

  /** Trims the records that the agent has acknowledged and the handlers have handled. */
  async #forget(): Promise<void> {
    const [acknowledged, handled, upTo] = [this.#acknowledged, this.#handled, this.done];
    const letter = await positionOf(this.#space, letters, upTo);
    const broadcast = await positionOf(this.#space, broadcasts, upTo);
    await this.#space.tx([inboxState], (tx) => {
      const state = tx.get(inboxState) ?? EMPTY;
      tx.put(inboxState, { ...state, acknowledged, handled });
      tx.trim(letters, letter);
      tx.trim(broadcasts, broadcast);
    });
    this.#forgotten = Math.max(this.#forgotten, letter);
  }
}
