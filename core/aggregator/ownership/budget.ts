import type { SchemaTypes } from '../../../schemas/types.ts';
import { MeshError } from '../../contracts/errors.ts';
import { collection } from '../../storage/declarations.ts';
import type { Tx } from '../../storage/transaction.ts';
import { feedbackCount, type StoredAgent } from '../store/agents.ts';
import type { StoredStake } from '../store/ledger.ts';

const spending = collection<SchemaTypes['stored-link-budget']>('link-budget', { schema: 'stored-link-budget' });
export const budgetRef = spending.ref('links');

/** Rent of an owner link and the fees of its transaction, in lamports. */
export const LINK_LAMPORTS = 1_963_800;
const DAY = 86_400_000;

/** Takes the price of one link from what this aggregator pays for in a day (UTC). Runs in a transaction that read it. */
export function spendOnLink(tx: Tx, dailyLamports: number): void {
  const day = Math.floor(tx.now / DAY);
  const known = tx.get(budgetRef);
  const spent = known?.day === day ? known.spent : 0;
  if (spent + LINK_LAMPORTS > dailyLamports)
    throw new MeshError('rate_limited', {
      detail:
        'This aggregator pays for no more links today; claim again tomorrow, or write the link from your own node.',
      retryAfter: Math.ceil(((day + 1) * DAY - tx.now) / 1000),
    });
  tx.put(budgetRef, { day, spent: spent + LINK_LAMPORTS });
}

/** Somebody dealt with it, or it has something at stake: keys made by the thousand have neither. */
export function hasStanding(agent: StoredAgent | undefined, stake: StoredStake | undefined): boolean {
  const staked = stake !== undefined && (stake.stake !== '0' || stake.paid_through > 0);
  return staked || (agent !== undefined && feedbackCount(agent) > 0);
}
