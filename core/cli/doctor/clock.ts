import { MAX_SKEW } from '../../messaging/signing-guard.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

/** Milliseconds that are worth saying: an HTTP date says the second only. */
const NOTABLE = 5_000;

/** By how many milliseconds somebody's clock is ahead of ours. */
export interface ClockReading {
  readonly of: string;
  readonly ahead: number;
}

/** Reads a server's clock from the `Date` of its answer, between the times around the call; undefined without one. */
export function clockOf(of: string, response: Response, asked: number, answered: number): ClockReading | undefined {
  const date = Date.parse(response.headers.get('date') ?? '');
  if (Number.isNaN(date)) return undefined;
  // `Date` names the second that had begun.
  return { of, ahead: date + 500 - (asked + answered) / 2 };
}

export function clockFinding(readings: readonly ClockReading[]): Finding {
  const sorted = [...readings].sort((one, other) => one.ahead - other.ahead);
  const median = sorted[sorted.length >> 1];
  if (!median) {
    const remedy = 'see that this machine takes its time from NTP';
    return warn('clock', 'it was compared with nobody: nothing that is configured told the time', remedy);
  }
  const { of, ahead } = median;
  const seconds = Math.round(Math.abs(ahead) / 1_000);
  const text = `the clock of this machine is ${seconds} s ${ahead > 0 ? 'behind' : 'ahead of'} that of ${of}`;
  const remedy = 'set it, and have NTP keep it: beyond 30 s nothing is signed, and others refuse what is';
  if (Math.abs(ahead) > MAX_SKEW) return fail('clock', text, remedy);
  if (Math.abs(ahead) > NOTABLE) return warn('clock', text, remedy);
  return ok('clock', `it agrees with that of ${readings.map((one) => one.of).join(', ')} to ${NOTABLE / 1_000} s`);
}
