import type { Clock } from '../../clock.ts';
import { onTimer } from '../../deals/timers.ts';
import type { Log } from '../../log.ts';
import type { Space } from '../../storage/space.ts';
import { type DealDocument, deals, withDeal } from './deal-document.ts';

export interface DealTimersOptions {
  readonly space: Space;
  readonly clock: Clock;
  readonly log: Log;
  /** Told of every deal that time has moved. */
  readonly changed: (document: DealDocument) => void;
}

/** Deals moved at one look; the next look takes the rest. */
const BATCH = 200;

/** Lets time act on the deals that wait for it: those whose timer is due, found by index. */
export class DealTimers {
  readonly #options: DealTimersOptions;

  constructor(options: DealTimersOptions) {
    this.#options = options;
  }

  /** One look. Running it late or twice is harmless. */
  async run(signal: AbortSignal): Promise<void> {
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
