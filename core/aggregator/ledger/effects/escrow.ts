import type { EscrowOutcome } from '../../../deals/deal.ts';
import type { SettlementEvent } from '../../../ledger/settlement-events.ts';
import type { Space } from '../../../storage/space.ts';
import type { Epochs } from '../../epochs.ts';
import { escrowEffect } from '../../ingest/effects/deal.ts';
import { type Effect, NOTHING_DROPPED } from '../../ingest/effects/effect.ts';
import { addRelease } from '../../ingest/effects/settled.ts';
import { escrowRef, flowRef, type StoredEscrow } from '../../store/ledger.ts';

type EventOf<N extends SettlementEvent['name']> = Extract<SettlementEvent, { name: N }>;
type Closed = EventOf<'escrow_approved' | 'escrow_refunded' | 'escrow_reclaimed' | 'escrow_claimed' | 'escrow_split'>;
interface Parts {
  readonly space: Space;
  readonly epochs: Epochs;
}

const OUTCOMES: Readonly<Record<Closed['name'], EscrowOutcome>> = {
  escrow_approved: 'released',
  escrow_refunded: 'refunded',
  escrow_reclaimed: 'reclaimed',
  escrow_claimed: 'claimed',
  escrow_split: 'split',
};

/** Money was locked: a new escrow, and a fact for the deal whose ACCEPT it names. */
export function lockedEffect(event: EventOf<'escrow_locked'>, parts: Parts): Effect {
  const { requester, provider, conversation, notary, terms, deadline, reviewSecs, disputeBps } = event;
  const at = event.time * 1000;
  const lock = { requester, provider, notary, at, deadline: deadline * 1000 };
  const deal = escrowEffect({ type: 'locked', terms, lock }, event, parts);
  return {
    reads: () => deal.reads(),
    apply(tx) {
      tx.put(escrowRef(event), {
        ...{ requester, provider, notary, terms },
        conversation_id: conversation,
        amount: event.amount.toString(),
        deadline: deadline * 1000,
        review_secs: reviewSecs,
        dispute_bps: disputeBps,
        state: 'locked',
        locked_at: at,
        delivered_at: null,
        delivery: null,
        disputed_at: null,
        closed_at: null,
        released: '0',
        signature: event.signature,
        stale: false,
      });
      return deal.apply(tx);
    },
  };
}

/** Its provider named a delivery, or its requester disputed it. */
export function movedEffect(event: EventOf<'escrow_delivered' | 'escrow_disputed'>): Effect {
  const ref = escrowRef(event);
  return {
    reads: () => [ref],
    apply(tx) {
      const escrow = tx.get(ref);
      if (escrow) tx.put(ref, moved(escrow, event));
      return NOTHING_DROPPED;
    },
  };
}

function moved(escrow: StoredEscrow, event: EventOf<'escrow_delivered' | 'escrow_disputed'>): StoredEscrow {
  const at = event.time * 1000;
  return event.name === 'escrow_disputed'
    ? { ...escrow, state: 'disputed', disputed_at: at }
    : { ...escrow, state: 'delivered', delivered_at: at, delivery: event.delivery };
}

/** It ended. What its provider got counts as settled between the two. */
export function closedEffect(event: Closed, parts: Parts): Effect {
  const ref = escrowRef(event);
  const at = event.time * 1000;
  const outcome = OUTCOMES[event.name];
  let deal: Effect | undefined;
  return {
    async reads() {
      const escrow = await parts.space.get(ref);
      const fact = escrow && ({ type: 'closed', terms: escrow.terms, outcome, at } as const);
      deal = fact && escrowEffect(fact, event, parts);
      return [ref, flowRef(event.requester, event.provider), ...((await deal?.reads()) ?? [])];
    },
    apply(tx) {
      const released = releasedBy(event);
      if (released > 0n) addRelease(tx, event, released, at, parts.epochs);
      const escrow = tx.get(ref);
      if (!escrow || !deal) return NOTHING_DROPPED;
      // A split whose one share has to wait is finished by a second event.
      const total = BigInt(escrow.state === 'split' ? escrow.released : '0') + released;
      tx.put(ref, { ...escrow, state: outcome, closed_at: at, released: total.toString(), stale: false });
      return deal.apply(tx);
    },
  };
}

function releasedBy(event: Closed): bigint {
  if (event.name === 'escrow_split') return event.toProvider;
  return event.name === 'escrow_approved' || event.name === 'escrow_claimed' ? event.amount : 0n;
}
