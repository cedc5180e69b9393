import type { SchemaTypes } from '../../schemas/types.ts';
import { guardedToken } from '../platform/token.ts';

/** A deal as this node sees it, the same as at `GET /deals/{conversation_id}`. */
export type DealView = SchemaTypes['deal-view'];
/** The envelope that was sent, and the deal after it. */
export type DealStep = SchemaTypes['deal-step'];
/** The transaction that was confirmed, and the deal after it. */
export type EscrowStep = SchemaTypes['escrow-step'];

export interface StepOptions {
  /**
   * Makes a repeated call harmless for 24 hours: it gives the answer of the first, and `idempotency_mismatch` when it asks for
   * something else. 1 to 255 printable ASCII characters; those of other plugins and other steps are others.
   */
  readonly operationId?: string | undefined;
}

/**
 * The deals of this agent. Requests and answers are those of the HTTP API, with the same checks: a step that the deal does not
 * allow is refused with `invalid_transition` and `allowed_actions`, one beyond what the operator allows with `spending_cap`.
 * Reading needs the permission `deals:read`, a step `deals:act`; without it a call rejects with `forbidden`. A step that takes USDC
 * from the wallet or releases it (`pay`, `lock`, `approve`) is in `Payments`.
 */
export interface Deals {
  /** Rejects with `not_found`. */
  get(conversationId: string): Promise<DealView>;
  /** The most recently changed first; `next` of a page goes into `before` for the one behind it. */
  page(query?: SchemaTypes['deals-query']): Promise<SchemaTypes['deals-page']>;
  /**
   * Tells of every deal that changes from now on, one at a time: the next when `told` has ended. A deal that changes meanwhile is
   * told once more, as it is then. A throw is logged. `page` finds the changes of before, and of the time when the node was down.
   * Gives the function that ends it; the stop of the node ends it too.
   */
  follow(told: (deal: DealView) => void | Promise<void>): () => void;

  /** Offers a deal; this agent is its requester. */
  propose(request: SchemaTypes['propose-request'], options?: StepOptions): Promise<DealStep>;
  /** Answers an offer with another. */
  counter(request: SchemaTypes['counter-request'], options?: StepOptions): Promise<DealStep>;
  /** Accepts the last offer. */
  accept(request: SchemaTypes['accept-request'], options?: StepOptions): Promise<DealStep>;
  /** Refuses an offer, or withdraws one. */
  reject(request: SchemaTypes['reject-request'], options?: StepOptions): Promise<DealStep>;
  /** Hands over the work. Exactly one of `content`, `content_b64` and `payload_uri`. */
  deliver(request: SchemaTypes['deliver-request'], options?: StepOptions): Promise<DealStep>;
  /** Objects to a delivery; everybody may read it. */
  dispute(request: SchemaTypes['dispute-request'], options?: StepOptions): Promise<DealStep>;
  /** Rates the other side of a deal that has ended, for everybody to see. */
  feedback(request: SchemaTypes['feedback-request'], options?: StepOptions): Promise<SchemaTypes['sent']>;

  /** Steps on what is locked for a deal. Each is taken once, however often it is asked for. */
  readonly escrow: EscrowOfDeals;
}

/**
 * A deal has one money step at a time: another one meanwhile rejects with `conflict`, which names the step that runs. All reject
 * with `ledger_unavailable` on a node without a ledger and `ledger_program_missing` where it has no settlement program.
 */
export interface EscrowOfDeals {
  /** The open escrow, from the ledger's finalised state. Rejects with `escrow_not_found`. */
  get(conversationId: string): Promise<SchemaTypes['escrow-view']>;
  /** Names the DELIVER on the ledger, as the provider; the node does so by itself. */
  deliver(request: SchemaTypes['escrow-request']): Promise<EscrowStep>;
  /** Gives everything back, as the provider. */
  refund(request: SchemaTypes['escrow-request']): Promise<EscrowStep>;
  /** Takes back what was not delivered before the deadline; the node does so by itself. */
  reclaim(request: SchemaTypes['escrow-request']): Promise<EscrowStep>;
  /** Takes what nobody answered within the review; the node does so by itself. */
  claim(request: SchemaTypes['escrow-request']): Promise<EscrowStep>;
  /** Ends a dispute; the node does so by itself. */
  split(request: SchemaTypes['escrow-request']): Promise<EscrowStep>;
  /** Objects within the review, as the requester, and offers a share; again while disputed raises it. */
  dispute(request: SchemaTypes['escrow-dispute-request']): Promise<EscrowStep>;
  /** Refuses the offer of a dispute, as the provider. */
  contest(request: SchemaTypes['escrow-contest-request']): Promise<EscrowStep>;
}

export const Deals = guardedToken<Deals>('deals', 'deals:read', 'deals:act');
