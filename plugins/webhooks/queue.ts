import { isMeshError, type Log } from '../../core/plugin.ts';
import type { Clock, Http, Space } from '../../core/services.ts';
import { signedHeaders } from './letter.ts';
import { type Delivery, deliveries, deliveryRef, type Hook, hooks } from './records.ts';

const MOST_WAITING = 1_000;
const MOST_DEAD = 200;
const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 300_000;
/** A receiver that refuses one delivery so often is not asked to take it again. */
const MOST_REFUSALS = 5;
/** Milliseconds for which a receiver that is away is tried. */
const PATIENCE = 24 * 3_600_000;
const TIMEOUT = 10_000;
const MOST_ANSWER = 64 * 1024;
const MOST_ERROR = 200;
/** Milliseconds after the store did not answer. */
const STORE_PAUSE = 5_000;
/** Answers that say nothing about the delivery itself. */
const LATER = [408, 425, 429];

export interface QueueMeans {
  readonly space: Space;
  readonly http: Http;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** The deliveries to one receiver, one after the other in their order. It waits for nobody else, and nobody waits for it. */
export class HookQueue {
  readonly #hook: string;
  readonly #means: QueueMeans;
  readonly #over = new AbortController();
  #wake = () => {};
  readonly ended: Promise<void>;

  constructor(hook: string, means: QueueMeans) {
    this.#hook = hook;
    this.#means = means;
    means.signal.addEventListener('abort', () => this.end(), { once: true });
    this.ended = this.#run();
  }

  /** Resolves when the event is stored, or the receiver's queue is full. A second one of the same id changes nothing. */
  async add({ event, type, body }: Pick<Delivery, 'event' | 'type' | 'body'>): Promise<void> {
    const { space, log } = this.#means;
    const [ref, hookRef] = [deliveryRef(this.#hook, event), hooks.ref(this.#hook)];
    const { value: dropped } = await space.tx([ref, hookRef], (tx) => {
      const hook = tx.get(hookRef);
      if (!hook || tx.get(ref)) return 0;
      if (hook.waiting >= MOST_WAITING) {
        tx.put(hookRef, { ...hook, dropped: hook.dropped + 1 });
        return hook.dropped + 1;
      }
      const { next: number, waiting } = hook;
      const times = { attempts: 0, refusals: 0, due: tx.now, created_at: tx.now };
      tx.put(ref, { hook: this.#hook, number, event, type, body, state: 'waiting', ...times, error: null });
      tx.put(hookRef, { ...hook, waiting: waiting + 1, next: number + 1 });
      return 0;
    });
    if (dropped === 1)
      log.warn({ hook: this.#hook }, 'the queue of a webhook is full: new events are dropped and counted');
    this.#wake();
  }

  /** Looks again at what is due. */
  wake(): void {
    this.#wake();
  }

  end(): void {
    this.#over.abort();
    this.#wake();
  }

  async #run(): Promise<void> {
    const { signal } = this.#over;
    while (!signal.aborted) {
      try {
        await this.#step(signal);
      } catch (error) {
        if (signal.aborted) return;
        this.#means.log.warn({ hook: this.#hook, error }, 'a webhook waits for the store');
        await this.#pause(STORE_PAUSE);
      }
    }
  }

  async #step(signal: AbortSignal): Promise<void> {
    const { space, clock } = this.#means;
    // Before the look, so that what is added during it is not slept over.
    let woken = false;
    this.#wake = () => {
      woken = true;
    };
    const [found] = await space.page(deliveries, { index: 'waiting', prefix: [this.#hook], limit: 1 });
    const hook = found && (await space.get(hooks.ref(this.#hook)));
    if (woken) return;
    if (!found || !hook) return this.#pause();
    const left = found.value.due - clock.now();
    if (left > 0) return this.#pause(left);
    await this.#settle(found.value, await this.#attempt(hook, found.value, signal));
  }

  /** Why the receiver did not take it; undefined when it did. */
  async #attempt(hook: Hook, { event, body }: Delivery, signal: AbortSignal) {
    const { http, clock } = this.#means;
    const headers = signedHeaders(hook.secret, event, clock.now(), body);
    try {
      const options = { method: 'POST', headers, body, timeout: TIMEOUT, maxBytes: MOST_ANSWER, signal } as const;
      const { status } = await http.request(hook.url, options);
      if (status >= 200 && status < 300) return undefined;
      return { error: `it answered ${status}`, refused: status >= 300 && status < 500 && !LATER.includes(status) };
    } catch (error) {
      signal.throwIfAborted();
      if (!isMeshError(error)) throw error;
      return { error: error.message.slice(0, MOST_ERROR), refused: error.code === 'forbidden' };
    }
  }

  async #settle(before: Delivery, failure: { readonly error: string; readonly refused: boolean } | undefined) {
    const { space } = this.#means;
    const [ref, hookRef] = [deliveryRef(before.hook, before.event), hooks.ref(before.hook)];
    const [oldest] = await space.page(deliveries, { index: 'dead', prefix: [before.hook], limit: 1 });
    await space.tx([ref, hookRef, ...(oldest ? [deliveries.ref(oldest.id)] : [])], (tx) => {
      const [item, hook] = [tx.get(ref), tx.get(hookRef)];
      if (!item || !hook || item.state !== 'waiting') return;
      if (!failure) {
        tx.del(ref);
        return tx.put(hookRef, { ...hook, waiting: hook.waiting - 1, delivered: hook.delivered + 1, last_error: null });
      }
      const { error } = failure;
      const attempts = item.attempts + 1;
      const refusals = item.refusals + (failure.refused ? 1 : 0);
      const tried = { ...item, attempts, refusals, error };
      if (refusals < MOST_REFUSALS && tx.now - item.created_at < PATIENCE) {
        tx.put(ref, { ...tried, due: tx.now + pauseAfter(attempts) });
        return tx.put(hookRef, { ...hook, last_error: error });
      }
      tx.put(ref, { ...tried, state: 'dead' });
      const isFull = oldest !== undefined && hook.dead >= MOST_DEAD && tx.get(deliveries.ref(oldest.id)) !== undefined;
      if (isFull) tx.del(deliveries.ref(oldest.id));
      const dead = isFull ? hook.dead : hook.dead + 1;
      tx.put(hookRef, { ...hook, waiting: hook.waiting - 1, dead, last_error: error });
    });
  }

  /** Until it is woken, or so many milliseconds. */
  async #pause(ms?: number): Promise<void> {
    if (this.#over.signal.aborted) return;
    let cancel = () => {};
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      if (ms !== undefined) cancel = this.#means.clock.after(Math.min(ms, LONGEST_PAUSE), resolve);
    });
    cancel();
  }
}

function pauseAfter(attempts: number): number {
  return Math.min(FIRST_PAUSE * 2 ** Math.min(attempts - 1, 20), LONGEST_PAUSE);
}
