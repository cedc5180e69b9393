import type { IncomingTransfer } from '../../core/ledger/ledger.ts';
import type { Answer } from './answers.ts';
import { base58Bytes } from './holdings.ts';
import { MEMO_PROGRAM } from './instructions.ts';

interface Change {
  readonly account: string;
  readonly owner: string;
  readonly amount: bigint;
}

/**
 * What a landed transaction moved into a token account, from the balances the ledger recorded: never from what its
 * instructions claim. Undefined when the account gained nothing. The sender is the owner who lost most; where nobody
 * lost, as when tokens are minted, the fee payer.
 */
export function transferIn(
  transaction: Answer,
  account: string,
  mint: string,
): Omit<IncomingTransfer, 'signature'> | undefined {
  const meta = transaction.at('meta');
  if (!meta.at('err').isNull) return undefined;
  const message = transaction.at('transaction').at('message');
  const keys = message
    .at('accountKeys')
    .list()
    .map((key) => key.text());
  const loaded = meta.at('loadedAddresses');
  for (const kind of ['writable', 'readonly']) {
    if (!loaded.isNull) for (const key of loaded.at(kind).list()) keys.push(key.text());
  }
  const changes = tokenChanges(meta, keys, mint);
  const gained = changes.find((change) => change.account === account)?.amount ?? 0n;
  if (gained <= 0n) return undefined;
  const loser = changes.filter(({ amount }) => amount < 0n).sort((a, b) => (a.amount < b.amount ? -1 : 1))[0];
  return {
    from: loser?.owner ?? keys[0] ?? '',
    amount: gained,
    memo: memoOf(message, keys),
    slot: transaction.at('slot').integer(),
  };
}

function tokenChanges(meta: Answer, keys: readonly string[], mint: string): Change[] {
  const changes = new Map<string, Change>();
  for (const [list, sign] of [
    ['preTokenBalances', -1n],
    ['postTokenBalances', 1n],
  ] as const) {
    for (const balance of meta.at(list).isNull ? [] : meta.at(list).list()) {
      const account = keys[balance.at('accountIndex').integer()];
      if (account === undefined || balance.at('mint').text() !== mint) continue;
      const owner = balance.at('owner').text();
      const amount = sign * balance.at('uiTokenAmount').at('amount').amount();
      changes.set(account, { account, owner, amount: amount + (changes.get(account)?.amount ?? 0n) });
    }
  }
  return [...changes.values()];
}

function memoOf(message: Answer, keys: readonly string[]): string | null {
  for (const instruction of message.at('instructions').list()) {
    if (keys[instruction.at('programIdIndex').integer()] !== MEMO_PROGRAM.toBase58()) continue;
    return base58Bytes(instruction.at('data').text()).toString('utf8');
  }
  return null;
}
