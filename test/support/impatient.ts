import { systemClock } from '../../core/platform/system-clock.ts';

/** A clock on which deadlines come a hundred times sooner. */
export const impatient = { ...systemClock, after: (ms: number, run: () => void) => systemClock.after(ms / 100, run) };
