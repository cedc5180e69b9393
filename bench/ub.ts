import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync } from 'node:fs';
import { lowdbStorage } from '../adapters/storage-lowdb/index.ts';
import { epochsOf } from '../core/aggregator/epochs.ts';
import { createIngest } from '../core/aggregator/ingest/ingest.ts';
import { loadContracts } from '../core/contracts.ts';
import { Verifier } from '../core/identity/verifier.ts';
import { silentLog } from '../core/log.ts';
import { openStore } from '../core/storage/store.ts';
import { systemClock, systemRandom } from '../core/system-clock.ts';
import { agentsOf, beaconsOf, dealsOf, network, type Report } from './support/agents.ts';

const contracts = loadContracts();
const validate = (s: string, v: unknown) => contracts.problems(s as never, v);
const adapter = lowdbStorage({ dir: mkdtempSync('/tmp/ub-'), clock: systemClock });
const store = await openStore(adapter, { validate, clock: systemClock, random: systemRandom });
const space = store.space('aggregator');
const agents = agentsOf(1000);
for (const agent of agents)
  Object.assign(agent, { identity: { ...agent.identity, signEnvelope: () => new Uint8Array(randomBytes(64)) } });
const plenty = 1e9;
const ingest = createIngest({
  space,
  network,
  epochs: epochsOf(network),
  verifier: Object.assign(new Verifier(), { verify: async () => true }),
  clock: systemClock,
  log: silentLog,
  limits: { newKeysPerHour: plenty, itemsPerKeyPerMinute: plenty },
  counted: () => {},
  dropped: () => {},
} as never);
const src = dealsOf(agents);
await ingest([...beaconsOf(agents)], { ip: '1.1.1.1' });
const main = () => Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1').split(' ')[0]) / 1e3;
const rounds = Number(process.argv[2] ?? 8);
const best: number[] = [];
for (let r = 0; r < rounds; r++) {
  const batches = Array.from({ length: 8 }, () => Array.from({ length: 320 }, () => src.next().value as Report));
  const a = main();
  await Promise.all(
    batches.map(async (b) => {
      const res = await ingest(b, { ip: '1.1.1.1' });
      if (res.some((x) => x.status !== 'accepted'))
        throw new Error(JSON.stringify(res.find((x) => x.status !== 'accepted')));
    }),
  );
  best.push((main() - a) / 2560);
}
console.log('main thread us per report', best.map((x) => x.toFixed(0)).join(' '), 'min', Math.min(...best).toFixed(0));
process.exit();
