import { isMeshError, type Log } from '../../../core/plugin.ts';
import type { Clock, Http, Space, Tx } from '../../../core/services.ts';
import type { PushConfig } from '../protocol/objects.ts';
import { type TaskRecord, tasks } from '../tasks/records.ts';
import { eventOf, forget, type Noted, note, settle, take } from './outbox.ts';
import { type PushLine, rooms } from './records.ts';

const TIMEOUT = 10_000;
/** Milliseconds after which a line that was taken and not settled is taken again: the process that took it has ended. */
const TAKEN = TIMEOUT + 5_000;
const MOST_ANSWER = 64 * 1024;
const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 300_000;
/** Attempts at once for the receivers of one caller: those of others do not wait for them. */
const AT_ONCE = 2;
/** More callers than a configuration can name. */
const MOST_CALLERS = 64;

export interface PushMeans {
  readonly space: Space;
  readonly http: Http;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Whether the configuration still has this caller. */
  readonly isCaller: (caller: string) => boolean;
  /** Whether a caller names no private address (decision 040). */
  readonly isPublicOnly: (caller: string) => boolean;
}

/**
 * Tells receivers of the changes of tasks, each receiver in order. A change waits in the store from the transaction that makes it until its
 * receiver has taken it, so a receiver may be told twice, but misses nothing for a day.
 */
export class Pushes {
  readonly #means: PushMeans;
  readonly #working = new Map<string, number>();

  constructor(means: PushMeans) {
    this.#means = means;
  }

  /** Rejects for an address that may not be called for this caller. */
  check(url: string, caller: string): Promise<void> {
    const { http, isPublicOnly } = this.#means;
    return http.check(url, { publicOnly: isPublicOnly(caller) });
  }

  /** In the transaction that changes a task. */
  note(tx: Tx, before: TaskRecord, after: TaskRecord): Noted | undefined {
    return note(tx, before, after);
  }

  /** Goes on once the transaction is on disk. */
  noted({ caller, dropped }: Noted): void {
    if (dropped > 0) this.#means.log.warn({ caller }, 'a push notification is dropped: too many receivers wait');
    this.#wake(caller);
  }

  /** Goes on with all that waits, whichever process noted it; gives when to look again, and Infinity while nothing waits. */
  async look(): Promise<number> {
    const callers = await this.#means.space.page(rooms, { limit: MOST_CALLERS });
    for (const { id } of callers) this.#wake(id);
    return callers.length > 0 ? 0 : Number.POSITIVE_INFINITY;
  }

  #wake(caller: string): void {
    const { signal, log } = this.#means;
    const count = this.#working.get(caller) ?? 0;
    if (count >= AT_ONCE || signal.aborted) return;
    this.#working.set(caller, count + 1);
    void this.#work(caller)
      .catch((error: unknown) => {
        if (!signal.aborted) log.warn({ err: error, caller }, 'push notifications wait for the store');
      })
      .finally(() => {
        const left = this.#working.get(caller)! - 1;
        if (left > 0) this.#working.set(caller, left);
        else this.#working.delete(caller);
      });
  }

  async #work(caller: string): Promise<void> {
    const { space, clock, signal } = this.#means;
    while (!signal.aborted) {
      const line = await take(space, caller, clock.now(), TAKEN);
      if (!line) return;
      await this.#serve(line);
    }
  }

  async #serve(line: PushLine): Promise<void> {
    const { space, log, isCaller } = this.#means;
    const record = await space.get(tasks.ref(line.task));
    const config = record?.pushes.find(({ id }) => id === line.config);
    if (!record || !config || !isCaller(line.caller)) return forget(space, line);
    const event = eventOf(record, line.waiting[0]!);
    const outcome = event ? await this.#deliver(line.caller, config, JSON.stringify(event)) : 'taken';
    if (outcome === 'refused') log.info({ task: line.task }, 'the receiver of a push notification refuses it');
    const pause = Math.min(FIRST_PAUSE * 2 ** Math.min(line.attempts, 20), LONGEST_PAUSE);
    await settle(space, line, outcome === 'later' ? pause : undefined);
  }

  async #deliver(
    caller: string,
    { url, token, authentication }: PushConfig,
    body: string,
  ): Promise<'taken' | 'refused' | 'later'> {
    const { http, signal, isPublicOnly } = this.#means;
    const { scheme, credentials } = authentication ?? {};
    const headers = {
      'content-type': 'application/a2a+json',
      'a2a-version': '1.0',
      ...(token !== undefined && { 'x-a2a-notification-token': token }),
      ...(scheme !== undefined && { authorization: credentials === undefined ? scheme : `${scheme} ${credentials}` }),
    };
    try {
      const options = { method: 'POST', headers, body, timeout: TIMEOUT, maxBytes: MOST_ANSWER, signal } as const;
      const { status } = await http.request(url, { ...options, publicOnly: isPublicOnly(caller) });
      if (status >= 200 && status < 300) return 'taken';
      return status < 500 && status !== 408 && status !== 425 && status !== 429 ? 'refused' : 'later';
    } catch (error) {
      signal.throwIfAborted();
      if (!isMeshError(error) || error.code === 'forbidden' || error.code === 'invalid_request') return 'refused';
      return 'later';
    }
  }
}
