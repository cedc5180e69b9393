/**
 * `<dir> <count>`: so many burns wait for their attestations, on files. The service answers at once, first that it has not seen them, then
 * with their messages and mints; no network and no ledger is measured.
 */
import bs58 from 'bs58';
import { lowdbStorage } from '../../adapters/storage-lowdb/index.ts';
import { silentLog } from '../../core/platform/log.ts';
import { systemClock, systemRandom } from '../../core/platform/system-clock.ts';
import { openStore } from '../../core/storage/store.ts';
import { Books } from '../../plugins/billing/books.ts';
import type { BillingConfig } from '../../plugins/billing/config.ts';
import { reserve } from '../../plugins/billing/reservations.ts';
import { Attestation } from '../../plugins/billing/settlement/index.ts';
import { type Withdrawal, withdrawals } from '../../plugins/billing/stored.ts';
import { WithdrawalSteps } from '../../plugins/billing/withdrawal-steps.ts';
import { fund } from '../billing/funded.ts';

export interface UnderWay {
  readonly count: number;
  /** By which the heap has grown with all of them waiting. */
  readonly heap_bytes: number;
  /** By which it grows further, at most, while all are asked about and end. */
  readonly work_bytes: number;
  readonly asked: number;
  readonly ended_per_s: number;
}

const CONFIG: BillingConfig = {
  ...{ minWithdrawal: '1', maxWithdrawal: '1000', maxPerAgentPerDay: '1000000000', maxPerDay: '1000000000' },
  ...{
    maxShareOfDay: 100,
    maxFreshOfDay: 100,
    keptForStanding: 0,
    maxUnderWay: 10_000,
    sweepFrom: '1',
    maxAtGateway: '1',
    giveUpAfter: 604_800,
  },
};
const EVM = `0x${'1a'.repeat(20)}`;
const WALLET = bs58.encode(Buffer.alloc(32, 9));
const AGENTS = 100;
const AT_ONCE = 64;

const [dir, text] = process.argv.slice(2) as [string, string];
const count = Number(text);
let ahead = 0;
const clock = { ...systemClock, now: () => systemClock.now() + ahead };
const store = await openStore(lowdbStorage({ dir, clock }), { validate: () => [], clock, random: systemRandom });
const space = store.space('billing');
const books = new Books(space);
const before = heap();
await fund(space, books, AGENTS);
for (let first = 0; first < count; first += AT_ONCE)
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - first) }, (_, index) => begun(first + index)));

let seen = false;
let asked = 0;
const attestation = new Attestation({
  url: 'http://service',
  fetch: async (url) => {
    asked += 1;
    if (!seen) return { status: 404, text: async () => '{"message":"not found"}' };
    const signature = new URL(url).searchParams.get('transactionHash')!;
    const row = {
      message: '0x00',
      attestation: '0x5a',
      status: 'complete',
      forwardState: 'COMPLETE',
      forwardTxHash: signature,
    };
    return { status: 200, text: async () => JSON.stringify({ messages: [row] }) };
  },
});
const nothing = undefined as never;
const steps = new WithdrawalSteps({
  ...{ space, clock, books, attestation, config: CONFIG, log: silentLog, self: { address: WALLET } as never },
  ...{ ledger: nothing, transactions: nothing, keys: undefined, fees: undefined },
});
const { signal } = new AbortController();
let most = 0;
await round();
const waiting = heap();
most = waiting;
seen = true;
// Those whose minting is told of end with the answer; their messages were checked when they came.
const started = performance.now();
await round();
const ended = (await ends()) / ((performance.now() - started) / 1_000);
await store.close();
process.stdout.write(
  JSON.stringify({
    count,
    heap_bytes: waiting - before,
    work_bytes: Math.max(0, most - waiting),
    asked,
    ended_per_s: ended,
  } satisfies UnderWay),
);

/** A withdrawal whose burn is final and attested, and whose mint is to come. */
async function begun(index: number): Promise<void> {
  const id = `w-${index}`;
  const agent = `agent-${index % AGENTS}`;
  await space.tx([], (tx) => {
    const wanted = { id, agent, kind: 'withdrawal', amount: 2_000_000n, chain: 'base', address: EVM } as const;
    const own = reserve(tx, books, CONFIG, wanted);
    const burnt: Withdrawal = {
      ...{ ...own, state: 'minting', speed: 'fast', maxFee: '1000', received: '1979000' },
      ...{ signature: `burn-${index}`, message: `0x${'5a'.repeat(400)}`, attestation: `0x${'5a'.repeat(130)}` },
    };
    tx.put(withdrawals.ref(id), burnt);
  });
}

/** Every settlement is asked about once, as the job of each second does. */
async function round(): Promise<void> {
  const from = asked;
  ahead += 61_000;
  while (asked - from < count) {
    const so = asked;
    await steps.run(signal);
    most = Math.max(most, process.memoryUsage().heapUsed);
    if (asked === so) break;
  }
}

async function ends(): Promise<number> {
  let done = 0;
  for (let after: { id: string; key: string } | undefined; ; ) {
    const page = await space.page(withdrawals, { limit: 2_000, ...(after && { after }) });
    done += page.filter(({ value }) => value.state === 'done').length;
    if (page.length < 2_000) return done;
    after = page.at(-1);
  }
}

function heap(): number {
  (globalThis as { gc?: () => void }).gc?.();
  return process.memoryUsage().heapUsed;
}
