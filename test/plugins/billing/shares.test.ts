import assert from 'node:assert/strict';
import { memoryStorage } from '../../../adapters/storage-memory/index.ts';
import { isMeshError } from '../../../core/contracts/errors.ts';
import { systemRandom } from '../../../core/platform/system-clock.ts';
import type { Space } from '../../../core/storage/space.ts';
import { openStore } from '../../../core/storage/store.ts';
import { available, Books, DEPOSITS, sides } from '../../../plugins/billing/books.ts';
import type { BillingConfig } from '../../../plugins/billing/config.ts';
import { countReceived, reserve, uncount } from '../../../plugins/billing/reservations.ts';
import type { Withdrawal } from '../../../plugins/billing/stored.ts';
import { ShiftedClock } from '../../support/shifted-clock.ts';

const USDC = 1_000_000n;
const HOUR_MS = 3_600_000;
/** The defaults. */
const CONFIG: BillingConfig = {
  ...{ minWithdrawal: '1', maxWithdrawal: '1000', maxPerAgentPerDay: '5000', maxPerDay: '20000' },
  ...{ maxShareOfDay: 10, maxFreshOfDay: 50, sweepFrom: '1', maxAtGateway: '10000', giveUpAfter: 3_600 },
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
});
