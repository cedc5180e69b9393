import type { StoredLedgerEvent } from '../store/ledger.ts';
import type { StoredActivity } from '../store/logs.ts';

/** One thing that is counted about an agent, and when, Unix milliseconds. */
export type Sample = { readonly agentId: string; readonly at: number } & (
  | { readonly kind: 'message'; readonly type: string }
  | { readonly kind: 'partner' | 'verifier'; readonly name: string }
  /** Minor units. */
  | { readonly kind: 'amount'; readonly amount: bigint }
);

/**
 * The samples in an event of the feed. Its moment is the aggregator's own: the times and slots that an agent signs are
 * its own choice. A BEACON is no work, so its first one, which the feed shows, counts for nothing, nor does a change of keys.
 */
export function samplesOf({ event_type, agent_id, target_agent_id, at }: StoredActivity): Sample[] {
  if (event_type === 'JOIN' || event_type === 'KEY_CHANGE') return [];
  const message: Sample = { agentId: agent_id, at, kind: 'message', type: event_type };
  if (target_agent_id === undefined) return [message];
  switch (event_type) {
    case 'ACCEPT':
      return [
        message,
        { agentId: agent_id, at, kind: 'partner', name: target_agent_id },
        { agentId: target_agent_id, at, kind: 'partner', name: agent_id },
      ];
    case 'VERDICT':
      return [message, { agentId: target_agent_id, at, kind: 'verifier', name: agent_id }];
    default:
      return [message];
  }
}

/** The amount that an escrow paid its provider is a sample of both: only finalised money counts, never an offer. */
export function paidSamples({ facts, at }: StoredLedgerEvent): Sample[] {
  const { requester, provider, to_provider = '0' } = facts as Record<string, string | undefined>;
  const amount = BigInt(to_provider);
  if (requester === undefined || provider === undefined || requester === provider || amount <= 0n) return [];
  return [requester, provider].map((agentId): Sample => ({ agentId, at, kind: 'amount', amount }));
}
