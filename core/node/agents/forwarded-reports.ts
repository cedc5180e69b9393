import { reports } from '../../messaging/records.ts';
import type { Space } from '../../storage/space.ts';

const BATCH = 100;

/**
 * Moves an agent's reports to the node's own, which go to the aggregators: so one queue waits for them, however many agents
 * there are. A crash in between moves some twice, which changes nothing at an aggregator. Ends when the signal is aborted.
 */
export async function forwardReports(from: Space, to: Space, signal: AbortSignal): Promise<void> {
  for (let last = 0; !signal.aborted; ) {
    const rows = await from.page(reports, { after: last, limit: BATCH });
    const newest = rows.at(-1)?.id;
    if (newest === undefined) {
      for await (const _ of from.tail(reports, last, signal)) break;
      continue;
    }
    await to.tx([], (tx) => {
      for (const { record } of rows) tx.append(reports, record);
    });
    await from.tx([], (tx) => tx.trim(reports, newest));
    last = newest;
  }
}

/** Whether some are still to be moved. */
export async function hasReports(space: Space): Promise<boolean> {
  return (await space.page(reports, { after: 0, limit: 1 })).length > 0;
}
