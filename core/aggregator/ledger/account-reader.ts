import type { Settlement } from '../../ledger/settlement.ts';
import type { AgentAccount } from '../../ledger/settlement-accounts.ts';
import type { Space } from '../../storage/space.ts';
import { escrowRef, escrows, type StoredEscrow, type StoredStake, stakes } from '../store/ledger.ts';

const BATCH = 100;

/**
 * Reads the accounts that events, or a gap between them, have made stale. What an account says holds as of the slot read
 * before it: an older answer never replaces a newer one, and an event newer than the answer keeps the account stale.
 */
export async function readStale(space: Space, settlement: Settlement, signal: AbortSignal): Promise<void> {
  let behind: { key: string; id: string } | undefined;
  while (!signal.aborted) {
    const due = await space.page(stakes, { index: 'stale', limit: BATCH, after: behind });
    if (due.length === 0) break;
    const { slot } = await settlement.time();
    const { value: accounts } = await settlement.agents(due.map(({ value }) => value.key));
    await Promise.all(due.map(({ value }, index) => writeStake(space, value.key, accounts[index], slot)));
    behind = due.at(-1);
  }
  for (const { value } of await space.page(escrows, { index: 'stale', limit: BATCH })) {
    if (signal.aborted) return;
    await readEscrow(space, settlement, value);
  }
}

async function writeStake(space: Space, key: string, account: AgentAccount | undefined, slot: number): Promise<void> {
  const ref = stakes.ref(key);
  await space.tx([ref], (tx) => {
    const known = tx.get(ref);
    if (!known || slot < known.read_slot) return;
    tx.put(ref, { ...known, ...(account && fields(account)), read_slot: slot, stale: slot < known.event_slot });
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

/** After a gap: an escrow that is gone has ended unseen, and nobody can tell how. */
async function readEscrow(space: Space, settlement: Settlement, stored: StoredEscrow): Promise<void> {
  const name = { ...stored, conversation: stored.conversation_id };
  const account = await settlement.escrow(name);
  const ref = escrowRef(name);
  await space.tx([ref], (tx) => {
    const known = tx.get(ref);
    if (!known?.stale) return;
    if (account?.terms !== known.terms) return tx.put(ref, { ...known, state: 'unknown', stale: false });
    tx.put(ref, {
      ...known,
      state: account.state === 'splitting' ? 'split' : account.state,
      delivered_at: inMilliseconds(account.deliveredAt),
      delivery: account.delivery,
      disputed_at: inMilliseconds(account.disputedAt),
      stale: false,
    });
  });
}

function inMilliseconds(seconds: number | null): number | null {
  return seconds === null ? null : seconds * 1000;
}
