import type { Deal, Stamp } from './deal.ts';
import type { Action, DealEvent } from './events.ts';
import { judged } from './judgement.ts';

/**
 * The result of an event. `applied`: the deal changed. `duplicate`: this event was applied before. `crossed`: the
 * message was lawful when it was sent, but one that takes precedence was on its way; the deal is as before and nobody
 * did wrong.
 */
export type Step =
  | { readonly ok: true; readonly deal: Deal; readonly outcome: 'applied' | 'duplicate' | 'crossed' }
  | Refusal;

export interface Refusal {
  readonly ok: false;
  readonly code: 'invalid_transition';
  /** A sentence for the sender. */
  readonly detail: string;
  /** The actions that the deal allows the sender now. */
  readonly allowed: readonly Action[];
  /** The event refers to one that has not arrived: its sender, or the reader of the ledger, tries again. */
  readonly premature: boolean;
}

/** The answer of the rules to one event: the facts that it adds, or why it adds none. */
export type Ruling =
  /** `untold`: without a line in the history, for facts that only ever grow. */
  | { readonly add: Partial<Deal>; readonly untold?: boolean }
  | { readonly crossed: true }
  | { readonly refuse: string; readonly premature?: boolean };

export function refuse(detail: string): Ruling {
  return { refuse: detail };
}

export function tooEarly(detail: string): Ruling {
  return { refuse: detail, premature: true };
}

export function stampOf(event: DealEvent): Stamp {
  return { id: event.id, by: event.by, at: event.at };
}

/** The deal with an event's facts and its line in the history, judged anew. */
export function withFacts(deal: Deal, event: DealEvent, add: Partial<Deal>, untold = false): Deal {
  const history = untold ? deal.history : [...deal.history, { event: event.type, ...stampOf(event) }];
  return judged({ ...deal, ...add, history }, deal.clock);
}
