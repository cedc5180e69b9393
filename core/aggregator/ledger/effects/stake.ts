import type { SettlementEvent } from '../../../protocol/settlement/events.ts';
import type { Epochs } from '../../epochs.ts';
import { type Effect, NOTHING_DROPPED } from '../../ingest/effects/effect.ts';
import { addDeed, inUsdc } from '../../ingest/score-facts.ts';
import { type StoredStake, stakes } from '../../store/ledger.ts';

/**
 * Any event about an agent's stake, lease or batches: its account must be read. Events say that something changed;
 * the account shows the result, even when an event before was missed.
 */
export function stakeEffect(event: Extract<SettlementEvent, { key: string }>, epochs: Epochs): Effect {
  const ref = stakes.ref(event.key);
  return {
    reads: () => [ref],
    apply(tx) {
      const known = tx.get(ref) ?? unread(event.key);
      const slashes = known.slashes + (event.name === 'agent_slashed' ? 1 : 0);
      tx.put(ref, { ...known, slashes, event_slot: Math.max(known.event_slot, event.slot), stale: true });
      const burnt = burntBy(event);
      if (burnt > 0n) addDeed(tx, event.key, { burnt: inUsdc(burnt) }, event.time * 1000, epochs);
      return NOTHING_DROPPED;
    },
  };
}

/** The sum that left the agent for certain. A bounty does not count: the agent's own accuser may have got it. */
function burntBy(event: SettlementEvent): bigint {
  if (event.name === 'lease_paid') return event.amount;
  return event.name === 'agent_slashed' ? event.amount - event.bounty : 0n;
}

/** The row of a key whose account has not been read. */
export function unread(key: string): StoredStake {
  return {
    key,
    agent_id: key,
    state: 'none',
    stake: '0',
    stake_owner: null,
    start: 0,
    last: 0,
    duties: false,
    settled_epoch: 0,
    open: 0,
    skipped: [],
    batches: [],
    paid_through: 0,
    slashes: 0,
    event_slot: 0,
    read_slot: 0,
    stale: true,
  };
}
