import type { ListedAgent } from '../../protocol/reputation/scorer.ts';
import { DONE_NOTHING } from '../../protocol/reputation/sums.ts';
import { type Collection, inPassing } from '../../storage/declarations.ts';
import type { Found } from '../../storage/pages.ts';
import type { Space } from '../../storage/space.ts';
import { agents, type StoredAgent } from '../store/agents.ts';
import { hosts } from '../store/hosts.ts';
import { activeStake, stakes } from '../store/ledger.ts';
import { ownership, speaksFor } from '../store/ownership.ts';
import { deeds, pairRef, pairs, type StoredPair } from '../store/scores.ts';

/** Documents read at once: few enough that nobody waits for them. */
const PAGE = 25;

/**
 * The stored facts that the scores of these agents are computed from; `listed` are their rows of the index, if known.
 */
export async function agentsOf(
  space: Space,
  ids: readonly string[],
  listed?: readonly StoredAgent[],
): Promise<ListedAgent[]> {
  const [rows, done, staked, owned, hosted] = await Promise.all([
    listed ?? space.getMany(ids.map((id) => inPassing(agents.ref(id)))),
    space.getMany(ids.map((id) => inPassing(deeds.ref(id)))),
    space.getMany(ids.map((id) => inPassing(stakes.ref(id)))),
    space.getMany(ids.map((id) => inPassing(ownership.ref(id)))),
    space.getMany(ids.map((id) => inPassing(hosts.ref(id)))),
  ]);
  return ids.map((id, index) => {
    const { standing, successor } = rows[index] ?? {};
    const { epoch, burnt, abandoned, disputes } = done[index] ?? DONE_NOTHING;
    const [stake, link, claim] = [staked[index], owned[index], hosted[index]];
    const owners = link?.link && speaksFor(link) ? [link.link.owner] : [];
    const host = claim?.host;
    // Member by member: an object of several spread ones takes four times the memory, and there is one for each agent of the mesh.
    return {
      id,
      epoch,
      burnt,
      abandoned,
      disputes,
      staked: stake ? activeStake(stake) : '0',
      active: standing?.active ?? 0,
      key_changes: standing?.key_changes ?? 0,
      // An agent that moves from host to host makes no one cluster of them.
      belongs: successor ? [successor.agent_id] : owners,
      heir: successor?.agent_id,
      left: successor && host !== undefined ? [...owners, host] : successor && owners,
      host: successor ? undefined : host,
      shown: standing ? { score: standing.score, rank: standing.rank } : null,
    };
  });
}

/** Names of pairs as `from>to`. */
export async function pairsOf(space: Space, names: readonly string[]): Promise<StoredPair[]> {
  const refs = names.map((name) => inPassing(pairRef(...(name.split('>') as [string, string]))));
  return (await space.getMany(refs)).filter((pair) => pair !== undefined);
}

/** How many agents and pairs are stored, but for agents that the index does not list. */
export async function sizeOf(space: Space): Promise<number> {
  const [listed, paid] = await Promise.all([space.count(agents), space.count(pairs)]);
  return listed + paid;
}

/** All pairs, a page at a time. */
export async function* allPairs(space: Space): AsyncGenerator<StoredPair[]> {
  for await (const rows of everything(space, pairs)) yield rows.map(({ value }) => value);
}

/** The same facts of every agent that has any, a page at a time; some agents come more than once. */
export async function* allAgents(space: Space): AsyncGenerator<ListedAgent[]> {
  for await (const rows of everything(space, agents))
    yield agentsOf(
      space,
      rows.map(({ id }) => id),
      rows.map(({ value }) => value),
    );
  for (const of of [deeds, stakes, ownership, hosts] as readonly Collection<unknown>[])
    for await (const rows of everything(space, of))
      yield agentsOf(
        space,
        rows.map(({ id }) => id),
      );
}

/** Every document of a collection, a page at a time. */
export async function* everything<T>(space: Space, of: Collection<T>): AsyncGenerator<Found<T>[]> {
  let after: { key: string; id: string } | undefined;
  for (;;) {
    const rows = await space.page(of, { limit: PAGE, once: true, ...(after && { after }) });
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return;
    after = { key: last.key, id: last.id };
  }
}
