import type { SettlementEvent } from '../../../protocol/settlement/events.ts';
import { type Effect, NOTHING_DROPPED } from '../../ingest/effects/effect.ts';
import { newOwnership, ownership } from '../../store/ownership.ts';
import { scoreChanges } from '../../store/scores.ts';

/** The link between a key and its owner is on the ledger, whoever put it there. */
export function linkedEffect(event: Extract<SettlementEvent, { name: 'owner_claimed' }>): Effect {
  const { key, agentId, owner, signature } = event;
  const ref = ownership.ref(key);
  return {
    reads: () => [ref],
    apply(tx) {
      const known = tx.get(ref) ?? newOwnership(key, agentId);
      const link = { owner, claimed_at: event.time * 1000, signature };
      tx.put(ref, { ...known, agent_id: agentId, status: 'claimed', link });
      tx.append(scoreChanges, { from: key });
      return NOTHING_DROPPED;
    },
  };
}
