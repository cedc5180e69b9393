import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryStorage } from '../../../adapters/storage-memory/index.ts';
import { silentLog } from '../../../core/platform/log.ts';
import { systemRandom } from '../../../core/platform/system-clock.ts';
import { openStore, type Store } from '../../../core/storage/store.ts';
import { AddressRound } from '../../../plugins/billing/address-round.ts';
import { Books, DEPOSITS } from '../../../plugins/billing/books.ts';
import type { BillingConfig } from '../../../plugins/billing/config.ts';
import { DepositKeys } from '../../../plugins/billing/deposit-keys.ts';
import { Deposits } from '../../../plugins/billing/deposits.ts';
import { GatewayDeposits } from '../../../plugins/billing/gateway-deposits.ts';
import { Payouts } from '../../../plugins/billing/payouts.ts';
import { Reconciliation } from '../../../plugins/billing/reconciliation.ts';
import { chainNamed } from '../../../plugins/billing/settlement/chains.ts';
import { addresses } from '../../../plugins/billing/stored.ts';
import { WatchedAddresses } from '../../../plugins/billing/watched-addresses.ts';
import { ShiftedClock } from '../../support/shifted-clock.ts';
import { World } from './model.ts';

/** Time passes when somebody sleeps. */
class SleepingClock extends ShiftedClock {
  slept = 0;

  override async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    this.slept += 1;
    this.shift(ms);
  }
}

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
  ...{ maxPerAgentPerDay: '100000', maxPerDay: '100000', sweepFrom: '1000', maxAtGateway: '10', giveUpAfter: 3_600 },
};

describe('the faults that billing tells of', () => {
  let clock: SleepingClock;
  let folder: string;
  let store: Store;
  let world: World;
  let books: Books;
  let deposits: Deposits;
  let watched: WatchedAddresses;
  let round: AddressRound;
  let gatewayDeposits: GatewayDeposits;
  let reconciliation: Reconciliation;
  let term: AbortController;
  let atGateway: bigint;

  beforeEach(async () => {
    clock = new SleepingClock();
    folder = await mkdtemp(join(tmpdir(), 'mesh-writer-'));
    store = await openStore(memoryStorage({ clock }), { clock, random: systemRandom, validate: () => [] });
    const space = store.space('billing');
    world = new World(() => 1);
    world.calm = true;
    const { ledger, transactions } = world;
    const keys = await DepositKeys.open(CONFIG.secret, async () => folder, space);
    books = new Books(space);
    const self = { address: 'FAe4sisG95oZ42w7buUn5qEE4TAnfTTFPiguZUHmhiF' } as never;
    const common = { space, ledger, transactions, self, clock, log: silentLog, config: CONFIG, books, keys };
    deposits = new Deposits({ ...common, payouts: new Payouts(books, CONFIG) });
    watched = new WatchedAddresses({ ...common, deposits });
    round = new AddressRound({ ...common, deposits });
    const gateway = {
      balancesOf: async (_: string, sources: readonly { depositor: string; domainId: number }[]) =>
        sources.map((one) => ({ ...one, balance: { minor: atGateway } })),
    } as never;
    gatewayDeposits = new GatewayDeposits({ ...common, gateway });
    reconciliation = new Reconciliation({ ...common, addressRound: round });
    term = new AbortController();
    atGateway = 50_000_000n;
  });
  afterEach(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });

  it('are those of the writer: a process that is no longer it tells of none, and looks anew when it is again', async () => {
    const address = await deposits.open('ada');
    await gatewayDeposits.open('ada', chainNamed('base')!);
    world.deposit(address, 5n);
    await watched.run(term.signal);
    world.deposits.set(address, 3n);
    world.wallet = -1n;
    await reconciliation.run(term.signal);
    await gatewayDeposits.run(term.signal);
    for (let minute = 0; minute < 3; minute++) {
      clock.shift(61_000);
      await round.run(term.signal);
    }
    assert.equal(round.differences.length, 1);
    assert.match(reconciliation.health().detail!, /the wallet holds .*the deposit address/);
    assert.match(gatewayDeposits.health().detail!, /wait/);

    term.abort();
    assert.deepEqual([round.differences, round.rounded, reconciliation.last], [[], undefined, undefined]);
    assert.deepEqual([reconciliation.health().state, gatewayDeposits.health().state], ['ok', 'ok']);

    term = new AbortController();
    atGateway = 0n;
    await gatewayDeposits.run(term.signal);
    await round.run(term.signal);
    assert.deepEqual([reconciliation.health().state, gatewayDeposits.health().state], ['ok', 'ok']);
    await reconciliation.run(term.signal);
    assert.match(reconciliation.health().detail!, /the wallet holds/);
  });

  it('are no deposit that came between two reads', async () => {
    const standing = await books.standing();
    const address = await deposits.open('ada');
    world.deposit(address, 5n);
    await watched.run(term.signal);
    const { standing: now } = books;
    books.standing = async () => {
      books.standing = now;
      return standing;
    };
    await reconciliation.run(term.signal);
    assert.deepEqual([reconciliation.last?.faults, clock.slept], [[], 1]);
    assert.equal(reconciliation.last?.standing.named[DEPOSITS], 5n);
  });

  it('are told where a minute later the same is missing', async () => {
    await deposits.open('ada');
    const space = store.space('billing');
    const row = (await space.get(addresses.ref('ada')))!;
    await space.put(addresses.ref('ada'), { ...row, unswept: '5' });
    await reconciliation.run(term.signal);
    assert.deepEqual([reconciliation.last?.faults.length, clock.slept], [1, 1]);
    assert.match(reconciliation.health().detail!, /0.000005 USDC to be swept and the books say 0/);
  });
});
