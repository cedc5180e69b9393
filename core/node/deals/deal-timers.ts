import { Alarm } from '../../platform/alarm.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import { internalToken } from '../../platform/token.ts';
import { nextTimer, onTimer } from '../../protocol/deals/timers.ts';
import type { Space } from '../../storage/space.ts';
import { type DealDocument, deals, withDeal } from './deal-document.ts';

export interface DealTimersOptions {
  readonly space: Space;
  readonly clock: Clock;
  readonly log: Log;
  /** Told of every deal that time has moved. */
  readonly changed: (document: DealDocument) => void;
}

/** Those of the node's own agent. */
export const Timers = internalToken<DealTimers>('deal-timers');

/** Deals moved at one look; the next look takes the rest. */
const BATCH = 200;

/** Lets time act on the deals that wait for it: those whose timer is due, found by index. */
export class DealTimers {
  readonly #options: DealTimersOptions;
  readonly #alarm: Alarm;

  constructor(options: DealTimersOptions) {
    this.#options = options;
    this.#alarm = new Alarm(options.clock);
  }

  /** A deal has changed: perhaps another one is due first now. */
  moved(): void {
    this.#alarm.ring();
  }

  /** Resolves when the next deal is due, or a deal has moved. */
  async due(signal: AbortSignal): Promise<void> {
    await this.#alarm.until(await this.next(), signal);
  }

  /** When the next deal is due, Unix milliseconds; Infinity when time moves none. */
  async next(): Promise<number> {
    const [next] = await this.#options.space.page(deals, { index: 'timer', limit: 1 });
    return next ? (nextTimer(next.value.deal)?.at ?? 0) : Number.POSITIVE_INFINITY;
  }

  /** Moves the deals that are due now. */
  async look(signal: AbortSignal): Promise<void> {
    const { space, clock } = this.#options;
    const due = await space.page(deals, { index: 'timer', to: [clock.now() + 1], limit: BATCH });
    for (const { id } of due) {
      if (signal.aborted) return;
      await this.#fire(id);
    }
  }

  async #fire(id: string): Promise<void> {
    const { space, changed, log } = this.#options;
    const { value } = await space.tx([deals.ref(id)], (tx) => {
      const before = tx.get(deals.ref(id));
      if (!before) return undefined;
      const { deal, due } = onTimer(before.deal, tx.now);
      const after = withDeal(before, deal, before.deal.state === deal.state ? before.updated_at : tx.now);
      tx.put(deals.ref(id), after);
      return { after, moved: before.deal.state !== deal.state, due };
    });
    if (value?.due) log.info({ conversation: id, step: value.due }, 'a ledger step is due for this deal');
    if (value?.moved) changed(value.after);
  }
}
