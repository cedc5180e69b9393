import { type Account, READ_ACCOUNTS } from '../holdings.ts';
import type { JsonRpc } from '../json-rpc.ts';
import { type AccountName, type AccountValues, decodeAccount, SYSTEM_PROGRAM } from '../program/index.ts';

/** An account of the program, and the test that its values are those its address is made of. */
export interface AskedAccount<N extends AccountName> {
  readonly address: string;
  isMeant(values: AccountValues<N>): boolean;
}

/**
 * The values of an account of the program; undefined where there is none, also where somebody sent lamports to its
 * address. Nothing else can be there: a node that shows something else shows another account, and must not be read as
 * an end.
 */
export function programAccount<N extends AccountName>(
  rpc: JsonRpc,
  programId: string,
  kind: N,
  { address, isMeant }: AskedAccount<N>,
  account: Account | null,
): AccountValues<N> | undefined {
  if (!account || (account.owner === SYSTEM_PROGRAM && account.data.length === 0)) return undefined;
  const values = decodeAccount(programId, kind, account);
  if (!values || !isMeant(values)) throw rpc.answerOf(READ_ACCOUNTS, account).wrong(`the ${kind} at ${address}`);
  return values;
}
