import { AggregatorClient } from '../../client/aggregator-client.ts';
import type { OwnTerms } from '../../services.ts';
import type { Announcement } from './announcement.ts';

/** Seconds that must be left for the wallet to sign and the link to be written. */
const LEAST_SECS = 600;
/** The longest that an aggregator takes. */
const MOST_SECS = 30 * 86_400;

/**
 * A proposal of this wallet that was made at an aggregator by a token of this agent alone, and lacks the agent's signature: to
 * sign that one keeps what the wallet has signed already. Nonce and expiry are all that is taken from the aggregator.
 */
export async function begunProposal(
  owner: string,
  { agentId, aggregators, means }: Pick<Announcement, 'agentId' | 'aggregators' | 'means'>,
  nowSecs: number,
): Promise<OwnTerms | undefined> {
  const told = await Promise.allSettled(
    aggregators.map((url) => new AggregatorClient({ ...means, url }).owner(agentId)),
  );
  for (const one of told) {
    if (one.status === 'rejected') continue;
    const { status, proposed_owner, agent_signed, nonce = '', expires = 0 } = one.value;
    if (status !== 'pending' || agent_signed !== false || proposed_owner !== owner) continue;
    const left = expires - nowSecs;
    if (/^[0-9a-f]{16}$/.test(nonce) && left >= LEAST_SECS && left <= MOST_SECS) return { owner, nonce, expires };
  }
  return undefined;
}
