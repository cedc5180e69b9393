import { closeSync, openSync, readSync } from 'node:fs';
import { PerformanceObserver } from 'node:perf_hooks';

/** The longest times in which the event loop served nobody, in milliseconds. */
export interface Stalls {
  /** By the clock: on a busy machine this holds the turns of other processes too. */
  readonly clock: number;
  /** What the main thread computed meanwhile; undefined where the system does not tell. */
  readonly cpu: number | undefined;
  /** The part of collecting garbage in the longest collection, by the clock. */
  readonly garbage: number;
  /** How often the main thread computed for more than 20 ms, and more than 50 ms. */
  readonly over20: number;
  readonly over50: number;
}

/** Watches the event loop until the function it returns is called. */
export function watchStalls(): () => Stalls {
  const cpu = mainThreadTime();
  let longest = 0;
  let longestCpu = 0;
  let garbage = 0;
  let over20 = 0;
  let over50 = 0;
  let last = performance.now();
  let lastCpu = cpu.read();
  const timer = setInterval(() => {
    const now = performance.now();
    const nowCpu = cpu.read();
    longest = Math.max(longest, now - last);
    longestCpu = Math.max(longestCpu, nowCpu - lastCpu);
    if (nowCpu - lastCpu > 20) over20++;
    if (nowCpu - lastCpu > 50) over50++;
    last = now;
    lastCpu = nowCpu;
  }, 1);
  const collections = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) garbage = Math.max(garbage, duration);
  });
  collections.observe({ entryTypes: ['gc'] });
  return () => {
    clearInterval(timer);
    collections.disconnect();
    const known = cpu.known;
    cpu.close();
    return { clock: longest, cpu: known ? longestCpu : undefined, garbage, over20, over50 };
  };
}

/** Milliseconds the calling thread has run, from Linux. */
function mainThreadTime() {
  const bytes = Buffer.alloc(128);
  let file: number | undefined;
  try {
    file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
  } catch {}
  return {
    known: file !== undefined,
    read: () =>
      file === undefined ? 0 : Number.parseInt(bytes.toString('latin1', 0, readSync(file, bytes, 0, 128, 0)), 10) / 1e6,
    close: () => file !== undefined && closeSync(file),
  };
}
