/**
 * Fills the store of an aggregator: `<folder> <events>`. The events are those of 100 days. What an ingest has left of the
 * deals of most of them is written as it is; the last day goes through the ingest itself, many reports in one transaction.
 * Signatures are neither made nor verified.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { lowdbStorage } from '../../adapters/storage-lowdb/index.ts';
import { AnalyticsJob } from '../../core/aggregator/analytics/analytics-job.ts';
import { epochsOf } from '../../core/aggregator/epochs.ts';
import { Digest } from '../../core/aggregator/flows/digest.ts';
import { SPACE } from '../../core/aggregator/providers.ts';
import { NOTHING_READ, stateRef } from '../../core/aggregator/store/analytics.ts';
import { activity } from '../../core/aggregator/store/logs.ts';
import { NONCE_EPOCHS } from '../../core/aggregator/store/nonces.ts';
import { loadContracts } from '../../core/contracts/contracts.ts';
import { systemClock, systemRandom } from '../../core/platform/system-clock.ts';
import type { Space } from '../../core/storage/space.ts';
import { openStore } from '../../core/storage/store.ts';
import type { TestAgent } from '../../test/aggregator/support/agent.ts';
import {
  agentsOf,
  beaconsOf,
  dealsFrom,
  network,
  pairOf,
  type Report,
  reportsOf,
  unsigned,
} from '../support/agents.ts';
import { History, type PastDeal } from './history.ts';
import { indexReports } from './index-reports.ts';

export interface Filled {
  /** Ids of agents that took part. */
  readonly agents: readonly string[];
  readonly events: number;
}

const DAY = 86_400_000;
const DAYS = 100;
/** The last of them, which is told to the ingest. */
const TOLD_DAYS = 1;
const EVENTS_PER_DEAL = 4;
/** Deals of one moment, and reports in one transaction. */
const AT_ONCE = 64;
const TOGETHER = 512;
const NEVER = new AbortController().signal;
const epochs = epochsOf(network);

async function fill(dir: string, events: number): Promise<Filled> {
  const end = systemClock.now();
  let time = end - DAYS * DAY;
  const clock = { ...systemClock, now: () => Math.floor(time) };
  const contracts = loadContracts();
  const validate = (schema: string, value: unknown) => contracts.problems(schema as never, value);
  const adapter = lowdbStorage({ dir: join(dir, 'store'), clock });
  const store = await openStore(adapter, { validate, clock, random: systemRandom });
  const space = store.space(SPACE);
  const agents = agentsOf(Math.max(200, events / 250), clock.now);
  for (const agent of agents) Object.assign(agent, { identity: unsigned(agent) });

  const tell = async (reports: Iterable<Report>) => {
    const all = [...reports];
    for (let n = 0; n < all.length; n += TOGETHER) {
      await indexReports(space, all.slice(n, n + TOGETHER), { epochs, now: clock.now() });
    }
  };

  const deals = Math.ceil((events - agents.length) / EVENTS_PER_DEAL / AT_ONCE) * AT_ONCE;
  const pace = (DAYS * DAY * AT_ONCE) / deals;
  const told = Math.ceil((deals * TOLD_DAYS) / DAYS / AT_ONCE) * AT_ONCE;
  const history = new History(space, epochs);
  for (let n = 0; n < deals - told; n += AT_ONCE, time += pace) {
    const isKept = end - time < NONCE_EPOCHS * epochs.ms;
    await history.add((isKept ? dealsFrom : pastFrom)(agents, n, AT_ONCE), clock.now());
  }
  await history.close();
  await countedUpTo(space, clock.now());
  await tell(beaconsOf(agents));
  for (let n = deals - told; n < deals; n += AT_ONCE, time += pace)
    await tell(reportsOf(dealsFrom(agents, n, AT_ONCE)));
  // An aggregator counts while it takes reports: one that is behind by all of them would count beside every read.
  const parts = { space, clock, random: systemRandom, epochs };
  const digest = new Digest(parts);
  while (await digest.run(NEVER));
  await digest.close();
  await new AnalyticsJob(parts).update(NEVER);
  const [newest] = await space.page(activity, { limit: 1 });
  // As after a power cut: whoever opens it next replays the journal.
  return { agents: agents.map(({ id }) => id), events: newest!.id };
}

/** The analytics of what was not told are left out: counting 100 days of them takes longer than all else. */
async function countedUpTo(space: Space, now: number): Promise<void> {
  const [newest] = await space.page(activity, { limit: 1 });
  const closed = epochs.at(now) - 1;
  await space.tx([], (tx) => tx.put(stateRef, { ...NOTHING_READ, activity: newest!.id, closed, clustered: closed }));
}

/** Deals as `dealsFrom` gives them, of which nothing that was signed is kept any more. */
function pastFrom(agents: readonly TestAgent[], first: number, count: number): PastDeal[] {
  return Array.from({ length: count }, (_, n) => {
    const [requester, provider] = pairOf(agents, first + n);
    const signed = () => ({ id: randomBytes(32).toString('hex') });
    const ids = { accept: signed(), deliver: signed(), ratings: [signed(), signed()] as const };
    return { requester, provider, conversation: randomUUID().replaceAll('-', ''), ...ids };
  });
}

const [, , dir = '', events = '0'] = process.argv;
process.stdout.write(JSON.stringify(await fill(dir, Number(events))), () => process.exit());
