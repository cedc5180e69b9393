import type { EpochJournal } from '../../messaging/epoch-journal.ts';
import { KEPT_EPOCHS } from '../../messaging/nonces.ts';

export interface Tainted {
  readonly from: number;
  readonly to: number;
  /** Sequence numbers of the current epoch go on above this one. */
  readonly above: number;
}

/** The last sequence number used in the current epoch, with those that a taint left out. */
export async function currentNumbers(journal: EpochJournal): Promise<number> {
  const { current } = journal;
  const taint = (await journal.taints()).find(({ epoch }) => epoch === current);
  return Math.max((await journal.view(current)).count, taint?.above ?? 0);
}

/**
 * Taints every epoch in which the key may have signed what this journal does not hold: from the epoch of the backup, or
 * without its time from the last one signed in, to the current one. `used` is the last number known to be used.
 */
export async function taintSince(
  journal: EpochJournal,
  madeAt: number | undefined,
  used: number,
  now: number,
): Promise<Tainted> {
  const { current } = journal;
  const first = madeAt === undefined ? await journal.lastSigned() : journal.epochAt(madeAt);
  const from = Math.min(current, Math.max(first ?? current, current - KEPT_EPOCHS));
  const why = `its journal was restored from a backup at ${new Date(now).toISOString()}`;
  for (let epoch = from; epoch < current; epoch++) {
    if ((await journal.view(epoch)).state !== 'complete') await journal.taint(epoch, why);
  }
  const taint = await journal.taint(current, why, 0, Math.max(used, await currentNumbers(journal)));
  return { from, to: current, above: taint!.above };
}
