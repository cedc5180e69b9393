import { internalToken } from '../../platform/token.ts';
import type { Negotiation } from '../deals/negotiation.ts';

/** The steps of a deal that are messages: offer, counter, accept, reject, deliver, dispute. */
export type Negotiating = Negotiation;
export const Negotiating = internalToken<Negotiating>('negotiation');
