import { internalToken } from '../../platform/token.ts';
import type { Judges as JudgesValue } from '../judging/judges.ts';

/** The judge of this node's agent, whom core asks about deals of others. */
export type Judges = JudgesValue;
export const Judges = internalToken<Judges>('judges');
