import { internalToken } from '../../platform/token.ts';
import type { Caps as CapsValue } from '../money/caps.ts';
import type { CountedTransactions } from '../money/counted-transactions.ts';

/** The most that may leave this node's wallet. */
export type Caps = CapsValue;
export const Caps = internalToken<Caps>('caps');

/** Ledger transactions that cost USDC; undefined on a node without a ledger. */
export type Counted = CountedTransactions | undefined;
export const Counted = internalToken<Counted>('counted-transactions');
