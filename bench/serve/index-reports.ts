import type { Epochs } from '../../core/aggregator/epochs.ts';
import { seeAgent } from '../../core/aggregator/ingest/agent-rows.ts';
import { effectOf } from '../../core/aggregator/ingest/effects/index.ts';
import { nonceRefOf } from '../../core/aggregator/ingest/nonce.ts';
import { readPayload } from '../../core/aggregator/ingest/payload.ts';
import { mark } from '../../core/aggregator/ingest/record.ts';
import { readItem } from '../../core/aggregator/ingest/signed.ts';
import { agents } from '../../core/aggregator/store/agents.ts';
import { heard } from '../../core/aggregator/store/heard.ts';
import type { Space } from '../../core/storage/space.ts';
import { network, type Report } from '../support/agents.ts';

/** What an ingest makes of these reports, all in one transaction; their signatures are not verified. */
export async function indexReports(
  space: Space,
  reports: readonly Report[],
  { epochs, now }: { readonly epochs: Epochs; readonly now: number },
): Promise<void> {
  const told = reports.map((report) => {
    const item = readItem(report, { network, now, live: false });
    if (!('header' in item)) throw new Error(JSON.stringify(item));
    const payload = readPayload(item);
    return { item, effect: effectOf(item, payload?.ok ? payload.value : undefined, { epochs }) };
  });
  const reads = await Promise.all(told.map(({ effect }) => effect.reads()));
  const own = told.flatMap(({ item }) => [nonceRefOf(item, network), agents.ref(item.sender), heard.ref(item.sender)]);
  await space.tx([...own, ...reads.flat()], (tx) => {
    for (const { item, effect } of told) {
      const { verdict } = mark(tx, item, epochs);
      seeAgent(tx, item.sender, item.at, epochs);
      const [dropped] = effect.apply(tx);
      if (verdict !== 'new' || dropped) throw new Error(`${item.msgType} is ${dropped ?? verdict}`);
    }
  });
}
