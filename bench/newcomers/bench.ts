import type { Bench, Prepared } from '../framework/bench.ts';
import type { Welcomed } from './phase.ts';

/**
 * Newcomers who shake hands with a node, one after the other, while nobody else does and while the sockets of two
 * addresses that say nothing fill its half-open places and come again as soon as they are closed.
 */
export const bench: Bench<Prepared<Welcomed>> = {
  name: 'newcomers',
  summary: 'handshakes of newcomers while silent sockets fill the half-open places',
  prepare: ({ quick, prepared }) => prepared<Welcomed>('newcomers/phase.ts', [quick ? 100 : 500]),
  async run(_context, measure) {
    const { quiet, attacked, refused } = await measure();
    return [
      {
        name: 'newcomers_under_attack',
        value: attacked / quiet,
        goal: '>= 0.5',
        unit: 'ratio',
        from: { attacked_per_s: attacked, quiet_per_s: quiet, refused },
      },
    ];
  },
};
