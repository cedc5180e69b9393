import type { Bench, Figure, Prepared } from '../framework/bench.ts';
import type { Scored } from './phase.ts';

/**
 * Everybody's scores anew while an aggregator goes on: how long the thread takes that computes them, and how long the one
 * that answers calls is kept from it, beside the same thread when nothing is to do.
 */
export const bench: Bench<Prepared<Scored>> = {
  name: 'score',
  summary: 'everybody scored anew, and what the main thread notices of it',
  prepare: ({ quick, folder, prepared }) => prepared<Scored>('score/phase.ts', [folder(), quick ? 25_000 : 250_000]),
  async run(_context, measure) {
    const found = await measure();
    const { run, update, start, floor, pairs, agents, written } = found;
    const { floorTurn, busyTurn, startTurn, updateTurn } = found;
    const turns = { score_turn: updateTurn, score_start_turn: startTurn };
    const from = { floor_ms: floor.longest, floor_p99_ms: floor.p99 };
    return [
      {
        ...{ name: 'score_run', value: run.cpu / 1_000, goal: '<= 1', unit: 's of CPU' },
        from: { wall_s: run.wall / 1_000, pairs, agents },
      },
      {
        ...{ name: 'score_stall', value: update.longest, goal: '<= 5', unit: 'ms' },
        from: { ...from, p99_ms: update.p99, took_ms: update.took, written },
      },
      {
        ...{ name: 'score_start_stall', value: start.longest, goal: '<= 5', unit: 'ms' },
        from: { ...from, p99_ms: start.p99, took_ms: start.took },
      },
      ...Object.entries(turns).flatMap(([name, value]): Figure[] =>
        value === undefined
          ? []
          : [
              {
                ...{ name, value: value.longest, goal: '<= 5', unit: 'ms of CPU' },
                from: {
                  ...{ floor_ms: floorTurn?.longest ?? 0, busy_ms: busyTurn?.longest ?? 0 },
                  ...{ busy_longer_turns: busyTurn?.long ?? 0, turns: value.count, longer_turns: value.long },
                },
              },
            ],
      ),
    ];
  },
};
