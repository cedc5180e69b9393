import { findRedis, RedisServer } from '../../test/support/redis-server.ts';
import type { Bench, Figure, Goal } from '../framework/bench.ts';
import type { Ingested } from './phase.ts';

/** Reports that are told, verified, indexed and on the disk, beside the bare verification of their signatures. */
export const bench: Bench = {
  name: 'ingest',
  summary: 'verified reports per second, beside crypto.verify of the same on one thread',
  async run({ quick, folder, phase, say }) {
    const reports = quick ? 3_000 : 100_000;
    const run = (adapter: string, url: string) => phase<Ingested>('ingest/phase.ts', [adapter, folder(), url, reports]);
    const figures = [figure('ingest_lowdb', '>= 0.6', await run('lowdb', ''))];
    if (findRedis()) {
      const server = await RedisServer.start();
      try {
        figures.push(figure('ingest_redis', '>= 0.5', await run('redis', server.url)));
      } finally {
        await server.stop();
      }
    } else say('  ingest_redis is left out: there is no redis-server on the PATH');
    return figures;
  },
};

function figure(name: string, goal: Goal, { took, cpu, bare, bare_cpu, reports }: Ingested): Figure {
  return {
    name,
    value: bare / took,
    goal,
    unit: 'of bare verification',
    from: {
      reports_per_s: (1000 * reports) / took,
      bare_per_s: (1000 * reports) / bare,
      cpu_us: (1000 * cpu) / reports,
      bare_cpu_us: (1000 * bare_cpu) / reports,
    },
  };
}
