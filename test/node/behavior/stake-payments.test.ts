import assert from 'node:assert/strict';
import { openSolanaLedger } from '../../../adapters/ledger-solana/ledger.ts';
import { isMeshError } from '../../../core/contracts/errors.ts';
import type { Ledger } from '../../../core/ledger/ledger.ts';
import { RecordedTransactions } from '../../../core/ledger/recorded-transactions.ts';
import { SettlementActions } from '../../../core/ledger/settlement-actions.ts';
import { OwnAccount } from '../../../core/node/behavior/own-account.ts';
import { DutyWarnings } from '../../../core/node/duty-warnings.ts';
import { LeaseJob } from '../../../core/node/stake/lease-job.ts';
import { LeaseBook } from '../../../core/node/stake/lease-records.ts';
import { PaymentCounter } from '../../../core/node/stake/payment-counter.ts';
import { StakePayments } from '../../../core/node/stake/stake-payments.ts';
import { silentLog } from '../../../core/platform/log.ts';
import { systemClock } from '../../../core/platform/system-clock.ts';
import { NETWORK, type SettlementBench, settlementBench, USDC } from '../../ledger/settlement-bench.ts';
import { RpcProxy } from '../../support/rpc-proxy.ts';
import { nodeSpace } from '../../support/space.ts';
import { SHORT_EPOCHS } from './support.ts';

describe('payments of a key while the ledger does not tell what became of them', function () {
  this.timeout(120_000);
  let bench: SettlementBench;
  let proxy: RpcProxy;
  let ledger: Ledger;
  before(async () => {
    bench = await settlementBench(SHORT_EPOCHS);
    proxy = await RpcProxy.start();
    proxy.target = bench.net.url;
    const { program: programId, config } = bench.net.settlement;
    const settlement = { programId, config, networkId: NETWORK };
    ledger = await openSolanaLedger({ url: proxy.url, settlement, log: silentLog, clock: systemClock });
  });
  after(async () => {
    await ledger.close();
    await proxy.stop();
    await bench.close();
  });
  afterEach(() => {
    proxy.rewrite = undefined;
  });

  /** Every transaction lands, and seems to have expired: nobody knows or lists its signature, and its block height has passed. */
  function everythingSeemsExpired(): void {
    proxy.rewrite = ({ method }, answer) => {
      if (method === 'getSignatureStatuses') answer.result.value = [null];
      if (method === 'getTransaction') answer.result = null;
      if (method === 'getSignaturesForAddress') answer.result = [];
      if (method === 'getFirstAvailableBlock') answer.result = 2;
      if (method === 'getBlockHeight') answer.result += 1_000;
      if (method === 'getEpochInfo') answer.result.blockHeight += 1_000;
      return answer;
    };
  }

  async function wallet(usdc = 50n * USDC) {
    const signer = await bench.wallet(usdc);
    const key = signer.address;
    const space = await nodeSpace();
    const { signal } = new AbortController();
    function node() {
      const settlement = ledger.settlement!;
      const transactions = new RecordedTransactions({ space, ledger, log: silentLog });
      const steps = new SettlementActions({ settlement, transactions, signer });
      const own = new OwnAccount({ settlement, key, clock: systemClock });
      const counter = new PaymentCounter({ space, own });
      const stakes = new StakePayments({ space, steps, counter, key });
      const policy = { pay: 'always', ahead: 0, maxAmount: 5n * USDC, budget: 40n * USDC } as const;
      const common = { settlement, own, counter, steps, key, alarms: new DutyWarnings(silentLog) };
      const lease = new LeaseJob({ ...common, book: new LeaseBook(space), policy, paid: () => {}, changed: () => {} });
      return { stakes, lease };
    }
    let { stakes, lease } = node();
    return {
      key,
      stake: (amount: bigint, name?: string) => stakes.add(amount, name, signal),
      payLease: (ahead = 0) => lease.pay({ ahead, most: undefined }, signal),
      lookAtLease: () => lease.run(signal),
      restart() {
        ({ stakes, lease } = node());
      },
      staked: async () => (await bench.settlement.agent(key))?.stake ?? 0n,
      spent: async () => usdc - (await bench.ledger.usdc(key)),
    };
  }

  /** Fails in a way that leaves the caller uncertain, however often the payment is sent. */
  async function uncertain(call: Promise<unknown>): Promise<void> {
    await assert.rejects(
      call,
      (error) => isMeshError(error) && ['ledger_unavailable', 'conflict'].includes(error.code),
    );
  }

  it('a stake under an idempotency key is paid once, however often it is asked for', async () => {
    const one = await wallet();
    everythingSeemsExpired();
    await uncertain(one.stake(10n * USDC, 'first'));
    await uncertain(one.stake(10n * USDC, 'first')).catch(() => {});
    assert.deepEqual([await one.staked(), await one.spent()], [10n * USDC, 10n * USDC]);
    proxy.rewrite = undefined;
    one.restart();
    const { signature } = await one.stake(10n * USDC, 'first');
    assert.ok(signature.length > 60);
    assert.equal(await one.spent(), 10n * USDC);
    await one.stake(5n * USDC, 'second');
    assert.deepEqual([await one.staked(), await one.spent()], [15n * USDC, 15n * USDC]);
  });

  it('who repeats a stake without such a key is told what the account shows', async () => {
    const one = await wallet();
    everythingSeemsExpired();
    await uncertain(one.stake(10n * USDC));
    proxy.rewrite = undefined;
    one.restart();
    await assert.rejects(
      one.stake(10n * USDC),
      /has arrived; nothing more was added.*The account shows 10 USDC at stake/,
    );
    assert.equal(await one.spent(), 10n * USDC);
    await one.stake(5n * USDC);
    assert.deepEqual([await one.staked(), await one.spent()], [15n * USDC, 15n * USDC]);
  });

  it('a stake that was never sent holds nothing up', async () => {
    const one = await wallet();
    proxy.lost.add('simulateTransaction');
    await assert.rejects(one.stake(10n * USDC), /./);
    proxy.lost.clear();
    await one.stake(12n * USDC);
    assert.equal(await one.spent(), 12n * USDC);
  });

  it('an epoch of the lease is paid once, by the job and by hand', async () => {
    const one = await wallet();
    everythingSeemsExpired();
    await one.lookAtLease().catch(() => {});
    await one.lookAtLease().catch(() => {});
    await one.payLease().catch(() => {});
    assert.equal(await one.spent(), USDC);
    proxy.rewrite = undefined;
    one.restart();
    await one.lookAtLease();
    await one.payLease();
    assert.equal(await one.spent(), USDC);
    await one.payLease(2);
    assert.equal(await one.spent(), 3n * USDC);
    await one.stake(10n * USDC);
    assert.equal(await one.spent(), 13n * USDC);
  });
});
