import type { Bench, Prepared } from '../framework/bench.ts';
import type { Delivered } from './phase.ts';

const SOCKETS = 1_000;

/**
 * `/ws/activity` of an aggregator to a thousand sockets, beside a plain `ws` send loop with the same events. Counted is
 * the CPU of the sending process, which other load changes little.
 */
export const bench: Bench<Prepared<Delivered>> = {
  name: 'fanout',
  summary: '/ws/activity to 1,000 sockets beside a plain ws send loop',
  prepare({ quick, folder, prepared }) {
    const [rounds, deliveries] = quick ? [5, 5_000] : [7, 200_000];
    return prepared<Delivered>('fanout/phase.ts', [folder(), SOCKETS, rounds, deliveries]);
  },
  async run(_context, measure) {
    const { ours, plain } = await measure();
    return Object.keys(ours).map((burst) => ({
      name: burst === '1' ? 'fanout_cpu_singles' : `fanout_cpu_bursts_of_${burst}`,
      value: plain[burst]! / ours[burst]!,
      ...(burst === '10' && { goal: '>= 8' as const }),
      unit: 'ratio',
      from: { ours_us_per_delivery: ours[burst]!, plain_us_per_delivery: plain[burst]! },
    }));
  },
};
