import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { lowdbStorage } from '../../adapters/storage-lowdb/index.ts';
import { memoryStorage } from '../../adapters/storage-memory/index.ts';
import { redisStorage } from '../../adapters/storage-redis/index.ts';
import { AnalyticsJob } from '../../core/aggregator/analytics/analytics-job.ts';
import { epochsOf } from '../../core/aggregator/epochs.ts';
import { SPACE } from '../../core/aggregator/providers.ts';
import {
  behaviourRef,
  ownerClusters,
  standings,
  stateRef,
  sumsRef,
  tallies,
  vectors,
} from '../../core/aggregator/store/analytics.ts';
import { ownership } from '../../core/aggregator/store/ownership.ts';
import { systemRandom } from '../../core/platform/system-clock.ts';
import type { StorageAdapter } from '../../core/storage/adapter.ts';
import type { Space } from '../../core/storage/space.ts';
import { seedOf } from '../program/support/random.ts';
import { findRedis, RedisServer } from '../support/redis-server.ts';
import { openTestStore } from '../support/space.ts';
import { network } from './support/agent.ts';
import { agentIds, type Happening, happens, histories } from './support/analytics-history.ts';
import { AnalyticsModel, groupsOf, isMeasured, type ModelVector, round } from './support/analytics-model.ts';
import { DAY, NOON } from './support/domain.ts';
import { StillClock } from './support/still-clock.ts';

const SEED = seedOf(20_260_101);
const RUNS = Number(process.env['RUNS'] ?? 80);
/** Clusters by behaviour in the histories of a test. */
let seen = 0;
const never = new AbortController().signal;
const epochs = epochsOf(network);

describe('the analytics of a random history', function () {
  this.timeout(120_000);
  let dir: string;
  let redis: RedisServer | undefined;
  let stores = 0;
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'mesh-analytics-'));
    if (findRedis()) redis = await RedisServer.start();
  });
  after(async () => {
    await redis?.stop();
    await rm(dir, { recursive: true, force: true });
  });

  const kinds: Record<string, { readonly runs: number; readonly make: (clock: StillClock) => StorageAdapter }> = {
    memory: { runs: RUNS, make: (clock) => memoryStorage({ clock }) },
    files: { runs: RUNS / 8, make: (clock) => lowdbStorage({ dir: join(dir, `${stores++}`), clock }) },
    Redis: { runs: RUNS / 8, make: (clock) => redisStorage({ url: redis!.url, prefix: `a-${stores++}`, clock }) },
  };

  for (const [kind, { runs, make }] of Object.entries(kinds))
    it(`are the same step by step, with failures, as from scratch and as by definition: ${kind}`, async function () {
      if (kind === 'Redis' && !redis) return this.skip();
      const property = fc.asyncProperty(histories, async (history) => {
        const clock = new StillClock(NOON);
        const model = new AnalyticsModel();
        const store = await openTestStore({ clock, adapter: make(clock) });
        const scratch = await openTestStore({ clock });
        try {
          const space = store.space(SPACE);
          for (const what of history) {
            clock.time += what.after;
            if (what.kind === 'run') await run(space, clock, what);
            model.take(what, clock.time);
            await happens(space, what, clock.time);
            await happens(scratch.space(SPACE), what, clock.time);
          }
          clock.time += DAY + 700_000;
          for (const one of [space, scratch.space(SPACE)])
            await run(one, clock, { kind: 'run', after: 0, faults: [], twice: false });
          const found = await everythingIn(space);
          assert.deepEqual(found, await everythingIn(scratch.space(SPACE)));
          await judge(space, model);
        } finally {
          await store.close();
          await scratch.close();
        }
      });
      seen = 0;
      await fc.assert(property, { seed: SEED, numRuns: Math.max(4, Math.round(runs)) });
      if (kind === 'memory') assert.ok(seen > 0, 'some of them have a cluster');
    });
});

async function run(space: Space, clock: StillClock, what: Extract<Happening, { kind: 'run' }>): Promise<void> {
  const job = () => new AnalyticsJob({ space: failing(space, what.faults), epochs, clock, random: systemRandom });
  const jobs = what.twice ? [job(), job()] : [job()];
  await Promise.allSettled(jobs.map((one) => one.update(never))).then((ends) => {
    for (const end of ends) if (end.status === 'rejected' && end.reason !== LOST) throw end.reason;
  });
}

