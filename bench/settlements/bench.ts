import type { Bench } from '../framework/bench.ts';
import type { UnderWay } from './phase.ts';

/** Settlements that wait for their attestations all at once: how much memory they take, and how fast they end once the service has them. */
export const bench: Bench = {
  name: 'settlements',
  thorough: true,
  summary: 'memory of settlements under way at once, and their end',
  async run({ quick, phase, folder }) {
    const found = await phase<UnderWay>('settlements/phase.ts', [folder(), quick ? 2_000 : 10_000]);
    const { count, heap_bytes, work_bytes, asked, ended_per_s } = found;
    const from = { settlements: count, heap_mb: heap_bytes / 1e6, asked };
    return [
      { name: 'settlements_kept_bytes', value: heap_bytes / count, unit: 'B/settlement', from },
      { name: 'settlements_work_mb', value: work_bytes / 1e6, unit: 'MB', from },
      { name: 'settlements_ended', value: ended_per_s, unit: 'settlements/s', from },
    ];
  },
};
