import type { IncomingTransfer, OutgoingTransfer } from '../../core/ledger/ledger.ts';
import type { Answer } from './answers.ts';
import { accountsOf } from './executed-instructions.ts';
import { MEMO_PROGRAM } from './instructions.ts';

interface Change {
  readonly account: string;
  readonly owner: string;
  readonly amount: bigint;
}

/**
 * The transfer of a landed transaction into a token account, from the balances that the ledger recorded: never from
 * what its instructions claim, nor from logs, which the token program does not write. Undefined when the account
 * gained nothing. The sender is the owner who lost most; where nobody lost, as when tokens are minted, it is the fee
 * payer. A payout of a vault is nobody's transfer: it was owed already, and whoever calls for it may add any memo. With `payouts` it counts.
 */
export function transferIn(
  transaction: Answer,
  account: string,
  mint: string,
  payouts = false,
): Omit<IncomingTransfer, 'signature'> | undefined {
  const meta = transaction.at('meta');
  if (!errorOf(meta).isNull) return undefined;
  const keys = accountsOf(transaction);
  const changes = tokenChanges(meta, keys, mint);
  const gained = changes.find((change) => change.account === account)?.amount ?? 0n;
  const amount = payouts ? gained : gained - paidByVaults(changes);
  if (amount <= 0n) return undefined;
  const loser = changes.filter(({ amount }) => amount < 0n).sort((a, b) => (a.amount < b.amount ? -1 : 1))[0];
  return {
    from: loser?.owner ?? keys[0] ?? '',
    amount,
    memo: memoOf(transaction.at('transaction').at('message'), keys),
    slot: transaction.at('slot').natural(),
  };
}

/**
 * The transfer of a landed transaction out of a token account to the owner who gained most; undefined when the
 * account lost nothing.
 */
export function transferOut(
  transaction: Answer,
  account: string,
  mint: string,
): Omit<OutgoingTransfer & { readonly memo: string | null }, 'signature'> | undefined {
  const meta = transaction.at('meta');
  if (!errorOf(meta).isNull) return undefined;
  const keys = accountsOf(transaction);
  const changes = tokenChanges(meta, keys, mint);
  const lost = -(changes.find((change) => change.account === account)?.amount ?? 0n);
  const gainer = changes.filter(({ amount }) => amount > 0n).sort((a, b) => (a.amount > b.amount ? -1 : 1))[0];
  if (lost <= 0n || !gainer) return undefined;
  return {
    to: gainer.owner,
    amount: lost,
    memo: memoOf(transaction.at('transaction').at('message'), keys),
    slot: transaction.at('slot').natural(),
  };
}

/** Why a landed transaction failed, null where it did not; an answer that leaves this out says nothing. */
export function errorOf(meta: Answer): Answer {
  const error = meta.at('err');
  if (error.raw === undefined) throw error.wrong('an error or null');
  return error;
}

/** The vaults of escrows and stakes are token accounts that are their own authority; a wallet never is. */
function paidByVaults(changes: readonly Change[]): bigint {
  const vaults = changes.filter(({ account, owner, amount }) => account === owner && amount < 0n);
  return vaults.reduce((sum, { amount }) => sum - amount, 0n);
}

/** A balance that is left out was nothing, so a list that is left out would make a payment out of any balance. */
function tokenChanges(meta: Answer, keys: readonly string[], mint: string): Change[] {
  const changes = new Map<string, Change>();
  for (const [list, sign] of [
    ['preTokenBalances', -1n],
    ['postTokenBalances', 1n],
  ] as const) {
    const seen = new Set<string>();
    for (const balance of meta.at(list).list()) {
      const index = balance.at('accountIndex');
      const account = keys[index.natural()];
      if (account === undefined || seen.has(account)) throw index.wrong('an account of its own of the transaction');
      seen.add(account);
      if (balance.at('mint').address() !== mint) continue;
      const owner = balance.at('owner').address();
      const amount = sign * balance.at('uiTokenAmount').at('amount').amount();
      changes.set(account, { account, owner, amount: amount + (changes.get(account)?.amount ?? 0n) });
    }
  }
  return [...changes.values()];
}

function memoOf(message: Answer, keys: readonly string[]): string | null {
  for (const instruction of message.at('instructions').list()) {
    if (keys[instruction.at('programIdIndex').natural()] !== MEMO_PROGRAM.toBase58()) continue;
    return instruction.at('data').base58().toString('utf8');
  }
  return null;
}
