import type { Settlement } from '../../ledger/settlement.ts';
import type { Log } from '../../platform/log.ts';
import type { Space } from '../../storage/space.ts';
import { effectOf, type Interest } from './event-effects.ts';
import { watchState } from './watch-records.ts';

export interface EventReaderOptions {
  readonly space: Space;
  readonly settlement: Settlement;
  readonly interest: Interest;
  readonly log: Log;
}

const PAGE = 100;

/** Reads the events of the settlement program from where it stopped; what they change and the place are one write. */
export class EventReader {
  readonly #options: EventReaderOptions;

  constructor(options: EventReaderOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { space, settlement, interest, log } = this.#options;
    while (!signal.aborted) {
      const before = (await space.get(watchState)) ?? { cursor: null, gaps: 0 };
      const { entries, cursor } = await settlement.events(before.cursor ?? undefined, PAGE);
      const gaps = entries.filter((entry) => entry.name === 'gap');
      for (const gap of gaps) log.warn({ gap }, 'a part of the ledger’s history cannot be read');
      const effects = entries.flatMap((entry) => (entry.name === 'gap' ? [] : [effectOf(entry, interest)]));
      await space.tx([watchState, ...effects.flatMap(({ reads }) => reads)], (tx) => {
        for (const effect of effects) effect.apply(tx);
        tx.put(watchState, { cursor: cursor ?? null, gaps: before.gaps + gaps.length });
      });
      if (entries.length === 0) return;
    }
  }
}
