import type { Reading } from '../../core/ledger/settlement.ts';
import type { Answer } from './answers.ts';
import { accountsOf } from './executed-instructions.ts';
import { type Account, TOKEN_ACCOUNT_BYTES } from './holdings.ts';
import { TOKEN_PROGRAM } from './instructions.ts';
import type { JsonRpc } from './json-rpc.ts';
import { NEWEST_VERSION } from './transaction-reader.ts';

const PAGE = 1_000;
/** Anybody can name an account in a transaction, so its history is as long as strangers like. */
const MAX_PAGES = 10;
const MAX_READ = 16;
const AMOUNT_AT = 64;
const COMMITMENT = 'finalized';

/** The finalised transactions of an account as one node lists them, newest first. */
export interface AccountHistory {
  readonly address: string;
  /** Those of that slot or later, failed ones too. */
  readonly entries: readonly Answer[];
  /** The newest of those before. */
  readonly older: Answer | undefined;
  /** Whether all from that slot on were listed. */
  readonly complete: boolean;
}

/** Reads the history back to the slot `from`, from a node that has come as far as `atLeast`. */
export async function readHistory(
  rpc: JsonRpc,
  address: string,
  { from, atLeast }: { readonly from: number; readonly atLeast: number },
): Promise<AccountHistory> {
  const entries: Answer[] = [];
  let before: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const options = { limit: PAGE, commitment: COMMITMENT, before, ...(atLeast > 0 && { minContextSlot: atLeast }) };
    const listed = (await rpc.ask('getSignaturesForAddress', [address, options])).list();
    for (const entry of listed) {
      if (entry.at('slot').natural() < from) return { address, entries, older: entry, complete: true };
      entries.push(entry);
    }
    if (listed.length < PAGE) return { address, entries, older: undefined, complete: true };
    before = listed.at(-1)!.at('signature').text();
  }
  return { address, entries, older: undefined, complete: false };
}

/**
 * Whether the history ends in what the account holds: the newest transaction that is listed left it as it was read. An index of
 * transactions that is behind the accounts of its node, or an old answer, is thereby found out: no list says which slot it is of.
 * Undefined where the node lists nothing at all.
 */
export async function endsInAccount(
  rpc: JsonRpc,
  { address, entries, older }: AccountHistory,
  { slot, value }: Reading<Account | null>,
): Promise<boolean | undefined> {
  const known = [...entries, ...(older ? [older] : [])].filter((entry) => entry.at('slot').natural() <= slot);
  if (known.length === 0) return undefined;
  const held = holdingOf(value);
  let ofSlot: number | undefined;
  let lamportsFit = false;
  for (const entry of known.slice(0, MAX_READ)) {
    // Nodes do not all list the transactions of one slot in their order.
    if (ofSlot !== undefined && entry.at('slot').natural() !== ofSlot) return false;
    const left = await leftBy(rpc, entry.at('signature').text(), address);
    if (!left) return false;
    lamportsFit ||= left.lamports === held.lamports;
    if (lamportsFit && left.tokens === held.tokens) return true;
    // Tokens are told of by transactions that name the token program; no other one changes them.
    if (!lamportsFit || left.tokens !== undefined) ofSlot = entry.at('slot').natural();
  }
  return false;
}

interface Holding {
  readonly lamports: bigint;
  readonly tokens: bigint | undefined;
}

/** The holding of an account after a finalised transaction; undefined where the node does not show that. */
async function leftBy(rpc: JsonRpc, signature: string, address: string): Promise<Holding | undefined> {
  const options = { commitment: COMMITMENT, encoding: 'json', maxSupportedTransactionVersion: NEWEST_VERSION };
  const transaction = await rpc.ask('getTransaction', [signature, options]);
  if (transaction.isNull || transaction.at('transaction').at('signatures').at(0).raw !== signature) return undefined;
  const index = accountsOf(transaction).indexOf(address);
  if (index < 0) return undefined;
  const meta = transaction.at('meta');
  const balances = meta.at('postTokenBalances');
  const token = balances.isNull ? undefined : balances.list().find((one) => one.at('accountIndex').raw === index);
  return {
    lamports: meta.at('postBalances').at(index).lamports(),
    tokens: token?.at('uiTokenAmount').at('amount').amount(),
  };
}

function holdingOf(account: Account | null): Holding {
  const isToken = account?.owner === TOKEN_PROGRAM.toBase58() && account.data.length === TOKEN_ACCOUNT_BYTES;
  return {
    lamports: account?.lamports ?? 0n,
    tokens: isToken ? account.data.readBigUInt64LE(AMOUNT_AT) : undefined,
  };
}
