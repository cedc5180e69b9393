import { isMeshError, type Log } from '../../../core/plugin.ts';
import type { Clock, Http } from '../../../core/services.ts';
import type { PushConfig, StreamResponse } from '../protocol/objects.ts';
import type { TaskRecord } from './records.ts';
import { changes } from './shown.ts';

const TIMEOUT = 10_000;
const MOST_ANSWER = 64 * 1024;
/** Milliseconds before the second and the third attempt. */
const PAUSES = [1_000, 5_000];
/** Notifications that wait; more are dropped. */
const MOST_WAITING = 256;

export interface PushMeans {
  readonly http: Http;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Tells receivers of the changes of tasks, each receiver in order. */
export class Pushes {
  readonly #means: PushMeans;
  readonly #lines = new Map<string, Promise<void>>();
  #waiting = 0;

  constructor(means: PushMeans) {
    this.#means = means;
  }

  told(after: TaskRecord, before: TaskRecord): void {
    if (after.pushes.length === 0) return;
    const events = changes(before, after);
    for (const config of after.pushes) for (const event of events) this.#add(`${after.id}/${config.id}`, config, event);
  }

  #add(line: string, config: PushConfig, event: StreamResponse): void {
    if (this.#waiting >= MOST_WAITING) {
      this.#means.log.warn({ task: config.taskId }, 'a push notification is dropped: too many wait');
      return;
    }
    this.#waiting += 1;
    const next = (this.#lines.get(line) ?? Promise.resolve())
      .then(() => this.#deliver(config, JSON.stringify(event)))
      .catch((error: unknown) => {
        if (!this.#means.signal.aborted) this.#means.log.error({ err: error }, 'a push notification failed');
      })
      .finally(() => {
        this.#waiting -= 1;
        if (this.#lines.get(line) === next) this.#lines.delete(line);
      });
    this.#lines.set(line, next);
  }

  async #deliver({ taskId, url, token, authentication }: PushConfig, body: string): Promise<void> {
    const { http, clock, log, signal } = this.#means;
    const { scheme, credentials } = authentication ?? {};
    const headers = {
      'content-type': 'application/a2a+json',
      'a2a-version': '1.0',
      ...(token !== undefined && { 'x-a2a-notification-token': token }),
      ...(scheme !== undefined && { authorization: credentials === undefined ? scheme : `${scheme} ${credentials}` }),
    };
    for (const pause of [...PAUSES, undefined]) {
      try {
        const options = { method: 'POST', headers, body, timeout: TIMEOUT, maxBytes: MOST_ANSWER, signal } as const;
        const { status } = await http.request(url, options);
        if (status >= 200 && status < 300) return;
        if (status < 500 && status !== 408 && status !== 429) break;
      } catch (error) {
        signal.throwIfAborted();
        if (!isMeshError(error) || error.code === 'forbidden' || error.code === 'invalid_request') break;
      }
      if (pause !== undefined) await clock.sleep(pause, signal);
    }
    log.info({ task: taskId }, 'the receiver of a push notification did not take it');
  }
}
