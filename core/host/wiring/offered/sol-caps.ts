import { MeshError } from '../../../contracts/errors.ts';
import { EMPTY, fallsTo, type SpendingWindow, spentIn, withSpent } from '../../../platform/spending-window.ts';
import { collection } from '../../../storage/declarations.ts';
import type { Space } from '../../../storage/space.ts';

export interface SolCaps {
  /** Lamports. */
  readonly maxSolPerTransaction: bigint;
  readonly maxSolPerDay: bigint;
}

const LAMPORTS_DIGITS = 9;
const windows = collection<SpendingWindow>('sol-windows', { schema: 'spending-window' });
const day = windows.ref('day');

/** Lamports of a decimal text that was checked. */
export function parseSol(text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(LAMPORTS_DIGITS, '0'));
}

function formatSol(lamports: bigint): string {
  const digits = lamports.toString().padStart(LAMPORTS_DIGITS + 1, '0');
  const fraction = digits.slice(-LAMPORTS_DIGITS).replace(/0+$/, '');
  return digits.slice(0, -LAMPORTS_DIGITS) + (fraction && `.${fraction}`);
}

/**
 * Counts SOL that is about to be signed away, durably and before it is; throws `spending_cap` where a cap does not allow it. It counts
 * for 24 hours whether the transaction lands or not, since a signature cannot be taken back.
 */
export async function countSol(space: Space, caps: SolCaps, lamports: bigint): Promise<void> {
  const { maxSolPerTransaction, maxSolPerDay } = caps;
  if (lamports <= 0n) return;
  if (lamports > maxSolPerTransaction) throw refusal('maxSolPerTransaction', maxSolPerTransaction, 0n, lamports);
  await space.tx([day], (tx) => {
    const window = tx.get(day) ?? EMPTY;
    const used = spentIn(window, tx.now);
    if (used + lamports > maxSolPerDay) {
      const free = lamports > maxSolPerDay ? undefined : fallsTo(window, tx.now, maxSolPerDay - lamports);
      throw refusal('maxSolPerDay', maxSolPerDay, used, lamports, free);
    }
    tx.put(day, withSpent(window, tx.now, lamports));
  });
}

function refusal(cap: keyof SolCaps, limit: bigint, used: bigint, needed: bigint, freeFrom?: number): MeshError {
  const setting = `ledger.${cap}`;
  const meant = cap === 'maxSolPerDay' ? 'in 24 hours' : 'for one transaction of a plugin';
  const free = freeFrom === undefined ? undefined : new Date(freeFrom).toISOString();
  const detail = [
    `${setting} allows ${formatSol(limit)} SOL ${meant}: ${formatSol(used)} used, and this needs ${formatSol(needed)};`,
    'nothing was signed.',
    free === undefined ? 'Waiting does not help.' : `There is room from ${free} on.`,
    `To allow more, start the node with a higher ${setting}.`,
  ].join(' ');
  const extra = { cap: setting, limit_sol: formatSol(limit), used_sol: formatSol(used), needed_sol: formatSol(needed) };
  return new MeshError('spending_cap', { detail, extra: { ...extra, free_from: free ?? null } });
}
