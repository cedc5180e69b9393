import type { Clock, DealView } from '../../core/services.ts';

/** Calls that wait at a time; each holds a request open. */
const MOST = 1_000;

/** Calls that wait for a deal to change. */
export class DealWaits {
  readonly #clock: Clock;
  readonly #waiting = new Map<string, Set<(deal: DealView) => void>>();
  #count = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  changed(deal: DealView): void {
    const waiting = this.#waiting.get(deal.conversation_id);
    for (const told of waiting ?? []) told(deal);
  }

  /** The deal after its next change; undefined when the time ran out, too many wait, or the caller went away. */
  next(conversationId: string, ms: number, signal: AbortSignal): Promise<DealView | undefined> {
    if (this.#count >= MOST || signal.aborted) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(conversationId) ?? new Set();
      this.#waiting.set(conversationId, waiting);
      this.#count += 1;
      const end = (deal?: DealView) => {
        if (!waiting.delete(told)) return;
        this.#count -= 1;
        if (waiting.size === 0) this.#waiting.delete(conversationId);
        cancel();
        signal.removeEventListener('abort', gone);
        resolve(deal);
      };
      const told = (deal: DealView) => end(deal);
      const gone = () => end();
      const cancel = this.#clock.after(ms, () => end());
      signal.addEventListener('abort', gone);
      waiting.add(told);
    });
  }
}
