import type { HistoryGap, SettlementEvent } from '../../../protocol/settlement/events.ts';
import type { Space } from '../../../storage/space.ts';
import type { Epochs } from '../../epochs.ts';
import { type Effect, NOTHING_DROPPED } from '../../ingest/effects/effect.ts';
import { accusationEndEffect, accusedEffect } from './accusation.ts';
import { lockedEffect, movedEffect, paidEffect } from './escrow.ts';
import { linkedEffect } from './owner.ts';
import { stakeEffect } from './stake.ts';

const NO_EFFECT: Effect = { reads: () => [], apply: () => NOTHING_DROPPED };

/** The effect of one entry of the settlement program's history on the public record. */
export function entryEffect(
  entry: SettlementEvent | HistoryGap,
  parts: { readonly space: Space; readonly epochs: Epochs },
): Effect {
  switch (entry.name) {
    case 'gap':
    case 'payee_changed':
      return NO_EFFECT;
    case 'escrow_locked':
      return lockedEffect(entry, parts);
    case 'escrow_delivered':
    case 'escrow_disputed':
    case 'escrow_contested':
      return movedEffect(entry, parts);
    case 'escrow_approved':
    case 'escrow_refunded':
    case 'escrow_reclaimed':
    case 'escrow_claimed':
    case 'escrow_decided':
    case 'escrow_split':
      return paidEffect(entry, parts);
    case 'agent_accused':
      return accusedEffect(entry, parts.epochs);
    case 'accusation_answered':
    case 'accusation_voided':
      return accusationEndEffect(entry, parts.epochs);
    case 'owner_claimed':
      return linkedEffect(entry);
    default:
      return stakeEffect(entry, parts.epochs);
  }
}
