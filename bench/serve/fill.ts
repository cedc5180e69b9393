/**
 * Fills the store of an aggregator: `<folder> <events>`. The events are those of 100 days. Of deals that were settled more
 * than 17 days ago an aggregator keeps the log records, the opinions and who took part: that is written as it is. The rest
 * becomes what the ingest makes of it, many reports in one transaction; signatures are neither made nor verified.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { lowdbStorage } from '../../adapters/storage-lowdb/index.ts';
import { epochsOf } from '../../core/aggregator/epochs.ts';
import { seeAgent } from '../../core/aggregator/ingest/agent-rows.ts';
import { effectOf } from '../../core/aggregator/ingest/effects/index.ts';
import { markNonce, nonceRefOf } from '../../core/aggregator/ingest/nonce.ts';
import { readPayload } from '../../core/aggregator/ingest/payload.ts';
import { readItem } from '../../core/aggregator/ingest/signed.ts';
import { SPACE } from '../../core/aggregator/ports.ts';
import { agents as agentRows } from '../../core/aggregator/store/agents.ts';
import { opinionRef, PARTY_MS, partyRef } from '../../core/aggregator/store/deals.ts';
import { activity, interactionCount, interactions } from '../../core/aggregator/store/logs.ts';
import { loadContracts } from '../../core/contracts.ts';
import type { Space } from '../../core/storage/space.ts';
import { openStore } from '../../core/storage/store.ts';
import { systemClock, systemRandom } from '../../core/system-clock.ts';
import type { TestAgent } from '../../test/aggregator/support/agent.ts';
import { agentsOf, beaconsOf, dealsOf, network, pairOf, type Report, SIDE_BY_SIDE } from '../support/agents.ts';

export interface Filled {
  /** Ids of agents that took part. */
  readonly agents: readonly string[];
  readonly events: number;
}

const DAY = 86_400_000;
const DAYS = 100;
const RECENT_DAYS = 17;
const EVENTS_PER_DEAL = 4;
const REPORTS_PER_DEAL = 5;
const AT_ONCE = 256;
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

  const deals = Math.ceil((events - agents.length) / EVENTS_PER_DEAL);
  const old = Math.floor((deals * (DAYS - RECENT_DAYS)) / DAYS);
  for (let n = 0; n < old; n += AT_ONCE) {
    await remember(space, agents, n, Math.min(AT_ONCE, old - n), time);
    time += (AT_ONCE / deals) * DAYS * DAY;
  }

  time = Math.max(time, end - RECENT_DAYS * DAY);
  const beacons = [...beaconsOf(agents)];
  for (let n = 0; n < beacons.length; n += AT_ONCE) await index(space, beacons.slice(n, n + AT_ONCE), clock.now());
  const source = dealsOf(agents);
  const turns = Math.ceil((deals - old) / SIDE_BY_SIDE);
  const pace = (end - time) / turns;
  for (let turn = 0; turn < turns; turn++) {
    const reports = Array.from({ length: REPORTS_PER_DEAL * SIDE_BY_SIDE }, () => source.next().value as Report);
    await index(space, reports, clock.now());
    time += pace;
  }
  const [newest] = await space.page(activity, { limit: 1 });
  // As after a power cut: whoever opens it next replays the journal.
  return { agents: agents.map(({ id }) => id), events: newest!.id };
}

/** What an ingest makes of these reports, all in one transaction. */
async function index(space: Space, reports: readonly Report[], now: number): Promise<void> {
  const told = reports.map((report) => {
    const item = readItem(report, { network, now, live: false });
    if (!('header' in item)) throw new Error(JSON.stringify(item));
    const payload = readPayload(item);
    return { item, effect: effectOf(item, payload?.ok ? payload.value : undefined, { epochs }) };
  });
  const reads = await Promise.all(told.map(({ effect }) => effect.reads()));
  const own = told.flatMap(({ item }) => [nonceRefOf(item, network), agentRows.ref(item.sender)]);
  await space.tx([...own, ...reads.flat()], (tx) => {
    for (const { item, effect } of told) {
      const { verdict } = markNonce(tx, item, network);
      seeAgent(tx, item.sender, item.at, epochs);
      const [dropped] = effect.apply(tx);
      if (verdict !== 'new' || dropped) throw new Error(`${item.msgType} is ${dropped ?? verdict}`);
    }
  });
}

/** What is left of deals that have long ended. */
async function remember(space: Space, agents: readonly TestAgent[], from: number, count: number, at: number) {
  await space.tx([], (tx) => {
    for (let n = from; n < from + count; n++) {
      const [requester, provider] = pairOf(agents, n).map(({ id }) => id) as [string, string];
      const conversation_id = randomBytes(16).toString('hex');
      for (const [one, other] of [
        [requester, provider],
        [provider, requester],
      ] as const) {
        tx.put(partyRef(conversation_id, one), { with: [other], assigned: null, verdicts: [] }, { ttl: PARTY_MS });
      }
      const shared = { conversation_id, slot: 250_000_000, at: Math.floor(at) };
      for (const event_type of ['ACCEPT', 'DELIVER'] as const) {
        tx.append(activity, { event_type, agent_id: provider, target_agent_id: requester, ...shared });
      }
      for (const [rater, target] of [
        [requester, provider],
        [provider, requester],
      ] as const) {
        const told = { score: 80, outcome: 'positive' as const, ...shared };
        tx.append(interactions, { sender: rater, target_agent: target, role: 'participant', ...told });
        tx.append(activity, { event_type: 'FEEDBACK', agent_id: rater, target_agent_id: target, ...told });
        const epoch = Math.floor(at / DAY);
        const opinion = { epoch, worn: 0, key_changes: 0, sum: 400 / 7, weight: 5 / 7, heaviest: 5 / 7 };
        tx.put(opinionRef(rater, target), opinion, { ttl: 1_800 * DAY });
        tx.add(interactionCount, 1);
      }
    }
  });
}

/** The same agent without the work of signing. */
function unsigned({ identity }: TestAgent): TestAgent['identity'] {
  return { ...identity, signEnvelope: () => new Uint8Array(randomBytes(64)) };
}

const [, , dir = '', events = '0'] = process.argv;
process.stdout.write(JSON.stringify(await fill(dir, Number(events))), () => process.exit());
