import { MeshError } from '../../contracts/errors.ts';
import type { Space } from '../../storage/space.ts';
import { agentIdFrom } from '../agent-param.ts';
import { agents } from '../store/agents.ts';
import {
  behaviourRef,
  epochId,
  ownerClusters,
  type StoredVector,
  standings,
  tallies,
  vectors,
} from '../store/analytics.ts';
import { isMeasured, vectorOf } from './entropy.ts';
import { newTally } from './tally.ts';
import { behaviourView, type Entropy, entropyView, ownerView } from './view.ts';

/** The agent that a path names; `not_found` when it has never signed anything. */
export async function knownAgent(space: Space, text: string): Promise<string> {
  const id = agentIdFrom(text);
  if (await space.get(agents.ref(id))) return id;
  throw new MeshError('not_found', 'This aggregator has not heard of that agent.');
}

/** An agent's epochs, the newest first: those that are open, then those that are closed. */
export async function historyOf(
  space: Space,
  agentId: string,
  { limit, before }: { readonly limit: number; readonly before?: number | undefined },
): Promise<Entropy[]> {
  const range = { idFrom: epochId(agentId, 0), idTo: before === undefined ? `${agentId}0` : epochId(agentId, before) };
  const query = { ...range, reverse: true, limit };
  const [open, closed] = await Promise.all([space.page(tallies, query), space.page(vectors, query)]);
  return [
    ...open.map(({ value }) => entropyView(agentId, vectorOf(value), false)),
    ...closed.map(({ value }) => entropyView(agentId, value, true)),
  ]
    .sort((one, other) => other.epoch - one.epoch)
    .slice(0, limit);
}

/** The present vector of an agent; without one the open epoch, which may say nothing yet. */
export async function entropyIn(space: Space, agentId: string, epoch: number): Promise<Entropy> {
  const standing = await space.get(standings.ref(agentId));
  if (standing?.latest) return entropyView(agentId, standing.latest, true);
  const [open] = await historyOf(space, agentId, { limit: 1 });
  return open ?? entropyView(agentId, vectorOf(newTally(agentId, epoch)), false);
}

/** Epochs with something to judge among the last closed ones. */
export async function measuredIn(
  space: Space,
  agentId: string,
  { window, closed }: { readonly window: number; readonly closed: number },
): Promise<StoredVector[]> {
  const from = Math.max(0, closed - window + 1);
  const range = { idFrom: epochId(agentId, from), idTo: epochId(agentId, closed + 1) };
  const rows = await space.page(vectors, { ...range, limit: window });
  return rows.map(({ value }) => value).filter(isMeasured);
}

/** Clusters by behaviour, of which there are few, then those by owner. */
export async function clustersIn(
  space: Space,
  {
    by,
    limit,
    offset,
  }: { readonly by?: 'owner' | 'behaviour' | undefined; readonly limit: number; readonly offset: number },
) {
  const found = by === 'owner' ? [] : ((await space.get(behaviourRef))?.clusters ?? []);
  const shown = found.slice(offset, offset + limit).map(behaviourView);
  if (by === 'behaviour' || shown.length === limit) return shown;
  const passed = Math.max(0, offset - found.length);
  const rows = await space.page(ownerClusters, { index: 'size', limit: limit - shown.length, offset: passed });
  return [...shown, ...rows.map(({ value }) => ownerView(value))];
}
