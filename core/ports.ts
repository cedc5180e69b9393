/**
 * What core offers to faces: interfaces and their tokens. A token has the name of its interface, so
 * `uses: { clock: Clock }` gives a `clock: Clock`.
 */
import type { Clock as ClockPort, Random as RandomPort } from './clock.ts';
import type { Ledger as LedgerPort } from './ledger/ledger.ts';
import type { Log as LogPort } from './log.ts';
import { token } from './plugin.ts';

export type Clock = ClockPort;
export const Clock = token<Clock>('clock');

export type Random = RandomPort;
export const Random = token<Random>('random');

export type Log = LogPort;
export const Log = token<Log>('log');

export type Ledger = LedgerPort;
export const Ledger = token<Ledger>('ledger');
