import type { Clock } from '../platform/clock.ts';

export interface RecipientQueuesOptions {
  readonly clock: Clock;
  /** Goes through a recipient's queue once; gives the moment to flush again, or undefined when nothing waits. */
  flush(recipient: string, eager: boolean): Promise<number | undefined>;
  failed(error: unknown): void;
}

interface Queue {
  /** Cancels the flush that is planned. */
  cancel(): void;
  /** The next flush tries everything. */
  eager: boolean;
  /** The flush going on, and the one that follows it. */
  now?: Promise<void> | undefined;
  next?: Promise<void> | undefined;
}

const AFTER_FAILURE = 5_000;

/**
 * When which recipient's queue is looked at. Kept in memory, one entry for each recipient something waits for: after a
 * restart every queue is looked at at once.
 */
export class RecipientQueues {
  readonly #options: RecipientQueuesOptions;
  readonly #queues = new Map<string, Queue>();
  #closed = false;

  constructor(options: RecipientQueuesOptions) {
    this.#options = options;
  }

  start(recipients: readonly string[]): void {
    for (const recipient of recipients) void this.serve(recipient);
  }

  /** Looks at a queue, after the flush that goes on already: those who come meanwhile share the next one. */
  serve(recipient: string): Promise<void> {
    const queue = this.#queues.get(recipient) ?? { cancel: () => {}, eager: false };
    this.#queues.set(recipient, queue);
    if (!queue.now) return this.#begin(recipient, queue);
    queue.next ??= queue.now.then(() => {
      queue.next = undefined;
      return this.#begin(recipient, queue);
    });
    return queue.next;
  }

  /** A recipient can be reached: whatever waits for it is tried. */
  appeared(recipient: string): void {
    const queue = this.#queues.get(recipient);
    if (!queue) return;
    queue.eager = true;
    void this.serve(recipient);
  }

  close(): void {
    this.#closed = true;
    for (const queue of this.#queues.values()) queue.cancel();
  }

  #begin(recipient: string, queue: Queue): Promise<void> {
    queue.now = this.#flush(recipient, queue).finally(() => {
      queue.now = undefined;
    });
    return queue.now;
  }

  async #flush(recipient: string, queue: Queue): Promise<void> {
    if (this.#closed) return;
    const { flush, failed, clock } = this.#options;
    const { eager } = queue;
    queue.eager = false;
    queue.cancel();
    const again = await flush(recipient, eager).catch((error: unknown) => {
      failed(error);
      return clock.now() + AFTER_FAILURE;
    });
    if (again === undefined && !queue.next) this.#queues.delete(recipient);
    if (again === undefined || this.#closed) return;
    queue.cancel = clock.after(Math.max(0, again - clock.now()), () => void this.serve(recipient));
  }
}
