import type { Clock } from '../../../core/platform/clock.ts';

/** A clock that stands where it is put. */
export class StillClock implements Clock {
  time: number;

  constructor(time: number) {
    this.time = time;
  }

  now(): number {
    return this.time;
  }

  after(): () => void {
    return () => {};
  }

  every(): () => void {
    return () => {};
  }

  sleep(_ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
  }
}
