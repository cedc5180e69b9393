import { findRedis, RedisServer } from '../../test/support/redis-server.ts';
import type { Bench, Figure } from '../framework/bench.ts';
import type { Footprint } from './phase.ts';

/** Bytes that a deal and a BEACON leave in an aggregator's store, by the real ingest; signatures are not verified. */
export const bench: Bench = {
  name: 'footprint',
  summary: 'bytes that a deal and a BEACON leave in the store, on files and on Redis',
  async run({ folder, phase, say }) {
    const redis = findRedis() ? await RedisServer.start(['--save', '']) : undefined;
    if (!redis) say('  footprint_*_redis is left out: there is no redis-server on the PATH');
    try {
      const { deal, beacon } = await phase<Footprint>('footprint/phase.ts', [folder(), ...(redis ? [redis.url] : [])]);
      return Object.keys(deal).flatMap((adapter) => figuresOf(adapter, deal[adapter]!, beacon[adapter]!));
    } finally {
      await redis?.stop();
    }
  },
};

function figuresOf(adapter: string, deal: Footprint['deal'][string], beacon: Footprint['beacon'][string]): Figure[] {
  const { hot, kept } = deal;
  return [
    {
      name: `footprint_deal_${adapter}`,
      value: hot,
      goal: '<= 3000',
      unit: 'bytes',
      from: { kept_for_ever: kept, ...deal.parts },
    },
    { name: `footprint_beacon_${adapter}`, value: beacon.hot, goal: '<= 50', unit: 'bytes', from: beacon.parts },
  ];
}
