import type { SettlementEvent } from '../../../protocol/settlement/events.ts';
import type { Epochs } from '../../epochs.ts';
import type { Effect } from '../../ingest/effects/effect.ts';
import { accusationRef } from '../../store/accusations.ts';
import { stakeEffect } from './stake.ts';

type EventOf<N extends SettlementEvent['name']> = Extract<SettlementEvent, { name: N }>;

/**
 * An accuser says that a batch lacks an envelope; every holder of the leaf list can answer. The same envelope can be
 * accused again after an answer.
 */
export function accusedEffect(event: EventOf<'agent_accused'>, epochs: Epochs): Effect {
  const stake = stakeEffect(event, epochs);
  const { key, accuser, id, epoch, index, slot } = event;
  const ref = accusationRef(key, id);
  return {
    reads: () => [ref, ...(stake.reads() as [])],
    apply(tx) {
      const known = tx.get(ref);
      if (!known || (known.slot ?? 0) < slot)
        tx.put(ref, { key, accuser, id, epoch, index, tries: 0, next_try: 0, slot });
      return stake.apply(tx);
    },
  };
}

/** It was answered, or a slash has settled it; one that was made since stays. */
export function accusationEndEffect(
  event: EventOf<'accusation_answered' | 'accusation_voided'>,
  epochs: Epochs,
): Effect {
  const stake = stakeEffect(event, epochs);
  const ref = accusationRef(event.key, event.id);
  return {
    reads: () => [ref, ...(stake.reads() as [])],
    apply(tx) {
      if ((tx.get(ref)?.slot ?? 0) <= event.slot) tx.del(ref);
      return stake.apply(tx);
    },
  };
}
