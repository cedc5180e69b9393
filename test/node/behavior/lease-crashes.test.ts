import assert from 'node:assert/strict';
import { Keypair } from '@solana/web3.js';
import type { Signer } from '../../../core/ledger/ledger.ts';
import { RecordedTransactions } from '../../../core/ledger/recorded-transactions.ts';
import { SettlementActions } from '../../../core/ledger/settlement-actions.ts';
import { OwnAccount } from '../../../core/node/behavior/own-account.ts';
import { DutyWarnings } from '../../../core/node/duty-warnings.ts';
import { LeaseJob } from '../../../core/node/stake/lease-job.ts';
import type { LeasePolicy } from '../../../core/node/stake/lease-policy.ts';
import { LeaseBook } from '../../../core/node/stake/lease-records.ts';
import { PaymentCounter } from '../../../core/node/stake/payment-counter.ts';
import { silentLog } from '../../../core/platform/log.ts';
import { systemClock } from '../../../core/platform/system-clock.ts';
import { signerOf } from '../../ledger/bench.ts';
import { type SettlementBench, settlementBench, USDC } from '../../ledger/settlement-bench.ts';
import { nodeSpace } from '../../support/space.ts';
import { Crash, Fate } from './fate.ts';
import { SHORT_EPOCHS } from './support.ts';

const POLICY: LeasePolicy = { pay: 'always', ahead: 0, maxAmount: 5n * USDC, budget: 40n * USDC };

describe('the lease job', function () {
  this.timeout(90_000);
  let bench: SettlementBench;
  before(async () => {
    bench = await settlementBench(SHORT_EPOCHS);
  });
  after(() => bench.close());

  async function payer(policy: Partial<LeasePolicy> = {}, usdc = 20n * USDC) {
    const signer: Signer = signerOf(Keypair.generate());
    const key = signer.address;
    const space = await nodeSpace();
    await bench.net.faucet.sol(key, 1_000_000_000n);
    await bench.net.faucet.usdc(key, usdc);
    // No epoch ends by itself while a payer is tried.
    bench.net.warp({ seconds: 100 - ((await bench.settlement.time()).unixSeconds % 100), slots: 1, blocks: 1 });
    const alarms = new DutyWarnings(silentLog);
    const book = new LeaseBook(space);

    function run(fate = new Fate(0, false)): Promise<void> {
      const { settlement, ledger } = bench;
      const transactions = new RecordedTransactions({ space, ledger, log: silentLog });
      const steps = new SettlementActions({ settlement: fate.over(settlement), transactions, signer });
      const own = new OwnAccount({ settlement: fate.over(settlement), key, clock: systemClock });
      const counter = new PaymentCounter({ space, own });
      const wrapped = { settlement, own, counter, steps: fate.over(steps), book: fate.over(book) };
      const job = new LeaseJob({
        ...wrapped,
        policy: { ...POLICY, ...policy },
        key,
        alarms,
        paid: () => {},
        changed: () => {},
      });
      return job.run(new AbortController().signal);
    }
    const spent = async () => usdc - (await bench.ledger.usdc(key));
    return { key, run, spent, alarms, book };
  }

  function pass(epochs: number): void {
    bench.net.warp({ seconds: epochs * 100, slots: 1, blocks: 1 });
  }

  it('pays an epoch once, whatever step a crash hits, before or after it', async () => {
    for (const after of [false, true]) {
      for (let at = 1; ; at += 1) {
        const one = await payer();
        const crashed = await one.run(new Fate(at, after)).then(
          () => false,
          (error) => {
            if (!(error instanceof Crash)) throw error;
            return true;
          },
        );
        await one.run();
        await one.run();
        assert.equal(await one.spent(), USDC, `${at} ${after}`);
        const { pending, payments } = await one.book.read();
        assert.deepEqual([pending, payments.length], [null, 1], `${at} ${after}`);
        if (!crashed) break;
        assert.ok(at < 40, 'the job never ends');
      }
    }
  });

  it('pays no more at once than it may, and says so when that is too little', async () => {
    const one = await payer({ maxAmount: 2n * USDC });
    await one.run();
    pass(3);
    await one.run();
    assert.equal(await one.spent(), 3n * USDC);
    await one.run();
    assert.equal(await one.spent(), 4n * USDC);
    assert.deepEqual(one.alarms.all, []);
    pass(5);
    await one.run();
    assert.equal(await one.spent(), 4n * USDC);
    assert.match(one.alarms.all.join(), /costs 4 USDC, more than core\.lease\.maxAmount \(2\)/);
  });

  it('keeps to its budget', async () => {
    const one = await payer({ budget: 2n * USDC });
    for (let epoch = 0; epoch < 4; epoch++) {
      await one.run();
      pass(1);
    }
    assert.equal(await one.spent(), 2n * USDC);
    assert.match(one.alarms.all.join(), /core\.lease\.budget/);
  });

  it('warns when the wallet is empty, and pays when it is not', async () => {
    const one = await payer({}, USDC / 2n);
    await one.run();
    assert.match(one.alarms.all.join(), /cannot pay/);
    await bench.net.faucet.usdc(one.key, USDC);
    await one.run();
    assert.deepEqual(one.alarms.all, []);
    assert.equal(await bench.ledger.usdc(one.key), USDC / 2n);
  });

  it('pays nothing without a stake unless it is told to', async () => {
    for (const pay of ['staked', 'never'] as const) {
      const one = await payer({ pay });
      await one.run();
      assert.equal(await one.spent(), 0n);
    }
  });
});
