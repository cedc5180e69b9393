import type { SchemaTypes } from '../../../schemas/types.ts';
import type { Payloads } from '../../protocol/envelopes/payloads/payloads.ts';
import { formatAgentId } from '../../protocol/identity/ids.ts';
import { agentOf } from './addresses.ts';
import { optionalBondOf } from './amounts.ts';

type Request = SchemaTypes['propose-request'] | SchemaTypes['counter-request'];
type Terms = Pick<
  Payloads['PROPOSE'],
  'deadline_secs' | 'review_secs' | 'expires_at' | 'notary' | 'bond_usdc_micro' | 'dispute_bps' | 'acceptance'
>;

/** The terms that an offer states; those it leaves out stay as they were, or are the usual ones. */
export function termsOf(request: Request): Terms {
  const { deadline_secs, review_secs, expires_at, notary, dispute_bps, acceptance } = request;
  const bond_usdc_micro = optionalBondOf(request);
  return {
    ...(deadline_secs !== undefined && { deadline_secs }),
    ...(review_secs !== undefined && { review_secs }),
    ...(expires_at !== undefined && { expires_at }),
    ...(notary !== undefined && { notary: formatAgentId(agentOf(notary, '/notary')) }),
    ...(bond_usdc_micro !== undefined && { bond_usdc_micro }),
    ...(dispute_bps !== undefined && { dispute_bps }),
    ...(acceptance !== undefined && { acceptance: acceptance.toLowerCase() }),
  };
}
