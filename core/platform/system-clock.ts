import { randomFillSync } from 'node:crypto';
import type { Clock, Random } from './clock.ts';

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
  every(ms, run) {
    const timer = setInterval(run, ms);
    timer.unref();
    return () => clearInterval(timer);
  },
  sleep(ms, signal) {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const cancel = systemClock.after(ms, () => {
        signal?.removeEventListener('abort', stop);
        resolve();
      });
      function stop() {
        cancel();
        reject(signal?.reason);
      }
      signal?.addEventListener('abort', stop, { once: true });
    });
  },
};

export const systemRandom: Random = {
  bytes: (length) => randomFillSync(new Uint8Array(length)),
  fraction: () => Math.random(),
};
