import type { LedgerTime, Reading } from '../../../core/ledger/settlement.ts';
import { publicKey, READ_ACCOUNTS, readAccountsAt } from '../holdings.ts';
import type { JsonRpc } from '../json-rpc.ts';

const CLOCK_SYSVAR = publicKey('SysvarC1ock11111111111111111111111111111111');
const BYTES = 40;
const UNIX_SECONDS_AT = 32;
/** How far the clocks of two nodes may be apart that tell of different slots. */
const SPREAD_SECS = 120;

export interface ClockTime {
  readonly unixSeconds: number;
  readonly slot: number;
}

/** The finalised time of the ledger, from the account that programs read it from. */
export async function readClock(rpc: JsonRpc, atLeast = 0): Promise<Reading<ClockTime>> {
  const { slot, value } = await readAccountsAt(rpc, [CLOCK_SYSVAR], 'finalized', atLeast);
  const data = value[0]?.data;
  if (data?.length !== BYTES) throw rpc.answerOf(READ_ACCOUNTS, undefined).wrong('the clock of the ledger');
  const time = { unixSeconds: Number(data.readBigInt64LE(UNIX_SECONDS_AT)), slot: Number(data.readBigUInt64LE(0)) };
  if (Object.values(time).some((one) => !Number.isSafeInteger(one) || one < 0))
    throw rpc.answerOf(READ_ACCOUNTS, undefined).wrong('a time');
  return { slot, value: time };
}

/** Whether two nodes tell the same time: that of a later slot is later, and not by much. */
export function sameTime(older: ClockTime, newer: ClockTime): boolean {
  const passed = newer.unixSeconds - older.unixSeconds;
  return passed >= 0 && passed <= SPREAD_SECS;
}

export function ledgerTime({ unixSeconds, slot }: ClockTime, epochSecs: number): LedgerTime {
  return { unixSeconds, slot, epoch: Math.floor(unixSeconds / epochSecs) };
}