const LOST = new Error('the connection was lost');

/** The space of a process that loses its connection before some transactions, or behind them. */
function failing(space: Space, faults: readonly number[]): Space {
  const left = [...faults];
  return new Proxy(space, {
    get(target, name) {
      const value = Reflect.get(target, name, target);
      if (name !== 'tx') return typeof value === 'function' ? value.bind(target) : value;
      return async (...args: Parameters<Space['tx']>) => {
        const fault = left.shift() ?? 0;
        if (fault === 1) throw LOST;
        const result = await target.tx(...args);
        if (fault === 2) throw LOST;
        return result;
      };
    },
  });
}

async function everythingIn(space: Space) {
  const of = (name: any) =>
    space.page(name, { limit: 2_000 }).then((rows: any[]) => rows.map(({ id, value }) => [id, value]));
  return {
    standings: await of(standings),
    vectors: await of(vectors),
    owners: await of(ownerClusters),
    open: await of(tallies),
    alike: await space.get(behaviourRef),
    sums: await space.get(sumsRef),
  };
}

async function judge(space: Space, model: AnalyticsModel): Promise<void> {
  const { closed } = (await space.get(stateRef))!;
  for (const agent of agentIds) {
    const rows = await space.page(vectors, { idPrefix: `${agent}/`, limit: 200 });
    const expected = model.vectorsOf(agent, closed).filter(({ epoch }) => epoch > closed - 128);
    assert.deepEqual(
      rows.map(({ value }) => plain(value)),
      expected.map(({ epoch, bits, samples, anomaly }) => ({ epoch, bits, samples, anomaly })),
    );
    const measured = model.vectorsOf(agent, closed).filter(isMeasured);
    const verified = measured.flatMap(({ bits }) => (bits.hv === null ? [] : [bits.hv]));
    const standing = await space.get(standings.ref(agent));
    assert.equal(standing?.verified.epochs ?? 0, verified.length);
    assert.equal(standing?.verified.below ?? 0, verified.filter((hv) => hv < 1).length);
    assert.equal(round((standing?.verified.sum ?? 0) / 1e6), round(verified.reduce((sum, hv) => sum + hv, 0)));
  }
  const present = model.present(closed);
  const board = await space.page(standings, { index: 'anomaly', limit: 200 });
  assert.deepEqual(
    board.map(({ id, value }) => [value.latest!.anomaly / 1e6, id]),
    [...present]
      .map(([id, { anomaly }]): [number, string] => [anomaly, id])
      .sort((one, other) => other[0] - one[0] || (one[1] < other[1] ? -1 : 1)),
  );
  const owned = await space.page(ownership, { limit: 200 });
  const ownerOf = new Map(owned.map(({ id, value }) => [id, value.link!.owner]));
  const groups = groupsOf(present, ownerOf);
  seen += groups.length;
  assert.deepEqual((await space.get(behaviourRef))?.clusters.map(({ agents }) => agents) ?? [], groups);
  const wallets = [...new Set(ownerOf.values())].map((owner) => [...ownerOf].filter(([, by]) => by === owner));
  assert.deepEqual(
    (await space.page(ownerClusters, { index: 'size' })).map(({ value }) => value.agents),
    wallets
      .filter(({ length }) => length > 1)
      .sort((one, other) => other.length - one.length || (one[0]![1] < other[0]![1] ? -1 : 1))
      .map((agents) => agents.map(([id]) => id).sort()),
  );
  const sums = await space.get(sumsRef);
  const all = [...present.values()];
  assert.equal(sums?.agents ?? 0, all.length);
  assert.equal(sums?.flagged ?? 0, all.filter(({ anomaly }) => anomaly > 0.55).length);
  assert.equal(round((sums?.anomaly ?? 0) / 1e6), round(all.reduce((sum, { anomaly }) => sum + anomaly, 0)));
}

function plain({ epoch, ht, hb, hs, hv, anomaly, n_ht, n_hb, n_hs, n_hv }: any): Omit<ModelVector, 'partners'> {
  const bits = (value: number | null) => (value === null ? null : value / 1e6);
  return {
    epoch,
    bits: { ht: bits(ht), hb: bits(hb), hs: bits(hs), hv: bits(hv) },
    samples: { ht: n_ht, hb: n_hb, hs: n_hs, hv: n_hv },
    anomaly: anomaly / 1e6,
  };
}
