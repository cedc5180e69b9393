import assert from 'node:assert/strict';
import { advance } from '../../core/protocol/deals/advance.ts';
import type { Deal, Terms } from '../../core/protocol/deals/deal.ts';
import type { DealEvent, ProposeEvent } from '../../core/protocol/deals/events.ts';
import { openDeal } from '../../core/protocol/deals/open.ts';

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
/** When the deals of the tests begin. */
export const T0 = 1_767_225_600_000;
export const ALICE = 'alice';
export const BOB = 'bob';
export const NOTARY = 'nora';

export function proposal(terms: Partial<Terms> = {}, more: Partial<ProposeEvent> = {}): ProposeEvent {
  return {
    type: 'propose',
    id: 'p1',
    by: ALICE,
    to: BOB,
    at: T0,
    conversation: '000102030405060708090a0b0c0d0e0f',
    terms: { amount: '5000000', ...terms },
    ...more,
  };
}

export function opened(terms: Partial<Terms> = {}, more: Partial<ProposeEvent> = {}): Deal {
  const step = openDeal(proposal(terms, more));
  assert.ok(step.ok, step.ok ? '' : step.detail);
  return step.deal;
}

/** Applies events that must all be applied. */
export function applied(deal: Deal, ...events: DealEvent[]): Deal {
  return events.reduce((current, event) => {
    const step = advance(current, event);
    assert.ok(step.ok && step.outcome === 'applied', `${event.type}: ${step.ok ? step.outcome : step.detail}`);
    return step.deal;
  }, deal);
}

let serial = 0;
const ALL = { to_provider: '5000000', to_requester: '0', burnt: '0', remaining: '0' };
/** The figures of ledger events whose test does not care. */
const FIGURES: Partial<Record<DealEvent['type'], object>> = {
  escrow_disputed: { offer_bps: 0 },
  escrow_contested: { offer_bps: 0 },
  released: ALL,
  claimed: ALL,
  decided: ALL,
  refunded: { ...ALL, to_provider: '0', to_requester: '5000000' },
  reclaimed: { ...ALL, to_provider: '0', to_requester: '5000000' },
  split: ALL,
};

/** A message or ledger event with an id of its own; `minutes` after the deals of the tests begin. */
export function event<K extends DealEvent['type']>(
  type: K,
  by: string,
  minutes: number,
  rest: Record<string, unknown> = {},
): DealEvent {
  serial += 1;
  const told = { ...FIGURES[type], ...rest };
  return { type, by, at: T0 + minutes * 60_000, id: `${type}-${serial}`, ...told } as unknown as DealEvent;
}

export function accept(by = BOB, minutes = 1, offer = 'p1', amount = '5000000'): DealEvent {
  return event('accept', by, minutes, { offer, amount });
}
