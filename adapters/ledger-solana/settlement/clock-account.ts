import { MeshError } from '../../../core/errors.ts';
import type { LedgerTime } from '../../../core/ledger/settlement.ts';
import { publicKey, readAccounts } from '../holdings.ts';
import type { JsonRpc } from '../json-rpc.ts';

const CLOCK_SYSVAR = publicKey('SysvarC1ock11111111111111111111111111111111');
const BYTES = 40;
const UNIX_SECONDS_AT = 32;

/** The finalised time of the ledger, from the account that programs read it from. */
export async function readLedgerTime(rpc: JsonRpc, epochSecs: number): Promise<LedgerTime> {
  const [account] = await readAccounts(rpc, [CLOCK_SYSVAR], 'finalized');
  if (account?.data.length !== BYTES) throw new MeshError('ledger_unavailable', 'The ledger does not tell its time.');
  const unixSeconds = Number(account.data.readBigInt64LE(UNIX_SECONDS_AT));
  const slot = Number(account.data.readBigUInt64LE(0));
  return { unixSeconds, slot, epoch: Math.floor(unixSeconds / epochSecs) };
}
