import { findRedis, RedisServer } from '../../test/support/redis-server.ts';
import type { Bench, Figure, Goal, Prepared } from '../framework/bench.ts';
import type { Ingested } from './phase.ts';

const GOALS: Readonly<Record<string, Goal>> = { lowdb: '>= 0.6', redis: '>= 0.5' };

interface Told {
  readonly redis: RedisServer | undefined;
  readonly measure: Prepared<Ingested>;
}

/** Reports that are told, verified, indexed and on the disk, beside the bare verification of their signatures. */
export const bench: Bench<Told> = {
  name: 'ingest',
  summary: 'verified reports per second, beside crypto.verify of the same on one thread',
  async prepare({ quick, folder, prepared, say }) {
    const redis = findRedis() ? await RedisServer.start() : undefined;
    if (!redis) say('  ingest_redis is left out: there is no redis-server on the PATH');
    const args = [folder(), quick ? 4_000 : 100_000, ...(redis ? [redis.url] : [])];
    return { redis, measure: await prepared<Ingested>('ingest/phase.ts', args) };
  },
  async run(_context, { redis, measure }) {
    try {
      return figuresOf(await measure());
    } finally {
      await redis?.stop();
    }
  },
};

function figuresOf({ reports, bare, adapters }: Ingested): Figure[] {
  return Object.entries(GOALS).flatMap(([name, goal]) => {
    const work = adapters[name];
    if (!work) return [];
    const from = {
      reports_per_s: (1_000 * reports) / work.took,
      bare_per_s: (1_000 * reports) / bare.took,
      cpu_us: (1_000 * work.cpu) / reports,
      bare_cpu_us: (1_000 * bare.cpu) / reports,
    };
    return { name: `ingest_${name}`, value: bare.took / work.took, goal, unit: 'of bare verification', from };
  });
}
