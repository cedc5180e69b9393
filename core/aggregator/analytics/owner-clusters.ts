import type { Logged } from '../../storage/pages.ts';
import type { Space } from '../../storage/space.ts';
import type { Tx } from '../../storage/transaction.ts';
import { ownerClusters, type StoredOwnerCluster, standings } from '../store/analytics.ts';
import type { StoredLedgerEvent } from '../store/ledger.ts';
import { ownership } from '../store/ownership.ts';
import { spreadOf } from './behaviour.ts';
import type { Pace } from './pace.ts';
import { MOST_OWNED } from './parameters.ts';

const PAGE = 50;

/** The wallets that events made owners of something. */
export function ownersIn(events: readonly Logged<StoredLedgerEvent>[]): string[] {
  const owners = events.map(({ record: { name, facts } }) =>
    name === 'owner_claimed' ? (facts as Record<string, string | undefined>)['owner'] : undefined,
  );
  return [...new Set(owners.filter((owner) => owner !== undefined))];
}

/** The agents of a wallet as they are linked now. */
export async function readOwnerCluster(space: Space, owner: string): Promise<StoredOwnerCluster> {
  const rows = await space.page(ownership, { index: 'owner', prefix: [owner], limit: MOST_OWNED });
  const agents = rows.map(({ value }) => value.agent_id);
  const known = await space.getMany(agents.map((id) => standings.ref(id)));
  return { owner, agents, ...spreadOf(known.map((one) => (one?.counted ? (one.latest?.anomaly ?? 0) : 0))) };
}

export function putOwnerCluster(tx: Tx, cluster: StoredOwnerCluster): void {
  if (cluster.agents.length > 1) tx.put(ownerClusters.ref(cluster.owner), cluster);
}

/** Brings the anomalies of all owners' agents up to date. */
export async function refreshOwnerClusters(space: Space, pace: Pace): Promise<void> {
  for (let after: { key: string; id: string } | undefined; ; ) {
    const rows = await space.page(ownerClusters, { limit: PAGE, ...(after && { after }) });
    for (const { id } of rows) {
      await pace.step();
      const cluster = await readOwnerCluster(space, id);
      await space.tx([], (tx) => putOwnerCluster(tx, cluster));
    }
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return;
    after = { key: last.key, id: last.id };
  }
}
