import { internalToken } from '../../platform/token.ts';
import type { DealBook as DealBookValue } from '../deals/deal-book.ts';

/** The deals of this node's agent: steps it takes, and what became of them. */
export type DealBook = DealBookValue;
export const DealBook = internalToken<DealBook>('deal-book');
