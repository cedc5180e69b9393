import type { SettlementEvent } from '../../../ledger/settlement-events.ts';
import type { Effect } from '../../ingest/effects/effect.ts';
import { accusationRef } from '../../store/accusations.ts';
import { stakeEffect } from './stake.ts';

type EventOf<N extends SettlementEvent['name']> = Extract<SettlementEvent, { name: N }>;

/** Somebody says that a batch lacks an envelope: whoever has the leaf list can answer. */
export function accusedEffect(event: EventOf<'agent_accused'>): Effect {
  const stake = stakeEffect(event);
  const { key, accuser, id, epoch, index } = event;
  return {
    reads: () => stake.reads(),
    apply(tx) {
      tx.put(accusationRef(key, id), { key, accuser, id, epoch, index, tries: 0, next_try: 0 });
      return stake.apply(tx);
    },
  };
}

/** It was answered, or a slash has settled it. */
export function accusationEndEffect(event: EventOf<'accusation_answered' | 'accusation_voided'>): Effect {
  const stake = stakeEffect(event);
  return {
    reads: () => stake.reads(),
    apply(tx) {
      tx.del(accusationRef(event.key, event.id));
      return stake.apply(tx);
    },
  };
}
