import type { Space } from '../../storage/space.ts';
import { behaviourRef, NOTHING_READ, standings, stateRef } from '../store/analytics.ts';
import { hosts } from '../store/hosts.ts';
import { ownership, speaksFor } from '../store/ownership.ts';
import { behaviourClusters, coordinationOf } from './behaviour.ts';
import { refreshOwnerClusters } from './owner-clusters.ts';
import type { Pace } from './pace.ts';
import { FLAGGED, MOST_COMPARED } from './parameters.ts';

const MOST_CLUSTERS = 100;

/** Makes all clusters anew after epochs were closed; a run that was interrupted is made again. */
export async function clusterAll(space: Space, closed: number, now: number, pace: Pace): Promise<void> {
  await refreshOwnerClusters(space, pace);
  const clusters = behaviourClusters(await comparedIn(space, now)).slice(0, MOST_CLUSTERS);
  const coordination = clusters.reduce((sum, { agents }) => sum + agents.length * coordinationOf(agents.length), 0);
  await space.tx([stateRef], (tx) => {
    const shown = clusters.map(({ agents, mean, mad }) => ({ agents: [...agents], mean, mad }));
    tx.put(behaviourRef, { clusters: shown, coordination });
    tx.put(stateRef, { ...(tx.get(stateRef) ?? NOTHING_READ), clustered: closed });
  });
}

/** The most anomalous of the flagged agents. */
async function comparedIn(space: Space, now: number) {
  const rows = await space.page(standings, { index: 'anomaly', to: [-FLAGGED], limit: MOST_COMPARED });
  const ids = rows.map(({ id }) => id);
  const [owned, hosted] = await Promise.all([
    space.getMany(ids.map((id) => ownership.ref(id))),
    space.getMany(ids.map((id) => hosts.ref(id))),
  ]);
  return rows.map(({ id, value: { latest, partners } }, index) => {
    const [link, claim] = [owned[index], hosted[index]];
    const isHosted = claim && claim.not_after * 1000 > now;
    const belongs = [...(link?.link && speaksFor(link) ? [link.link.owner] : []), ...(isHosted ? [claim.host] : [])];
    return { agentId: id, anomaly: latest!.anomaly, partners, belongs };
  });
}
