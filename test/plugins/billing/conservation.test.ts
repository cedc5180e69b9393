import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import bs58 from 'bs58';
import { memoryStorage } from '../../../adapters/storage-memory/index.ts';
import { silentLog } from '../../../core/platform/log.ts';
import { systemRandom } from '../../../core/platform/system-clock.ts';
import type { Space } from '../../../core/storage/space.ts';
import { openStore } from '../../../core/storage/store.ts';
import { AddressRound } from '../../../plugins/billing/address-round.ts';
import { Books, DEPOSITS, TREASURY } from '../../../plugins/billing/books.ts';
import type { BillingConfig } from '../../../plugins/billing/config.ts';
import { DepositKeys } from '../../../plugins/billing/deposit-keys.ts';
import { Deposits } from '../../../plugins/billing/deposits.ts';
import { FeeTable } from '../../../plugins/billing/fee-table.ts';
import { Payouts } from '../../../plugins/billing/payouts.ts';
import { Reconciliation } from '../../../plugins/billing/reconciliation.ts';
import { reserve } from '../../../plugins/billing/reservations.ts';
import { Attestation } from '../../../plugins/billing/settlement/index.ts';
import { destinations, type Withdrawal, withdrawals } from '../../../plugins/billing/stored.ts';
import { WatchedAddresses } from '../../../plugins/billing/watched-addresses.ts';
import { WithdrawalSteps } from '../../../plugins/billing/withdrawal-steps.ts';
import { BriskClock } from '../../support/brisk-clock.ts';
import { Killed, World } from './model.ts';

const ROUNDS = Number(process.env['MESH_TEST_ROUNDS'] ?? 12);
const STEPS = 150;
/** Withdrawals of all rounds, by kind. */
const KINDS = new Map<string, number>();
const AGENTS = ['ann', 'bob', 'carl'];
const WALLET = bs58.encode(Buffer.alloc(32, 9));
const OUTSIDE = bs58.encode(Buffer.alloc(32, 8));
const EVM = `0x${'3c'.repeat(20)}`;
const CONFIG: BillingConfig = {
  ...{ secret: 'a secret of the tests, long enough', minWithdrawal: '1', maxWithdrawal: '100' },
  ...{
    maxPerAgentPerDay: '100000',
    maxPerDay: '100000',
    maxShareOfDay: 100,
    maxFreshOfDay: 100,
    keptForStanding: 0,
    maxUnderWay: 1_000,
    sweepFrom: '1',
    maxAtGateway: '10000',
    giveUpAfter: 3_600,
  },
};

/** A reproducible stream of numbers below 1. */
function diceOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

describe('the money of billing', function () {
  this.timeout(120_000);

  for (let round = 1; round <= ROUNDS; round++)
    it(`is neither lost nor made by faults and kills, with the seed ${round}`, async () => {
      await new Play(round).run();
    });

  it('was withdrawn and paid out in those rounds', () => {
    for (const kind of ['withdrawal', 'payout']) assert.ok((KINDS.get(kind) ?? 0) > ROUNDS, JSON.stringify([...KINDS]));
  });
});

class Play {
  readonly #dice: () => number;
  readonly #world: World;
  readonly #clock = new BriskClock();
  readonly #credited = new Map<string, bigint>();
  readonly #addresses = new Map<string, string>();
  readonly #wanted: string[] = [];
  #folder = '';
  #space!: Space;
  #deposits!: Deposits;
  #watched!: WatchedAddresses;
  #round!: AddressRound;
  #steps!: WithdrawalSteps;
  #books!: Books;
  #payouts!: Payouts;
  #kills = 0;
  #alive = { yes: false };

  constructor(seed: number) {
    this.#dice = diceOf(seed);
    this.#world = new World(this.#dice);
  }

