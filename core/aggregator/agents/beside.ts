import type { Space } from '../../storage/space.ts';
import type { StoredAgent } from '../store/agents.ts';
import { hosts, type StoredHost } from '../store/hosts.ts';
import { stakes } from '../store/ledger.ts';
import type { Beside } from './view.ts';

/** Stakes and hosts of the agents of a page, each found by its key; without a ledger nobody has a stake. */
export async function besideOf(
  space: Space,
  page: readonly StoredAgent[],
  { now, hasLedger }: { readonly now: number; readonly hasLedger: boolean },
): Promise<Beside[]> {
  const [staked, claims] = await Promise.all([
    hasLedger ? space.getMany(page.map(({ agent_id }) => stakes.ref(agent_id))) : [],
    space.getMany(page.map(({ agent_id }) => hosts.ref(agent_id))),
  ]);
  return page.map((_, index) => ({
    stake: BigInt(staked[index]?.stake ?? '0'),
    host: hostNow(claims[index], now),
  }));
}

/** The host of a claim that has not ended. */
export function hostNow(claim: StoredHost | undefined, now: number): string | undefined {
  return claim && claim.not_after * 1_000 > now ? claim.host : undefined;
}
