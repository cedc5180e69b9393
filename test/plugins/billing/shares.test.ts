import assert from 'node:assert/strict';
import { memoryStorage } from '../../../adapters/storage-memory/index.ts';
import { isMeshError } from '../../../core/contracts/errors.ts';
import { spentIn } from '../../../core/platform/spending-window.ts';
import { systemRandom } from '../../../core/platform/system-clock.ts';
import type { Space } from '../../../core/storage/space.ts';
import { openStore } from '../../../core/storage/store.ts';
import { available, Books, DEPOSITS, sides } from '../../../plugins/billing/books.ts';
import type { BillingConfig } from '../../../plugins/billing/config.ts';
import { Requests } from '../../../plugins/billing/requests.ts';
import { countReceived, end, reserve, uncount } from '../../../plugins/billing/reservations.ts';
import { spent, type Withdrawal } from '../../../plugins/billing/stored.ts';
import { ShiftedClock } from '../../support/shifted-clock.ts';

const USDC = 1_000_000n;
const HOUR_MS = 3_600_000;
const WALLET = 'BpxV484WjLKCV1k9TPTwNnrTkxjhYuRkt3eVbjY3HPqU';
/** The defaults. */
const CONFIG: BillingConfig = {
  ...{ minWithdrawal: '1', maxWithdrawal: '1000', maxPerAgentPerDay: '5000', maxPerDay: '20000' },
  ...{
    maxShareOfDay: 10,
    maxFreshOfDay: 50,
    keptForStanding: 0,
    maxUnderWay: 1_000,
    sweepFrom: '1',
    maxAtGateway: '10000',
    giveUpAfter: 3_600,
  },
};

