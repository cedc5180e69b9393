import type { Collection } from '../../storage/declarations.ts';
import type { Space } from '../../storage/space.ts';
import {
  flowClusterRef,
  flowClusters,
  flowLinks,
  flowMemberRef,
  flowMembers,
  flowRef,
  type StoredFlowCluster,
  type StoredFlowLink,
} from '../store/flows.ts';
import { clustersOf, type FlowLink } from './clusters.ts';
import { type FlowWindow, flowIn, isSettled } from './sums.ts';

/** The strongest links of a window that clusters are made of. */
const MOST_LINKS = 5_000;
const PAGE = 200;
const WRITTEN = 50;
/** Members that a cluster shows. */
const SHOWN = 200;

/** Makes the clusters of a window anew, and writes where they differ; a second run changes nothing. */
export async function recluster(space: Space, window: FlowWindow, signal: AbortSignal): Promise<void> {
  const found = clustersOf(await strongest(space, window, signal));
  const clusters = new Map<string, StoredFlowCluster>();
  const members = new Map<string, string>();
  for (const { cluster_id, agents, ...rest } of found) {
    const kept = { window, cluster_id, agents: agents.slice(0, SHOWN), agent_count: agents.length, ...rest };
    clusters.set(flowClusterRef(window, cluster_id).id, kept);
    for (const agent of agents) members.set(flowMemberRef(window, agent).id, cluster_id);
  }
  const oldMembers = await stored(space, flowMembers, window, signal);
  const changes = [
    ...differences(oldMembers, members, (one, id) => one.cluster_id === id).map(
      ([id, cluster_id]) => [flowMembers.ref(id), cluster_id === undefined ? undefined : { cluster_id }] as const,
    ),
    ...differences(
      await stored(space, flowClusters, window, signal),
      clusters,
      (one, other) => JSON.stringify(one) === JSON.stringify(other),
    ).map(([id, cluster]) => [flowClusters.ref(id), cluster] as const),
  ];
  for (let at = 0; at < changes.length; at += WRITTEN) {
    signal.throwIfAborted();
    await space.tx([], (tx) => {
      for (const [ref, value] of changes.slice(at, at + WRITTEN)) {
        if (value === undefined) tx.del(ref);
        else tx.put<any>(ref, value);
      }
    });
  }
}

async function strongest(space: Space, window: FlowWindow, signal: AbortSignal): Promise<FlowLink[]> {
  const links: FlowLink[] = [];
  let after: { key: string; id: string } | undefined;
  while (links.length < MOST_LINKS) {
    signal.throwIfAborted();
    const rows = await space.page(flowLinks, {
      index: 'strong',
      prefix: [window],
      limit: PAGE,
      ...(after && { after }),
    });
    links.push(...(await Promise.all(rows.map(({ value }) => linkIn(space, value, window)))));
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) break;
    after = { key: last.key, id: last.id };
  }
  return links.slice(0, MOST_LINKS);
}

async function linkIn(space: Space, link: StoredFlowLink, window: FlowWindow): Promise<FlowLink> {
  const { one, other, windows, settled } = link;
  // Links that were stored before they told of what they are: the flow itself knows.
  const flow = settled ? undefined : await space.get(flowRef(one, other));
  return {
    ...{ one, other, flow: windows[window]! },
    isSettled: settled?.includes(window) ?? (flow !== undefined && isSettled(flowIn(flow, window))),
  };
}

async function stored<T>(
  space: Space,
  of: Collection<T, string>,
  window: FlowWindow,
  signal: AbortSignal,
): Promise<Map<string, T>> {
  const found = new Map<string, T>();
  let after: { key: string; id: string } | undefined;
  for (;;) {
    signal.throwIfAborted();
    const rows = await space.page(of, { idPrefix: `${window}/`, limit: PAGE, ...(after && { after }) });
    for (const { id, value } of rows) found.set(id, value);
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return found;
    after = { key: last.key, id: last.id };
  }
}

function differences<T, U>(
  before: ReadonlyMap<string, T>,
  after: ReadonlyMap<string, U>,
  isSame: (one: T, other: U) => boolean,
): [string, U | undefined][] {
  const gone = [...before.keys()].filter((id) => !after.has(id)).map((id): [string, undefined] => [id, undefined]);
  const changed = [...after].filter(([id, value]) => !before.has(id) || !isSame(before.get(id)!, value));
  return [...gone, ...changed];
}
