import type { DropReason as RuledOut } from '../../../protocol/deals/feedback-gate.ts';
import type { Ref } from '../../../storage/declarations.ts';
import type { Tx } from '../../../storage/transaction.ts';

/** The change that one kind of envelope makes to the public record. */
export interface Effect {
  /** Documents that it always works on, besides the sender's row; it pulls the others. */
  reads(): readonly Ref<any>[] | Promise<readonly Ref<any>[]>;
  /**
   * Runs inside the item's transaction, so it must be pure. It runs again when an envelope follows its own receipt,
   * and then adds only the payload's part. Returns a reason for each feedback that was dropped.
   */
  apply(tx: Tx): readonly DropReason[];
  /** In place of `apply`, for an announcement that a later one has overtaken: what it shows of others still counts, once. */
  overtaken?(tx: Tx): void;
}

export const NOTHING_DROPPED: readonly DropReason[] = [];

/** Thrown by `apply` when there is no room for what the envelope asks to keep; nothing is recorded. */
export class NoRoom extends Error {
  override name = 'NoRoom';
}

/** Why feedback has no effect. Its sender is not told; the operator sees the counts. */
export type DropReason = RuledOut | 'expired';
