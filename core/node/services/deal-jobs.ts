import { internalToken } from '../../platform/token.ts';
import type { Job } from '../../plugin.ts';
import type { OutgoingPayments } from '../payments/outgoing-payments.ts';

/** Jobs that move deals in the background: they watch the time, make payments and look for incoming ones. */
export interface DealJobs {
  readonly jobs: readonly Job[];
  /** Undefined on a node without a ledger. */
  readonly outgoing: OutgoingPayments | undefined;
  readonly signal: AbortSignal;
}

export const DealJobs = internalToken<DealJobs>('deal-jobs');
