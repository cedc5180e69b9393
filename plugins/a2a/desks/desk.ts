import type { DealView } from '../../../core/services.ts';
import type { Metadata } from '../protocol/objects.ts';
import type { Settling } from '../tasks/deal-status.ts';

/** A task that is to become a deal. */
export interface NewTask {
  readonly id: string;
  readonly agent: string;
  readonly words: string;
  /** The terms that the client named under the deal extension. */
  readonly terms: Metadata;
}

/** A step of a deal that a client asks for by a data part. */
export interface AskedStep {
  readonly action: string;
  readonly amount_usdc?: string;
  readonly reason?: string;
}

/** Acts on the mesh for the clients of one kind: an agent of this node is the requester of their deals. */
export interface Desk {
  readonly settling: Settling;
  propose(task: NewTask): Promise<DealView>;
  deal(id: string): Promise<DealView>;
  /** Withdraws the client's own offer, or refuses the agent's. */
  cancel(id: string): Promise<DealView>;
  say(id: string, agent: string, text: string, operationId: string): Promise<void>;
  /** Rejects with a refusal for a step that this desk does not take. */
  take(deal: DealView, step: AskedStep): Promise<DealView>;
  /** The step that this node takes by itself now; undefined when it waits for somebody. */
  ownStep(deal: DealView): (() => Promise<unknown>) | undefined;
}
