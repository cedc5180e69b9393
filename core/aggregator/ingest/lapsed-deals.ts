import type { Count } from '../../platform/metrics.ts';
import type { Space } from '../../storage/space.ts';
import type { Epochs } from '../epochs.ts';
import type { EvidenceJournal } from '../evidence/journal.ts';
import { deals } from '../store/deals.ts';
import { lapseEffect } from './effects/deal.ts';

const PAGE = 100;

/** Looks again at every deal for which the passing of time has come to mean something; gives when that is so of the next one. */
export async function lookAtLapsed(
  parts: {
    readonly space: Space;
    readonly epochs: Epochs;
    readonly dropped: Count;
    readonly evidence?: EvidenceJournal;
  },
  now: number,
  signal: AbortSignal,
): Promise<number> {
  const { space, dropped, evidence } = parts;
  while (!signal.aborted) {
    const due = await space.page(deals, { index: 'due', to: [now], limit: PAGE });
    for (const { value } of due) {
      if (signal.aborted) return 0;
      const effect = lapseEffect(value.record, parts);
      const { value: reasons } = await space.tx(await effect.reads(), (tx) => {
        const { conversation, pair } = value.record;
        evidence?.note(tx, 'lapse', { conversation, pair });
        return effect.apply(tx);
      });
      for (const reason of reasons) dropped({ reason });
    }
    if (due.length < PAGE) break;
  }
  const [next] = await space.page(deals, { index: 'due', limit: 1 });
  return next?.value.due ?? Number.POSITIVE_INFINITY;
}
