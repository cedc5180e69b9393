import type { Bench } from '../framework/bench.ts';
import type { Delivered } from './phase.ts';

const SOCKETS = 1_000;

/**
 * `/ws/activity` of an aggregator to a thousand sockets, beside a plain `ws` send loop with the same events. Counted is
 * the CPU of the sending process, which other load changes little.
 */
export const bench: Bench = {
  name: 'fanout',
  summary: '/ws/activity to 1,000 sockets beside a plain ws send loop',
  async run({ quick, folder, phase }) {
    const [rounds, deliveries] = quick ? [3, 10_000] : [7, 200_000];
    const { ours, plain } = await phase<Delivered>('fanout/phase.ts', [folder(), SOCKETS, rounds, deliveries]);
    return Object.keys(ours).map((burst) => ({
      name: burst === '1' ? 'fanout_cpu_singles' : `fanout_cpu_bursts_of_${burst}`,
      value: plain[burst]! / ours[burst]!,
      ...(burst === '10' && { goal: '>= 8' as const }),
      unit: 'ratio',
      from: { ours_us_per_delivery: ours[burst]!, plain_us_per_delivery: plain[burst]! },
    }));
  },
};
