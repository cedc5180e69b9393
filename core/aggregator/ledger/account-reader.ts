import type { Settlement } from '../../ledger/settlement.ts';
import type { AgentAccount } from '../../protocol/settlement/accounts.ts';
import type { Space } from '../../storage/space.ts';
import type { EvidenceJournal } from '../evidence/journal.ts';
import { activeStake, type StoredStake, stakes } from '../store/ledger.ts';
import { scoreChanges } from '../store/scores.ts';

const BATCH = 100;
/** Batches of accounts that events, or a gap between them, have made stale, in one run. */
const MOST_BATCHES = 50;
/** How long an account that nothing was heard of is believed; one batch of these is read in a run. */
export const LOOK_MS = 10 * 60_000;

/**
 * Reads the agent accounts that events, or a gap between them, have made stale, and then the longest unread ones,
 * since an event can be hidden. An older answer never replaces a newer one. An answer from before the event that asks
 * for it does not count.
 */
export async function readStakes(
  space: Space,
  settlement: Settlement,
  now: number,
  signal: AbortSignal,
  evidence?: EvidenceJournal,
): Promise<void> {
  for (let batch = 0; batch < MOST_BATCHES && !signal.aborted; batch += 1) {
    const due = await space.page(stakes, { index: 'stale', to: [now - LOOK_MS], limit: BATCH });
    if (due.length === 0) return;
    const rows = due.map(({ value }) => value);
    const atLeast = Math.max(...rows.map(({ event_slot }) => event_slot));
    const { slot, value: accounts } = await settlement.agents(
      rows.map(({ key }) => key),
      atLeast,
    );
    await Promise.all(
      rows.map(({ key }, index) => writeStake(space, { key, account: accounts[index], slot, now, evidence })),
    );
    if (!rows.some(({ stale }) => stale)) return;
  }
}

interface ReadStake {
  readonly key: string;
  readonly account: AgentAccount | undefined;
  readonly slot: number;
  readonly now: number;
  readonly evidence: EvidenceJournal | undefined;
}

async function writeStake(space: Space, { key, account, slot, now, evidence }: ReadStake): Promise<void> {
  const ref = stakes.ref(key);
  await space.tx([ref], (tx) => {
    const known = tx.get(ref);
    if (!known || slot < known.read_slot) return;
    const read = { read_slot: slot, read_at: now, stale: slot < known.event_slot };
    const seen: StoredStake = { ...known, ...(account && fields(account)), ...read };
    tx.put(ref, seen);
    if (activeStake(seen) === activeStake(known)) return;
    evidence?.note(tx, 'stake', { stake: seen });
    tx.append(scoreChanges, { from: key });
  });
}

function fields(account: AgentAccount): Partial<StoredStake> {
  const { agentId, stakeOwner, state, stake, start, last, duties, settledEpoch, open, paidThrough } = account;
  return {
    agent_id: agentId,
    state,
    stake: stake.toString(),
    stake_owner: stakeOwner,
    ...{ start, last, duties, open },
    settled_epoch: settledEpoch,
    skipped: [...account.skipped],
    batches: account.batches.map(({ epoch, count, root, submittedAt, slot }) => ({
      ...{ epoch, count, root, slot },
      submitted_at: submittedAt,
    })),
    paid_through: paidThrough,
  };
}
