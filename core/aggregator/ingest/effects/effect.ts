import type { Ref } from '../../../storage/declarations.ts';
import type { Tx } from '../../../storage/transaction.ts';

/** What one kind of envelope means for the public record. */
export interface Effect {
  /** Documents it works on, besides the sender's row. */
  reads(): readonly Ref<any>[] | Promise<readonly Ref<any>[]>;
  /**
   * Runs inside the item's transaction, so it must be pure. It runs again when an envelope follows its own receipt, and
   * then adds only what the payload adds. Returns why feedback was dropped, once for each that was.
   */
  apply(tx: Tx): readonly DropReason[];
}

/** Why feedback has no effect. Its sender is not told: the specification has it dropped silently. */
export type DropReason = 'self' | 'no-deal' | 'not-ended' | 'late' | 'repeated' | 'full' | 'no-notary';

export const NO_DROPS: readonly DropReason[] = [];
export const NO_EFFECT: Effect = { reads: () => [], apply: () => NO_DROPS };
