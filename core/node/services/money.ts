import { token } from '../../plugin.ts';
import type { Caps as CapsValue } from '../money/caps.ts';
import type { CountedTransactions } from '../money/counted-transactions.ts';

/** The most that may leave this node's wallet. */
export type Caps = CapsValue;
export const Caps = token<Caps>('caps');

/** Ledger transactions that cost USDC; undefined on a node without a ledger. */
export type Counted = CountedTransactions | undefined;
export const Counted = token<Counted>('counted-transactions');
