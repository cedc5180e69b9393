import { bench as fanout } from './fanout/bench.ts';
import type { Bench } from './framework/bench.ts';
import { bench as storage } from './storage/bench.ts';

/** In the order in which they run. */
export const benches: readonly Bench[] = [fanout, storage];