describe('the day that agents share', () => {
  let clock: ShiftedClock;
  let space: Space;
  let books: Books;
  let numbers = 0;
  beforeEach(async () => {
    clock = new ShiftedClock();
    const store = await openStore(memoryStorage({ clock }), {
      ...{ validate: () => [], clock, random: systemRandom },
    });
    space = store.space('billing');
    books = new Books(space);
  });

  const deposit = (agent: string, amount: bigint) =>
    space.tx([], (tx) => {
      const lines = sides({ debit: DEPOSITS, credit: available(agent) }, amount);
      books.post(tx, { kind: 'deposit', ref: `d-${numbers++}`, lines });
      countReceived(tx, agent, amount);
    });
  async function withdraw(agent: string, amount: bigint): Promise<Withdrawal> {
    const wanted = { agent, kind: 'withdrawal', amount, chain: 'solana', address: 'somewhere' } as const;
    const { value } = await space.tx([], (tx) => reserve(tx, books, CONFIG, { id: `w-${numbers++}`, ...wanted }));
    return value;
  }
  /** Takes as much as a key gets, in steps of half. */
  async function drain(agent: string): Promise<bigint> {
    let taken = 0n;
    for (let step = 1_000n * USDC; step >= USDC; ) {
      const got = await withdraw(agent, step).then(
        () => true,
        (error) => {
          assert.ok(isMeshError(error), String(error));
          return false;
        },
      );
      if (got) taken += step;
      else step /= 2n;
    }
    return taken;
  }

  it('keeps half for money that has rested, however many free keys take the same money round', async () => {
    await deposit('honest', 3_000n * USDC);
    clock.shift(26 * HOUR_MS);
    let taken = 0n;
    for (let key = 0; key < 200; key++) {
      await deposit(`key-${key}`, 2_000n * USDC);
      taken += await drain(`key-${key}`);
    }
    assert.ok(taken > 9_900n * USDC && taken <= 10_000n * USDC, String(taken));
    assert.ok((await drain('honest')) >= 1_000n * USDC);
    await deposit('late', 100n * USDC);
    await assert.rejects(withdraw('late', 10n * USDC), /maxFreshOfDay/);
    clock.shift(26 * HOUR_MS);
    await withdraw('late', 10n * USDC);
  });

  it('takes the money that has rested first, and gives the room of both back', async () => {
    await deposit('agent', 500n * USDC);
    clock.shift(26 * HOUR_MS);
    await deposit('agent', 500n * USDC);
    assert.equal((await withdraw('agent', 300n * USDC)).fresh, undefined);
    const mixed = await withdraw('agent', 300n * USDC);
    assert.equal(mixed.fresh, (100n * USDC).toString());
    await space.tx([], (tx) => uncount(tx, mixed));
    // The amount itself is still set aside, so all that is left is fresh.
    assert.equal((await withdraw('agent', 300n * USDC)).fresh, (300n * USDC).toString());
  });

  it('has no more of one agent under way at once than the operator allows, and goes on as they end', async () => {
    const config = { ...CONFIG, maxUnderWay: 3 };
    await deposit('agent', 100n * USDC);
    await deposit('other', 100n * USDC);
    const begin = (agent: string) => {
      const wanted = { agent, kind: 'withdrawal', amount: USDC, chain: 'solana', address: 'somewhere' } as const;
      return space.tx([], (tx) => reserve(tx, books, config, { id: `w-${numbers++}`, ...wanted }));
    };
    const answers = await Promise.allSettled(Array.from({ length: 8 }, () => begin('agent')));
    const refused = answers.filter(({ status }) => status === 'rejected');
    assert.equal(refused.length, 5);
    const { code, details } = (refused[0] as PromiseRejectedResult).reason;
    assert.deepEqual(
      [code, details.extra],
      ['withdrawal_cap', { cap: 'plugins.billing.maxUnderWay', limit: 3, used: 3 }],
    );
    // A refused call has set nothing aside.
    assert.deepEqual(await books.balance('agent'), { available: 97n * USDC, reserved: 3n * USDC });
    await begin('other');
    await space.tx([], (tx) => end(tx, 'agent'));
    await begin('agent');
    await assert.rejects(begin('agent'), { code: 'withdrawal_cap' });
    for (let ended = 0; ended < 5; ended++) await space.tx([], (tx) => end(tx, 'agent'));
    for (let begun = 0; begun < 3; begun++) await begin('agent');
    await assert.rejects(begin('agent'), { code: 'withdrawal_cap' });
  });

  it('a clock that jumps, for a day or by the hour, makes it forget nothing of what has left', async () => {
    await deposit('agent', 6_000n * USDC);
    clock.shift(26 * HOUR_MS);
    await withdraw('agent', 1_000n * USDC);
    clock.shift(48 * HOUR_MS);
    await withdraw('agent', USDC);
    clock.shift(-48 * HOUR_MS);
    await assert.rejects(withdraw('agent', 1_000n * USDC), /maxShareOfDay.* 1001 are used/);
    for (let step = 0; step < 60; step++) {
      clock.shift((step % 2 === 0 ? 40 : -39) * HOUR_MS);
      await withdraw('agent', USDC);
    }
    clock.shift(-30 * HOUR_MS);
    await assert.rejects(withdraw('agent', 1_000n * USDC), /maxShareOfDay.* 10\d\d are used/);
  });

  it('keeps the last fifth for agents for whom money speaks, whatever rested money and free keys take', async () => {
    const config = { ...CONFIG, keptForStanding: 20 };
    const ranks = new Map<string, number>();
    const requests = new Requests({
      ...{ space, books, config, clock, random: systemRandom },
      agents: { get: async (id: string) => ({ rank: ranks.get(id) ?? 0 }) },
      ledger: { usdc: async () => 0n },
      self: { address: 'nobody' },
    } as unknown as ConstructorParameters<typeof Requests>[0]);
    const ask = (agent: string, amount: string) =>
      requests.withdraw(
        agent,
        { amount_usdc: amount, destination_chain: 'solana', destination_address: WALLET },
        undefined,
      );
    const refused = (error: unknown) => isMeshError(error);
    for (let key = 0; key < 60; key++) await deposit(`rich-${key}`, 1_000n * USDC);
    await deposit('known', 500n * USDC);
    clock.shift(26 * HOUR_MS);
    let taken = 0;
    for (let key = 0; key < 60; key++)
      for (let step = 1_000; step >= 1; step = Math.floor(step / 2))
        while (
          await ask(`rich-${key}`, String(step)).then(
            () => true,
            (error) => !refused(error),
          )
        )
          taken += step;
    assert.ok(taken > 15_900 && taken <= 16_000, String(taken));
    await assert.rejects(ask('known', '200'), /keptForStanding allows 16000 USDC/);
    ranks.set('known', 0.1);
    assert.equal((await ask('known', '200')).status, 'reserved');
  });

  it('counts on with what an earlier release had stored by the hour', async () => {
    await deposit('agent', 3_000n * USDC);
    clock.shift(26 * HOUR_MS);
    const from = clock.now() - (clock.now() % HOUR_MS);
    const stored = { hours: [{ from, minor: (1_500n * USDC).toString() }] };
    await space.tx([], (tx) => {
      for (const name of ['agent', 'all']) tx.put(spent.ref(name), stored);
    });
    await assert.rejects(withdraw('agent', 501n * USDC), /maxShareOfDay allows 2000 USDC: 1500 are used/);
    await withdraw('agent', 500n * USDC);
    const found = await space.get(spent.ref('agent'));
    assert.ok(found && 'quarters' in found);
    assert.equal(spentIn(found, clock.now()), 2_000n * USDC);
    clock.shift(24 * HOUR_MS - (clock.now() % HOUR_MS) - 1);
    await assert.rejects(withdraw('agent', 501n * USDC), /maxShareOfDay allows/);
  });
});
