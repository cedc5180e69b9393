import assert from 'node:assert/strict';
import { RecordedTransactions } from '../../core/ledger/recorded-transactions.ts';
import { CountedTransactions } from '../../core/node/money/counted-transactions.ts';
import { dayWindow, reservationOf } from '../../core/node/money/spendings.ts';
import { silentLog } from '../../core/platform/log.ts';
import {
  COUNTED_MS,
  EMPTY,
  fallsTo,
  type SpendingWindow,
  spentIn,
  withoutSpent,
  withSpent,
} from '../../core/platform/spending-window.ts';
import { openTestStore } from '../support/space.ts';

const HOUR = 3_600_000;
const NOON = Date.UTC(2026, 10, 22, 12);

describe('what was spent in 24 hours', () => {
  it('counts for at least 24 hours and at most a quarter more', () => {
    for (const offset of [0, 1, 15 * 60_000 - 1]) {
      const at = NOON + offset;
      const window = withSpent(EMPTY, at, 5n);
      assert.equal(spentIn(window, at + 24 * HOUR - 1), 5n);
      assert.equal(spentIn(window, at + 24.25 * HOUR), 0n);
      assert.equal(fallsTo(window, at, 4n), NOON + COUNTED_MS);
      assert.equal(fallsTo(window, at, 5n), at);
    }
  });

  it('frees the oldest first, and takes back from the quarter it was counted in', () => {
    const amounts: [hour: number, amount: bigint][] = [
      [0, 3n],
      [1, 4n],
      [2, 5n],
    ];
    const window = amounts.reduce((before, [hour, amount]) => withSpent(before, NOON + hour * HOUR, amount), EMPTY);
    const now = NOON + 3 * HOUR;
    assert.equal(spentIn(window, now), 12n);
    assert.equal(fallsTo(window, now, 9n), NOON + COUNTED_MS);
    assert.equal(fallsTo(window, now, 8n), NOON + HOUR + COUNTED_MS);
    assert.equal(fallsTo(window, now, 0n), NOON + 2 * HOUR + COUNTED_MS);
    assert.equal(spentIn(withoutSpent(window, NOON + HOUR, 4n), now), 8n);
    assert.equal(spentIn(withoutSpent(window, NOON + HOUR, 9n), now), 8n);
    assert.equal(spentIn(withoutSpent(window, NOON + 9 * HOUR, 4n), now), 12n);
  });

  it('stays bounded and forgets nothing, however the clock jumps', () => {
    let window: SpendingWindow = EMPTY;
    for (let step = 0; step < 500; step++) window = withSpent(window, NOON + ((step * 7) % 500) * HOUR, 1n);
    assert.ok(window.quarters.length <= 128, `${window.quarters.length}`);
    const back = Array.from({ length: 300 }, (_, step) => NOON + (300 - step) * HOUR);
    const backwards = back.reduce((before, at) => withSpent(before, at, 1n), EMPTY);
    assert.ok(backwards.quarters.length <= 128);
    assert.equal(spentIn(backwards, NOON), 300n);
  });

  it('a clock that jumps ahead and back finds what it had counted', () => {
    let window = withSpent(withSpent(EMPTY, NOON, 5n), NOON + HOUR, 6n);
    window = withSpent(window, NOON + 900 * HOUR, 1n);
    assert.equal(spentIn(window, NOON + 900 * HOUR), 1n);
    assert.ok(spentIn(withSpent(window, NOON + 2 * HOUR, 7n), NOON + 2 * HOUR) >= 18n);
    for (let day = 0; day < 200; day++) window = withSpent(window, NOON + (1_000 + 25 * day) * HOUR, 1n);
    assert.ok(window.quarters.length <= 128);
    assert.equal(spentIn(window, NOON + (1_000 + 25 * 199) * HOUR), 1n);
  });
});

describe('a spending that a crash interrupted', () => {
  const caps = {
    maxEscrow: 10n,
    maxStake: 10n,
    maxPerDay: 10n,
    maxPerPartnerPerDay: 10n,
    maxX402PerDay: 1_000_000_000n,
  };

  it('is given back when its transaction was never made, and kept while that may land', async () => {
    const store = await openTestStore();
    const space = store.space('node');
    const signature = 'of-a-transaction';
    const transactions = new RecordedTransactions({
      space: store.space('ledger'),
      ledger: { submit: async () => ({ status: 'pending' }), outcome: async () => ({ status: 'pending' }) },
      log: silentLog,
    });
    const { signal } = new AbortController();
    for (const name of ['never made', 'under way']) {
      const reservation = reservationOf(caps, { name, amount: 4n, for: { type: 'lease' } }, false);
      await space.tx(reservation.reads, (tx) => reservation.reserve(tx));
    }
    const prepared = { signature, bytes: 'AA==', lastValidBlockHeight: 1 };
    await assert.rejects(transactions.carryOut('under way', async () => prepared, signal));
    const counted = new CountedTransactions({ space, caps, transactions, log: silentLog });
    assert.equal(spentIn((await space.get(dayWindow))!, Date.now()), 8n);
    await counted.run(signal);
    assert.equal(spentIn((await space.get(dayWindow))!, Date.now()), 4n);
    await counted.run(signal);
    assert.equal(spentIn((await space.get(dayWindow))!, Date.now()), 4n);
    await store.close();
  });
});
