import { systemClock } from '../../core/platform/system-clock.ts';
import { ShiftedClock } from './shifted-clock.ts';

/** Pauses between looks at a ledger, an outbox or a timer; longer ones are retention and duties. */
const LEAST_MS = 200;
const MOST_MS = 15_000;
const PACE = 4;

/** The machine's time, on which jobs pause for a quarter of what they ask. Timeouts last as long as ever. */
export class BriskClock extends ShiftedClock {
  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return systemClock.sleep(ms >= LEAST_MS && ms <= MOST_MS ? ms / PACE : ms, signal);
  }
}
