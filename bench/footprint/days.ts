import { lowdbStorage } from '../../adapters/storage-lowdb/index.ts';
import { epochsOf } from '../../core/aggregator/epochs.ts';
import { createIngest } from '../../core/aggregator/ingest/ingest.ts';
import { SPACE } from '../../core/aggregator/providers.ts';
import { loadContracts } from '../../core/contracts/contracts.ts';
import type { Verifier } from '../../core/messaging/verification/verifier.ts';
import { silentLog } from '../../core/platform/log.ts';
import { systemClock, systemRandom } from '../../core/platform/system-clock.ts';
import type { DumpRow } from '../../core/storage/dump.ts';
import { openStore } from '../../core/storage/store.ts';
import type { TestAgent } from '../../test/aggregator/support/agent.ts';
import { beaconsOf, network, type Report } from '../support/agents.ts';

export const DAY = 86_400_000;
const ANY = 1e12;
const TOGETHER = 250;
const NOTHING = () => {};
const UNHANDLED = { keeps: () => false, keep: NOTHING, recorded: NOTHING };
/** Signatures are neither made nor verified. */
const TRUSTING = { verifyAll: async (all: readonly unknown[]) => all.map(() => true) } as unknown as Verifier;

/** An ingest over a store of its own, at a time that passes when it is told. */
export async function openLedger(dir: string) {
  let time = systemClock.now() - (systemClock.now() % DAY) - 30 * DAY;
  const clock = { ...systemClock, now: () => time };
  const contracts = loadContracts();
  const validate = (schema: string, value: unknown) => contracts.problems(schema as never, value);
  const adapter = lowdbStorage({ dir, clock });
  const store = await openStore(adapter, { validate, clock, random: systemRandom });
  const ingest = createIngest({
    ...{ space: store.space(SPACE), network, epochs: epochsOf(network), verifier: TRUSTING, clock, log: silentLog },
    handling: UNHANDLED,
    limits: { newKeysPerHour: ANY, newKeysPerHourInAll: ANY, itemsPerKeyPerMinute: ANY },
    ...{ counted: NOTHING, putOff: NOTHING, recorded: NOTHING, dropped: NOTHING },
  });
  const tell = async (reports: readonly Report[]) => {
    for (let n = 0; n < reports.length; n += TOGETHER) {
      const results = await ingest(reports.slice(n, n + TOGETHER), { ip: '127.0.0.1' });
      const refused = results.find(({ status }) => status !== 'accepted');
      if (refused) throw new Error(JSON.stringify(refused));
    }
  };
  return {
    now: clock.now,
    pass: (ms: number) => {
      time += ms;
    },
    tell,
    tellBeacons: (agents: readonly TestAgent[]) => tell([...beaconsOf(agents)]),
    async rows(): Promise<DumpRow[]> {
      const rows: DumpRow[] = [];
      for await (const row of adapter.dump!()) rows.push(row);
      return rows;
    },
    close: () => store.close(),
  };
}
