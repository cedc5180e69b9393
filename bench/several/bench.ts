import { findRedis, RedisServer } from '../../test/support/redis-server.ts';
import type { Bench, Prepared } from '../framework/bench.ts';
import type { Several } from './phase.ts';

interface Told {
  readonly redis: RedisServer | undefined;
  readonly measure: Prepared<Several> | undefined;
}

/** A second aggregator on one Redis, beside one alone. */
export const bench: Bench<Told> = {
  name: 'several',
  summary: 'reports and reads of two aggregators on one Redis, beside one alone',
  async prepare({ quick, folder, prepared, say }) {
    const redis = findRedis() ? await RedisServer.start() : undefined;
    if (!redis) say('  several is left out: there is no redis-server on the PATH');
    const args = redis && [folder(), quick ? 8_192 : 60_000, redis.url];
    return { redis, measure: args && (await prepared<Several>('several/phase.ts', args)) };
  },
  async run(_context, { redis, measure }) {
    if (!measure) return [];
    try {
      const { reports, one, two, handed, readsOfOne, readsOfTwo, beside } = await measure();
      const perSecond = (took: number) => (1_000 * reports) / took;
      return [
        {
          name: 'several_ingest',
          value: one.took / two.took,
          goal: '>= 1',
          unit: 'of one process',
          from: {
            one_per_s: perSecond(one.took),
            two_per_s: perSecond(two.took),
            one_cpu_us: (1_000 * one.cpu) / reports,
            two_cpu_us: (1_000 * two.cpu) / reports,
            handed,
          },
        },
        {
          name: 'several_reads',
          value: readsOfTwo.reads / readsOfTwo.took / (readsOfOne.reads / readsOfOne.took),
          goal: '>= 1',
          unit: 'of one process',
          from: {
            one_per_s: (1_000 * readsOfOne.reads) / readsOfOne.took,
            two_per_s: (1_000 * readsOfTwo.reads) / readsOfTwo.took,
          },
        },
        {
          name: 'several_ingest_beside_reads',
          value: readsOfOne.took / readsOfTwo.took,
          goal: '>= 1',
          unit: 'of one process',
          from: { one_per_s: (1_000 * beside) / readsOfOne.took, two_per_s: (1_000 * beside) / readsOfTwo.took },
        },
      ];
    } finally {
      await redis?.stop();
    }
  },
};
