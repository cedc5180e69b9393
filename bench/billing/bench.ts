import { findRedis, RedisServer } from '../../test/support/redis-server.ts';
import type { Bench, BenchContext, Figure } from '../framework/bench.ts';
import type { Billed } from './phase.ts';

const TASKS = 64;

/** Withdrawals as billing sets them aside, each one transaction of a record, both sides of its entry and two caps. */
export const bench: Bench = {
  name: 'billing',
  thorough: true,
  summary: 'billing commands beside bare double entry and transactions that write one record, on files and on Redis',
  async run(context) {
    const files = await figures('lowdb', context.folder(), context);
    if (!findRedis()) {
      context.say('there is no redis-server here; billing is measured on files alone');
      return files;
    }
    const redis = await RedisServer.start();
    try {
      return [...files, ...(await figures('redis', redis.url, context))];
    } finally {
      await redis.stop();
    }
  },
};

async function figures(adapter: string, place: string, { quick, phase }: BenchContext): Promise<readonly Figure[]> {
  const { commands, entries, bare } = await phase<Billed>('billing/phase.ts', [
    adapter,
    place,
    quick ? 200 : 1_000,
    TASKS,
  ]);
  return [
    {
      name: `billing_${adapter}`,
      value: commands,
      unit: 'commands/s',
      from: { entries_per_s: entries, bare_per_s: bare },
    },
    { name: `billing_${adapter}_of_entries`, value: commands / entries, unit: 'of bare double entry' },
    { name: `billing_${adapter}_share`, value: commands / bare, unit: 'of bare transactions' },
  ];
}
