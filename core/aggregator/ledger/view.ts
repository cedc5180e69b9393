import type { SchemaTypes } from '../../../schemas/types.ts';
import type { Settlement } from '../../ledger/settlement.ts';
import { amountJson, formatUsdc } from '../../platform/usdc.ts';
import { type LeaseStatus, leaseStatus } from '../../protocol/settlement/lease-status.ts';
import type { Logged } from '../../storage/pages.ts';
import type { StoredEscrow, StoredLedgerEvent, StoredStake } from '../store/ledger.ts';
import { isoTime } from '../times.ts';

/** Amounts in the events, by the names of their fields. */
const AMOUNTS = new Set(['amount', 'bond', 'stake', 'bounty', 'to_provider', 'to_requester', 'burnt', 'remaining']);

export function ledgerEvent({ id, record }: Logged<StoredLedgerEvent>): SchemaTypes['ledger-event'] {
  const { name, signature, slot, at } = record;
  const facts = record.facts as Readonly<Record<string, unknown>>;
  const shown = Object.entries(facts).map(([field, value]) => [
    // Anybody can open an account or write a link under the name of another agent.
    field === 'agent_id' && value !== facts['key'] ? 'claimed_agent_id' : field,
    AMOUNTS.has(field) ? amountJson(BigInt(value as string)) : value,
  ]);
  return { id, event: name, signature, slot, created_at: isoTime(at), ...Object.fromEntries(shown) };
}

export function escrowView(escrow: StoredEscrow): SchemaTypes['escrow'] {
  const { requester, provider, notary, conversation_id, state, terms, review_secs, dispute_bps, signature } = escrow;
  const amount = BigInt(escrow.amount);
  const paid = escrow.payouts ?? { to_provider: escrow.released, to_requester: '0', burnt: '0' };
  const { waiting = '0', offer_bps, read_slot, stale } = escrow;
  return {
    requester,
    provider,
    ...(notary !== null && { notary }),
    conversation_id,
    state,
    amount_usdc: formatUsdc(amount),
    amount_usdc_micro: amountJson(amount),
    bond_usdc_micro: amountJson(BigInt(escrow.bond ?? '0')),
    released_usdc_micro: amountJson(BigInt(escrow.released)),
    payouts: {
      to_provider_usdc_micro: amountJson(BigInt(paid.to_provider)),
      to_requester_usdc_micro: amountJson(BigInt(paid.to_requester)),
      burnt_usdc_micro: amountJson(BigInt(paid.burnt)),
    },
    ...(waiting !== '0' && { waiting_usdc_micro: amountJson(BigInt(waiting)) }),
    terms,
    deadline_at: isoTime(escrow.deadline),
    review_secs,
    dispute_bps,
    locked_at: isoTime(escrow.locked_at),
    ...(escrow.delivered_at !== null && { delivered_at: isoTime(escrow.delivered_at) }),
    ...(escrow.delivery !== null && { delivery: escrow.delivery }),
    ...(escrow.disputed_at !== null && { disputed_at: isoTime(escrow.disputed_at) }),
    ...(escrow.disputed_at !== null && offer_bps !== undefined && { offer_bps }),
    ...(escrow.closed_at !== null && { closed_at: isoTime(escrow.closed_at) }),
    ...(!stale && read_slot !== undefined && { confirmed_slot: read_slot }),
    signature,
  };
}

/** An agent's stake; `stored` is undefined for a key the ledger does not know. */
export function stakeView(
  agentId: string,
  stored: StoredStake | undefined,
  lease: LeaseStatus,
): SchemaTypes['agent-stake'] {
  const stake = BigInt(stored?.stake ?? '0');
  return {
    agent_id: agentId,
    state: stored?.state ?? 'none',
    stake_usdc: Number(formatUsdc(stake)),
    stake_lamports: amountJson(stake),
    ...(stored?.stake_owner && { stake_owner: stored.stake_owner }),
    lease_status: lease,
    ...(stored && stored.paid_through > 0 && { lease_paid_through: stored.paid_through }),
    duties: stored?.duties ?? false,
    ...(stored?.duties && { first_epoch: stored.start, last_epoch: stored.last }),
    open_accusations: stored?.open ?? 0,
    slashes: stored?.slashes ?? 0,
    batches: (stored?.batches ?? []).map(({ submitted_at, ...batch }) => ({
      ...batch,
      submitted_at: isoTime(submitted_at * 1000),
    })),
    skipped_epochs: [...(stored?.skipped ?? [])],
  };
}

/** By this aggregator's clock; `none` where there is no program. */
export function leaseOf(stored: StoredStake | undefined, settlement: Settlement | undefined, now: number): LeaseStatus {
  if (!stored || !settlement) return 'none';
  const epoch = Math.floor(now / 1000 / settlement.numbers.epochSecs);
  return leaseStatus({ paidThrough: stored.paid_through }, settlement.numbers, epoch);
}
