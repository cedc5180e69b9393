import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import bs58 from 'bs58';
import { memoryStorage } from '../../../adapters/storage-memory/index.ts';
import { silentLog } from '../../../core/platform/log.ts';
import { systemRandom } from '../../../core/platform/system-clock.ts';
import { openStore, type Store } from '../../../core/storage/store.ts';
import { AddressRound } from '../../../plugins/billing/address-round.ts';
import { Books } from '../../../plugins/billing/books.ts';
import type { BillingConfig } from '../../../plugins/billing/config.ts';
import { DepositKeys } from '../../../plugins/billing/deposit-keys.ts';
import { Deposits } from '../../../plugins/billing/deposits.ts';
import { Payouts } from '../../../plugins/billing/payouts.ts';
import { destinations, addresses as rows } from '../../../plugins/billing/stored.ts';
import { Unused } from '../../../plugins/billing/unused.ts';
import { WatchedAddresses } from '../../../plugins/billing/watched-addresses.ts';
import { BriskClock } from '../../support/brisk-clock.ts';
import { World } from './model.ts';

const HOUR_MS = 3_600_000;
const IDLE = 2_000;
const CONFIG: BillingConfig = {
  ...{
    secret: 'a secret of the tests, long enough',
    minWithdrawal: '1',
    maxWithdrawal: '100',
    maxShareOfDay: 100,
    maxFreshOfDay: 100,
    keptForStanding: 0,
    maxUnderWay: 50,
  },
  ...{ maxPerAgentPerDay: '100000', maxPerDay: '100000', sweepFrom: '1000', maxAtGateway: '10000', giveUpAfter: 3_600 },
};

