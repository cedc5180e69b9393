import { internalToken } from '../../platform/token.ts';
import type { Job } from '../../plugin.ts';
import type { OutgoingPayments } from '../payments/outgoing-payments.ts';

/** What goes on in the background for deals: time, payments made, payments watched. */
export interface DealJobs {
  readonly jobs: readonly Job[];
  /** Undefined on a node without a ledger. */
  readonly outgoing: OutgoingPayments | undefined;
  readonly signal: AbortSignal;
}

export const DealJobs = internalToken<DealJobs>('deal-jobs');
