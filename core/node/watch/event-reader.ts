import type { Settlement } from '../../ledger/settlement.ts';
import type { ExtensionPoints } from '../../messaging/extension-points.ts';
import type { Log } from '../../platform/log.ts';
import type { Space } from '../../storage/space.ts';
import { effectOf, type Interest } from './event-effects.ts';
import { watchState } from './watch-records.ts';

export interface EventReaderOptions {
  readonly space: Space;
  readonly settlement: Settlement;
  readonly interest: Interest;
  /** The parts that plugins take in reading. */
  readonly plugins?: Pick<ExtensionPoints, 'reading'>;
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
    const { space, settlement, interest, log, plugins } = this.#options;
    while (!signal.aborted) {
      const before = (await space.get(watchState)) ?? { cursor: null, gaps: 0 };
      const { entries, cursor } = await settlement.events(before.cursor ?? undefined, PAGE);
      const gaps = entries.filter((entry) => entry.name === 'gap');
      for (const gap of gaps) log.warn({ gap }, 'a part of the ledger’s history cannot be read');
      const effects = entries.flatMap((entry) => (entry.name === 'gap' ? [] : [effectOf(entry, interest)]));
      const guests = entries.flatMap((entry) => plugins?.reading(entry) ?? []);
      const reads = [watchState, ...effects.flatMap((effect) => effect.reads)];
      const beside = guests.flatMap((guest) => guest.beside);
      await space.txBeside(reads, beside, (tx, others) => {
        for (const effect of effects) effect.apply(tx);
        for (const guest of guests) guest.apply(others);
        tx.put(watchState, { cursor: cursor ?? null, gaps: before.gaps + gaps.length });
      });
      for (const guest of guests) guest.over();
      if (entries.length === 0) return;
    }
  }
}
