/** Billing commands beside bare transactions: `<adapter> <dir or url> <milliseconds> <tasks>`. */
import { lowdbStorage } from '../../adapters/storage-lowdb/index.ts';
import { redisStorage } from '../../adapters/storage-redis/index.ts';
import { systemClock, systemRandom } from '../../core/platform/system-clock.ts';
import { openStore } from '../../core/storage/store.ts';
import { Books } from '../../plugins/billing/books.ts';
import { reserve } from '../../plugins/billing/reservations.ts';
import { accounts, journal, marks } from '../../plugins/billing/stored.ts';
import { fund } from './funded.ts';

/** All per second. */
export interface Billed {
  readonly commands: number;
  /** Double entry without billing. */
  readonly entries: number;
  readonly bare: number;
}

const AGENTS = 1_000;
const LIMITS = { minWithdrawal: '1', maxWithdrawal: '1000', maxPerAgentPerDay: '100000000', maxPerDay: '1000000000' };
const CONFIG = {
  ...LIMITS,
  maxShareOfDay: 100,
  maxFreshOfDay: 100,
  keptForStanding: 0,
  maxUnderWay: 1e9,
  sweepFrom: '1',
  maxAtGateway: '1',
  giveUpAfter: 3_600,
};
const EVM = `0x${'1a'.repeat(20)}`;
const TURNS = 4;

const [adapter, place, ms, tasks] = [
  process.argv[2]!,
  process.argv[3]!,
  Number(process.argv[4]),
  Number(process.argv[5]),
];
const made =
  adapter === 'redis'
    ? redisStorage({ url: place, prefix: 'bench' })
    : lowdbStorage({ dir: place, clock: systemClock });
const store = await openStore(made, { validate: () => [], clock: systemClock, random: systemRandom });
const space = store.space('billing');
const books = new Books(space);
let count = 0;
await fund(space, books, AGENTS);

/** A withdrawal to another chain, as `POST /billing/withdraw` sets it aside: its record, both sides in the books, and two caps. */
async function command(): Promise<void> {
  const n = count++;
  const wanted = { id: `w-${n}`, agent: `agent-${n % AGENTS}`, kind: 'withdrawal', amount: 2_000_000n } as const;
  await space.tx([], (tx) => reserve(tx, books, CONFIG, { ...wanted, chain: 'base', address: EVM }));
}

async function bare(): Promise<void> {
  const n = count++;
  await space.tx([], (tx) => tx.put(marks.ref(`mark-${n}`), { value: String(n) }));
}

/** Double entry as anybody writes it: both accounts and the entry in one transaction, without caps, records and checks. */
async function entry(): Promise<void> {
  const n = count++;
  const [from, to] = [accounts.ref(`bare-${n % AGENTS}`), accounts.ref(`bare-${(n * 7 + 1) % AGENTS}`)];
  await space.tx([], (tx) => {
    const [paying, paid] = tx.pull([from, to]).map((one) => BigInt(one?.available ?? 0)) as [bigint, bigint];
    tx.put(from, { available: String(paying - 1n), reserved: '0' });
    tx.put(to, { available: String(paid + 1n), reserved: '0' });
    const lines = [
      { account: `available/bare-${n % AGENTS}`, amount: '1' },
      { account: `available/bare-${(n * 7 + 1) % AGENTS}`, amount: '-1' },
    ];
    tx.append(journal, { at: tx.now, kind: 'bare', ref: `bare-${n}`, lines });
  });
}

async function rate(work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  let done = 0;
  await Promise.all(
    Array.from({ length: tasks }, async () => {
      while (performance.now() - begun < ms) {
        await work();
        done += 1;
      }
    }),
  );
  return (done * 1_000) / (performance.now() - begun);
}

const sums = { commands: 0, entries: 0, bare: 0 };
for (let turn = 0; turn < TURNS; turn++) {
  sums.bare += (await rate(bare)) / TURNS;
  sums.entries += (await rate(entry)) / TURNS;
  sums.commands += (await rate(command)) / TURNS;
}
await store.close();
process.stdout.write(JSON.stringify(sums satisfies Billed));