describe('deposit addresses that nobody watches', function () {
  this.timeout(60_000);
  const clock = new BriskClock();
  let folder: string;
  let store: Store;
  let world: World;
  let books: Books;
  let deposits: Deposits;
  let watched: WatchedAddresses;
  let watch: () => WatchedAddresses;
  let space: ReturnType<Store['space']>;
  let depositsOf: (change: Partial<BillingConfig>) => Deposits;
  let begin: () => AddressRound;
  let round: AddressRound;
  const addresses: string[] = [];
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mesh-quiet-'));
    store = await openStore(memoryStorage({ clock }), { clock, random: systemRandom, validate: () => [] });
    space = store.space('billing');
    world = new World(() => 1);
    world.calm = true;
    const { ledger, transactions } = world;
    const keys = await DepositKeys.open(CONFIG.secret, async () => folder, space);
    books = new Books(space);
    const self = { address: bs58.encode(Buffer.alloc(32, 9)) } as never;
    const common = { space, ledger, transactions, self, clock, log: silentLog, books, keys };
    depositsOf = (change) => {
      const config = { ...CONFIG, ...change };
      return new Deposits({ ...common, config, payouts: new Payouts(books, config) });
    };
    deposits = depositsOf({});
    watch = () => new WatchedAddresses({ ...common, deposits });
    watched = watch();
    begin = () => new AddressRound({ ...common, deposits });
    round = begin();
    for (let agent = 0; agent < IDLE; agent++) addresses.push(await deposits.open(`agent-${agent}`));
    clock.shift(2 * HOUR_MS);
    const { signal } = new AbortController();
    for (let turn = 0; turn < IDLE / 200 + 1; turn++) await watched.run(signal);
  });
  after(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });

  /** The jobs of so many seconds. */
  async function pass(seconds: number): Promise<void> {
    const { signal } = new AbortController();
    for (let second = 0; second < seconds; second++) {
      clock.shift(1_000);
      await Promise.all([watched.run(signal), round.run(signal)]);
    }
  }

  it('cost one read a second at most, whatever their number', async () => {
    const before = world.reads;
    await pass(300);
    const reads = world.reads - before;
    assert.ok(reads >= (IDLE / 100) * 4, `${reads} reads`);
    assert.ok(reads <= 300, `${reads} reads`);
    assert.equal(round.rounded?.addresses, IDLE);
  });

  it('are found with money that comes months later, within a round', async () => {
    for (let day = 0; day < 90; day++) clock.shift(24 * HOUR_MS);
    world.deposit(addresses[7]!, 5_000_000n);
    world.deposit(addresses[IDLE - 1]!, 1n);
    await pass(90);
    assert.equal((await books.balance('agent-7')).available, 5_000_000n);
    assert.equal((await books.balance(`agent-${IDLE - 1}`)).available, 1n);
    assert.deepEqual(round.differences, []);
  });

  it('are looked at at once when their owner asks', async () => {
    world.deposit(addresses[8]!, 6n);
    await deposits.open('agent-8');
    await watched.run(new AbortController().signal);
    assert.equal((await books.balance('agent-8')).available, 6n);
  });

  it('come to their turn though the process never lives for a whole round', async () => {
    world.deposit(addresses[9]!, 9n);
    for (let life = 0; life < 2 * (IDLE / 100) + 2; life++) {
      round = begin();
      await pass(1);
    }
    assert.equal((await books.balance('agent-9')).available, 9n);
  });

  it('are named when they hold another amount than the books say, and no more once they fit', async () => {
    await pass(90);
    world.deposits.set(addresses[7]!, 4_000_000n);
    await pass(200);
    const [one, ...others] = round.differences;
    assert.deepEqual([others, one?.agent, one?.held, one?.booked], [[], 'agent-7', 4_000_000n, 5_000_000n]);
    world.deposits.set(addresses[7]!, 5_000_000n);
    await pass(70);
    assert.deepEqual(round.differences, []);
  });

  it('are emptied once the operator lowers the amount from which they are', async () => {
    assert.equal((await space.get(rows.ref('agent-7')))?.unswept, '5000000');
    const held = world.wallet;
    deposits = depositsOf({ sweepFrom: '1' });
    watched = watch();
    round = begin();
    await pass(90);
    assert.deepEqual([world.wallet - held, world.deposits.get(addresses[7]!)], [5_000_000n, 0n]);
    const { unswept, sweep, due } = (await space.get(rows.ref('agent-7')))!;
    assert.deepEqual([unswept, sweep, due], ['0', undefined, undefined]);
  });

  it('are emptied though the process ends between the credit and the move, without waiting for a round', async () => {
    world.deposit(addresses[10]!, 3_000_000n);
    const { tx } = space;
    let isOver = false;
    space.tx = async (...args) => {
      if (isOver) throw new Error('the process has ended');
      const done = await tx.apply(space, args as never);
      isOver = (await space.get(rows.ref('agent-10')))?.unswept === '3000000';
      return done as never;
    };
    await assert.rejects(pass(200), /has ended/);
    space.tx = tx;
    deposits = depositsOf({ sweepFrom: '1' });
    watched = watch();
    const { signal } = new AbortController();
    for (let second = 0; second < 20; second++) {
      clock.shift(1_000);
      await watched.run(signal);
    }
    const { unswept, due } = (await space.get(rows.ref('agent-10')))!;
    assert.deepEqual([unswept, due, world.deposits.get(addresses[10]!)], ['0', undefined, 0n]);
  });

  it('keep their turn when they are woken again before it comes', async () => {
    const dueOf = async () => (await space.get(rows.ref('agent-11')))?.due;
    await deposits.wake('agent-11');
    const first = await dueOf();
    clock.shift(5_000);
    await deposits.wake('agent-11');
    assert.equal(await dueOf(), first);
  });

  it('that thousands of keys keep asking for delay nobody who pays by more than seconds, and cost ten reads a second', async () => {
    const crowd = 2_000;
    for (let key = 0; key < crowd; key++) await deposits.open(`key-${key}`);
    const address = await deposits.open('payer');
    world.deposit(address, 7n);
    const before = world.reads;
    let seconds = 0;
    const { signal } = new AbortController();
    for (; (await books.balance('payer')).available !== 7n; seconds++) {
      assert.ok(seconds < 8, 'it waits');
      clock.shift(1_000);
      for (let key = 0; key < 200; key++) await deposits.open(`key-${(seconds * 200 + key) % crowd}`);
      await watched.run(signal);
    }
    assert.ok(world.reads - before <= (seconds + 1) * 12, `${world.reads - before} reads in ${seconds} seconds`);
  });

  it('are forgotten where nothing ever came, and credit all that comes once they are asked for again', async () => {
    const { signal } = new AbortController();
    const oldest = await deposits.open('forgotten-1');
    clock.shift(1_000);
    for (let agent = 2; agent < 8; agent++) await deposits.open(`forgotten-${agent}`);
    clock.shift(91 * 24 * HOUR_MS);
    for (let agent = 8; agent < 20; agent++) {
      clock.shift(1);
      await deposits.open(`forgotten-${agent}`);
    }
    await new Unused({ space, clock, most: 10 }).run(signal);
    const left = await space.page(rows, { index: 'unused', limit: 100 });
    assert.deepEqual(
      left.map(({ id }) => id),
      Array.from({ length: 10 }, (_, index) => `forgotten-${index + 10}`),
    );
    // One that was paid once stays, however long ago.
    assert.ok(await space.get(rows.ref('agent-7')));
    assert.equal(await space.get(rows.ref('forgotten-1')), undefined);
    world.deposit(oldest, 11n);
    assert.equal(await deposits.open('forgotten-1'), oldest);
    await pass(5);
    assert.equal((await books.balance('forgotten-1')).available, 11n);
  });

  it('and payout destinations of agents that were never credited anything are forgotten with them', async () => {
    const { signal } = new AbortController();
    const name = (agent: string) =>
      space.tx([], (tx) => {
        const to = { chain: 'base', address: `0x${'1a'.repeat(20)}` };
        tx.put(destinations.ref(agent), { ...to, asked: clock.now() });
      });
    await name('agent-7');
    for (let agent = 0; agent < 12; agent++) {
      clock.shift(1);
      await name(`idle-${agent}`);
    }
    await new Unused({ space, clock, most: 10 }).run(signal);
    const left = await space.page(destinations, { index: 'unused', limit: 100 });
    assert.deepEqual(
      left.map(({ id }) => id),
      Array.from({ length: 10 }, (_, index) => `idle-${index + 2}`),
    );
    assert.equal((await space.get(destinations.ref('agent-7')))?.asked, undefined);
    clock.shift(91 * 24 * HOUR_MS);
    await new Unused({ space, clock, most: 10 }).run(signal);
    assert.equal(await space.count(destinations, 'unused'), 0);
    assert.ok(await space.get(destinations.ref('agent-7')), 'one that was paid once stays');
  });
});
