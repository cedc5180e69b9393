/** `phase <folder> <sockets> <rounds> <deliveries>`: an aggregator and a plain server in turns; CPU of this process alone. */
import { adapters } from '../../adapters/index.ts';
import { type ActivityEvent, activityEvent } from '../../core/aggregator/activity/view.ts';
import { SPACE } from '../../core/aggregator/providers.ts';
import { activity, type StoredActivity } from '../../core/aggregator/store/logs.ts';
import { textMessage } from '../../core/http/text-message.ts';
import { silentLog, startNode } from '../../core/index.ts';
import { Store } from '../../core/internal-services.ts';
import { median } from '../framework/median.ts';
import { ready } from '../framework/ready.ts';
import { warmUp } from '../framework/warm.ts';
import { plainServer } from './plain.ts';
import { Watchers } from './watchers.ts';

/** Microseconds of CPU per delivered event, by how many events happen at once. */
export interface Delivered {
  readonly ours: Readonly<Record<string, number>>;
  readonly plain: Readonly<Record<string, number>>;
}

const BURSTS = [1, 10];
/** Rounds in which code is compiled. */
const WARM_UP = { least: 3, most: 5 };
/** In a burst a delivery costs the plain server several times as much: so both sides are measured for about as long. */
const FEWEST: Readonly<Record<number, Readonly<Record<'ours' | 'plain', number>>>> = {
  1: { ours: 5, plain: 5 },
  10: { ours: 14, plain: 2 },
};
const AGENT = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin';
const TARGET = 'J2xccRtuG43drESLYznHhLhQkLTdfepcKYbiQ9BsJVaf';

const [folder, sockets, rounds, deliveries] = process.argv.slice(2);
const aggregator = await startNode({
  parts: { adapters, plugins: {} },
  log: silentLog,
  checkReplies: false,
  // The clients answer no pings.
  heartbeat: 3_600_000,
  config: {
    value: {
      profile: 'aggregator',
      listen: '127.0.0.1:0',
      dataDir: folder,
      network: { id: 'bench' },
      storage: { use: 'memory' },
      api: { socketsPerIp: Number(sockets), unlimited: ['127.0.0.1'] },
      plugins: {},
    },
  },
});
const space = aggregator.get(Store).space(SPACE);
const plain = await plainServer();
const [ofOurs, ofPlain] = await Promise.all([
  Watchers.open(aggregator.port, '/ws/activity', Number(sockets)),
  Watchers.open(plain.port, '/', Number(sockets)),
]);
const watchers = { ours: ofOurs, plain: ofPlain };

function happening(): StoredActivity {
  return {
    event_type: 'FEEDBACK',
    agent_id: AGENT,
    target_agent_id: TARGET,
    score: 80,
    slot: 301_234_567,
    at: Date.now(),
  };
}

/** The same events through both: what one appends to its log, the other gets as the view of it. */
const publish = {
  async ours(count: number): Promise<ActivityEvent[]> {
    const records = Array.from({ length: count }, happening);
    const ids = await Promise.all(records.map((record) => space.append(activity, record)));
    return records.map((record, index) => activityEvent({ id: ids[index]!, record }));
  },
  async plain(count: number): Promise<ActivityEvent[]> {
    const events = Array.from({ length: count }, (_, id) => activityEvent({ id: id + 1, record: happening() }));
    plain.publish(events);
    return events;
  },
};

/** Every burst is delivered before the next, so that neither side gains by falling behind. */
async function round(side: 'ours' | 'plain', burst: number, deliveries: number): Promise<number> {
  const times = Math.max(FEWEST[burst]![side], Math.round(deliveries / Number(sockets) / burst));
  const before = process.cpuUsage();
  for (let time = 0; time < times; time += 1) {
    const events = await publish[side](burst);
    await watchers[side].got(events.reduce((sum, event) => sum + textMessage(JSON.stringify(event)).length, 0));
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / (times * burst * Number(sockets));
}

const found: Record<'ours' | 'plain', Record<string, number[]>> = { ours: {}, plain: {} };
for (const burst of BURSTS) {
  const turns = (['ours', 'plain'] as const).map((side) => async () => 1 / (await round(side, burst, 0)));
  await warmUp(turns, WARM_UP);
}
await ready();
for (let turn = 0; turn < Number(rounds); turn += 1) {
  for (const burst of BURSTS) {
    for (const side of ['ours', 'plain'] as const) {
      const cost = await round(side, burst, Number(deliveries));
      found[side][burst] = [...(found[side][burst] ?? []), cost];
    }
  }
}
const medians = (side: Record<string, number[]>) =>
  Object.fromEntries(Object.entries(side).map(([burst, costs]) => [burst, median(costs)]));
console.log(JSON.stringify({ ours: medians(found.ours), plain: medians(found.plain) } satisfies Delivered));
for (const side of Object.values(watchers)) side.close();
plain.close();
await aggregator.stop();