  async run(): Promise<void> {
    const storage = memoryStorage({ clock: this.#clock });
    const store = await openStore(storage, { clock: this.#clock, random: systemRandom, validate: () => [] });
    this.#folder = await mkdtemp(join(tmpdir(), 'mesh-billing-'));
    try {
      const space = store.space('billing');
      await this.#begin(space);
      for (let step = 0; step < STEPS; step++) await this.#survive(space, () => this.#step());
      this.#world.calm = true;
      // Longer than anything is tried for, so that what was never sent has come back.
      for (let step = 0; step < 400; step++) {
        this.#clock.shift(step < 200 ? 5_000 : 61_000);
        await this.#survive(space, () => this.#work());
        this.#world.pass();
      }
      await this.#check(space);
    } finally {
      await store.close();
      await rm(this.#folder, { recursive: true });
    }
  }

  /** A process over the store; the one before does nothing any more. */
  async #begin(plain: Space): Promise<void> {
    this.#alive.yes = false;
    const alive = { yes: true };
    this.#alive = alive;
    const world = this.#world;
    const space = mortal(plain, alive, () => world.chance(0.02));
    const ledger = mortal(world.ledger, alive);
    const transactions = mortal(world.transactions, alive);
    const self = { address: WALLET } as never;
    const keys = await DepositKeys.open(CONFIG.secret, async () => this.#folder, plain);
    const attestation = new Attestation({ url: 'http://service', fetch: (url) => world.fetch(url) });
    const fees = new FeeTable(attestation, this.#clock);
    const books = new Books(space);
    const payouts = new Payouts(books, CONFIG);
    const common = {
      space,
      ledger,
      transactions,
      self,
      clock: this.#clock,
      log: silentLog,
      config: CONFIG,
      books,
      keys,
    };
    this.#space = space;
    this.#books = books;
    this.#payouts = payouts;
    this.#deposits = new Deposits({ ...common, payouts });
    this.#watched = new WatchedAddresses({ ...common, deposits: this.#deposits });
    this.#round = new AddressRound({ ...common, deposits: this.#deposits });
    this.#steps = new WithdrawalSteps({ ...common, attestation, fees });
    await new WithdrawalSteps({ ...common, space: plain, attestation, fees }).resume();
  }

  async #survive(space: Space, act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
      this.#kills++;
      await this.#begin(space);
    }
  }

  async #step(): Promise<void> {
    this.#clock.shift(Math.floor(this.#dice() * 4_000));
    const agent = AGENTS[Math.floor(this.#dice() * AGENTS.length)]!;
    const choice = this.#dice();
    if (choice < 0.25) await this.#deposit(agent);
    else if (choice < 0.45) await this.#withdraw(agent);
    else if (choice < 0.5) await this.#space.tx([], (tx) => tx.put(destinations.ref(agent), this.#place()));
    else if (choice < 0.6) this.#world.pass();
    else await this.#work();
  }

  /** Money that comes, of which a part is the release of an escrow. */
  async #deposit(agent: string): Promise<void> {
    // Few ask again before they pay, so most deposits come to an address that nobody watches.
    if (!this.#addresses.has(agent) || this.#dice() < 0.2) this.#addresses.set(agent, await this.#deposits.open(agent));
    else this.#clock.shift(Math.floor(this.#dice() * 3_600_000));
    const address = this.#addresses.get(agent)!;
    const amount = BigInt(1 + Math.floor(this.#dice() * 20_000_000));
    const release = this.#dice() < 0.5;
    const signature = this.#world.deposit(address, amount);
    this.#credited.set(agent, (this.#credited.get(agent) ?? 0n) + amount);
    if (!release) return;
    if (this.#dice() < 0.5) await this.#work();
    const event = { signature, provider: agent, conversation: 'c', toProvider: amount };
    for (let times = 0; times < 2; times++)
      await this.#space.tx(this.#payouts.reads(event), (tx) => this.#payouts.released(tx, event));
  }

  async #withdraw(agent: string): Promise<void> {
    const amount = BigInt(1_000_000 + Math.floor(this.#dice() * 9_000_000));
    const id = randomBytes(16).toString('hex');
    this.#wanted.push(id);
    await this.#space
      .tx([], (tx) => reserve(tx, this.#books, CONFIG, { id, agent, kind: 'withdrawal', amount, ...this.#place() }))
      .catch((error: unknown) => {
        if ((error as { code?: string }).code !== 'insufficient_funds') throw error;
      });
  }

  #place() {
    return this.#dice() < 0.5 ? { chain: 'solana', address: OUTSIDE } : { chain: 'base', address: EVM };
  }

  async #work(): Promise<void> {
    const { signal } = new AbortController();
    await Promise.all([this.#watched.run(signal), this.#round.run(signal), this.#steps.run(signal)]);
  }

  async #check(space: Space): Promise<void> {
    assert.ok(this.#kills > 0, 'nobody was killed');
    const world = this.#world;
    const books = new Books(space);
    const standing = await books.standing();
    assert.equal(standing.sum, 0n, 'the books balance');
    assert.equal(standing.named[TREASURY], world.wallet, 'the wallet holds what the books say');
    const atAddresses = [...world.deposits.values()].reduce((sum, amount) => sum + amount, 0n);
    assert.equal(standing.named[DEPOSITS], atAddresses, 'so do the deposit addresses');
    const all = (await space.page(withdrawals, { limit: 2_000 })).map(({ value }) => value);
    for (const { kind } of all) KINDS.set(kind, (KINDS.get(kind) ?? 0) + 1);
    for (const one of all) {
      assert.ok(['done', 'failed'].includes(one.state), `${one.state}: ${one.problem}`);
      assert.equal(world.paid.get(one.id) ?? 0n, expected(one), one.id);
    }
    for (const agent of AGENTS) {
      const taken = all.filter((one) => one.agent === agent && one.state === 'done');
      const left = taken.reduce((sum, { amount }) => sum - BigInt(amount), this.#credited.get(agent) ?? 0n);
      assert.deepEqual(await books.balance(agent), { available: left, reserved: 0n }, agent);
    }
    const { signal } = new AbortController();
    const reconciliation = new Reconciliation({
      ...{ space, ledger: world.ledger, self: { address: WALLET } as never, log: silentLog, books },
      ...{ clock: this.#clock, addressRound: this.#round },
    });
    await reconciliation.run(signal);
    assert.equal(reconciliation.health().state, 'ok');
    const { held, booked } = this.#round.rounded!;
    assert.deepEqual([held, booked], [atAddresses, atAddresses], 'the round saw every address');
    // A difference shows, and nothing is done about it.
    world.wallet -= 1n;
    await reconciliation.run(signal);
    assert.match(reconciliation.health().detail!, standing.named[TREASURY] > 0n ? /the wallet holds/ : /./);
    assert.equal((await books.standing()).sum, 0n);
  }
}

function expected({ state, amount, platformFee }: Withdrawal): bigint {
  return state === 'done' ? BigInt(amount) - BigInt(platformFee) : 0n;
}

/** The same object, whose calls never answer once the process is dead; some of those that write die before or after it. */
function mortal<T extends object>(of: T, alive: { yes: boolean }, dies: () => boolean = () => false): T {
  return new Proxy(of, {
    get(target, name) {
      const member = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return async (...args: unknown[]) => {
        if (!alive.yes) return new Promise(() => {});
        const writes = name === 'tx';
        if (writes && dies()) throw new Killed();
        const result = await member.apply(target, args);
        if (!alive.yes) return new Promise(() => {});
        if (writes && dies()) throw new Killed();
        return result;
      };
    },
  });
}
