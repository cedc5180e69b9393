import type { SettlementEvent } from '../../../protocol/settlement/events.ts';
import { escrowEffect } from '../../ingest/effects/deal.ts';
import { type Effect, NOTHING_DROPPED } from '../../ingest/effects/effect.ts';
import { addPayment } from '../../ingest/score-facts.ts';
import { escrowRef, type StoredEscrow } from '../../store/ledger.ts';
import { confirmEnd, type EscrowParts, markOf, refsOf } from './escrow-end.ts';

type EventOf<N extends SettlementEvent['name']> = Extract<SettlementEvent, { name: N }>;
type Moved = EventOf<'escrow_delivered' | 'escrow_disputed' | 'escrow_contested'>;
type Paid = EventOf<
  'escrow_approved' | 'escrow_refunded' | 'escrow_reclaimed' | 'escrow_claimed' | 'escrow_decided' | 'escrow_split'
>;
type Outcome = NonNullable<StoredEscrow['ending']>['outcome'];

const OUTCOMES: Readonly<Record<Paid['name'], Outcome>> = {
  escrow_approved: 'released',
  escrow_refunded: 'refunded',
  escrow_reclaimed: 'reclaimed',
  escrow_claimed: 'claimed',
  escrow_decided: 'decided',
  escrow_split: 'split',
};
/** An escrow is paid out in four steps at the most: its end, and once for each account that could not receive. */
const MAX_STEPS = 16;

/**
 * A requester locked money: a new escrow, and a fact for the deal whose ACCEPT it names. The name of an escrow is
 * free only when the one before is gone, so the lock confirms how that one ended.
 */
export function lockedEffect(event: EventOf<'escrow_locked'>, parts: EscrowParts): Effect {
  const { requester, provider, conversation, notary, terms, deadline, reviewSecs, disputeBps } = event;
  const ref = escrowRef(event);
  const at = event.time * 1000;
  const mark = { terms, locked_at: at, amount: event.amount.toString() };
  const lock = {
    ...{ requester, provider, notary, at, amount: mark.amount, bond: event.bond.toString() },
    ...{ deadline: deadline * 1000, review_secs: reviewSecs, dispute_bps: disputeBps },
  };
  const deal = escrowEffect({ type: 'locked', ...mark, lock }, event, parts);
  return {
    reads: () => refsOf(event),
    apply(tx) {
      const before = tx.get(ref);
      if (before && (before.locked_at > at || before.signature === event.signature)) return NOTHING_DROPPED;
      const dropped = before?.ending ? confirmEnd(tx, before, parts) : NOTHING_DROPPED;
      tx.put(ref, {
        ...{ requester, provider, notary, ...mark, bond: lock.bond },
        conversation_id: conversation,
        deadline: lock.deadline,
        review_secs: reviewSecs,
        dispute_bps: disputeBps,
        state: 'locked',
        delivered_at: null,
        delivery: null,
        disputed_at: null,
        closed_at: null,
        released: '0',
        signature: event.signature,
        stale: true,
        event_slot: event.slot,
      });
      return [...dropped, ...deal.apply(tx)];
    },
  };
}

/** Its provider named a delivery, its requester disputed it, or its provider refused what the dispute offers. */
export function movedEffect(event: Moved, parts: EscrowParts): Effect {
  const ref = escrowRef(event);
  return {
    reads: () => refsOf(event),
    apply(tx) {
      const escrow = tx.get(ref);
      if (!escrow || !isOf(escrow, event)) return NOTHING_DROPPED;
      tx.put(ref, { ...moved(escrow, event), stale: true, event_slot: Math.max(escrow.event_slot ?? 0, event.slot) });
      if (event.name !== 'escrow_delivered') return NOTHING_DROPPED;
      return escrowEffect({ type: 'escrow_delivered', ...markOf(escrow) }, event, parts).apply(tx);
    },
  };
}

/** An event that was passed over, and is told late, changes no state that came after it. */
function moved(escrow: StoredEscrow, event: Moved): StoredEscrow {
  const at = event.time * 1000;
  const ended = escrow.ending !== undefined || escrow.closed_at !== null;
  switch (event.name) {
    case 'escrow_delivered': {
      const told = { ...escrow, delivered_at: at, delivery: event.delivery };
      return ended || escrow.state !== 'locked' ? told : { ...told, state: 'delivered' };
    }
    case 'escrow_disputed': {
      const offer = Math.max(escrow.offer_bps ?? 0, event.offerBps);
      const told = { ...escrow, disputed_at: escrow.disputed_at ?? at, offer_bps: offer };
      return ended || escrow.contested ? told : { ...told, state: 'disputed' };
    }
    case 'escrow_contested': {
      const told = { ...escrow, contested: true, disputed_at: at, offer_bps: event.offerBps };
      return ended ? told : { ...told, state: 'contested' };
    }
  }
}

/**
 * An escrow ended, or paid a sum that had to wait. The event says how; the account confirms it (escrow-end.ts). A
 * payment from an escrow that was never seen locked counts as settled between the two at once.
 */
export function paidEffect(event: Paid, parts: EscrowParts): Effect {
  const ref = escrowRef(event);
  return {
    reads: () => [ref],
    apply(tx) {
      const escrow = tx.get(ref);
      if (escrow && isOf(escrow, event)) tx.put(ref, paid(escrow, event));
      else if (!escrow && event.toProvider > 0n) {
        addPayment(tx, event, event.toProvider, parts.epochs, event.time * 1000);
      }
      return NOTHING_DROPPED;
    },
  };
}

function paid(escrow: StoredEscrow, event: Paid): StoredEscrow {
  const step = `${event.signature} ${event.ordinal}`;
  const { steps = [], released } = escrow;
  if (steps.includes(step) || steps.length >= MAX_STEPS) return escrow;
  const before = escrow.payouts ?? { to_provider: released, to_requester: '0', burnt: '0' };
  const told = event.name === 'escrow_split' && !escrow.ending && event.offerBps > 0;
  return {
    ...escrow,
    ...(told && { offer_bps: event.offerBps }),
    ...(event.name === 'escrow_decided' && { decision: event.forProvider, contested: true }),
    payouts: {
      to_provider: sum(before.to_provider, event.toProvider),
      to_requester: sum(before.to_requester, event.toRequester),
      burnt: sum(before.burnt, event.burnt),
    },
    waiting: event.remaining.toString(),
    ending: escrow.ending ?? { outcome: OUTCOMES[event.name], at: event.time * 1000 },
    steps: [...steps, step],
    stale: true,
    event_slot: Math.max(escrow.event_slot ?? 0, event.slot),
  };
}

/** Whether the event is about this escrow and not about one of the same name that was locked later, or before. */
function isOf(escrow: StoredEscrow, event: SettlementEvent): boolean {
  return event.time * 1000 >= escrow.locked_at;
}

function sum(digits: string, more: bigint): string {
  return (BigInt(digits) + more).toString();
}
