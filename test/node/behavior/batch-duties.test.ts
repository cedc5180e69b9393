import assert from 'node:assert/strict';
import { openSolanaLedger } from '../../../adapters/ledger-solana/ledger.ts';
import type { Ledger } from '../../../core/ledger/ledger.ts';
import { silentLog } from '../../../core/platform/log.ts';
import { systemClock } from '../../../core/platform/system-clock.ts';
import { NETWORK, type SettlementBench, settlementBench } from '../../ledger/settlement-bench.ts';
import { RpcProxy } from '../../support/rpc-proxy.ts';
import { SharedTime, stakedAgent } from './staked-agent.ts';
import { SHORT_EPOCHS } from './support.ts';

/** Bytes of an agent account. */
const AGENT = 1_248;

describe('the batches that a staked node owes', function () {
  this.timeout(120_000);
  let bench: SettlementBench;
  let time: SharedTime;
  let proxy: RpcProxy;
  let ledger: Ledger;
  before(async () => {
    bench = await settlementBench(SHORT_EPOCHS);
    time = new SharedTime(bench);
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

  it('include that of the epoch in which it took the duties on again', async () => {
    const agent = await stakedAgent(bench, time);
    const { key, signer } = agent;
    const node = agent.duties();
    await bench.take({ type: 'request_unlock', key }, signer);
    time.pass(SHORT_EPOCHS.epochSecs);
    node.own.expire();
    await node.submit();
    assert.equal((await agent.account()).duties, false);
    time.pass(SHORT_EPOCHS.epochSecs);
    const { epoch } = await bench.settlement.time();
    await bench.take({ type: 'resume', key, stakeOwner: key }, signer);
    await agent.says(2);
    time.pass(SHORT_EPOCHS.epochSecs);
    node.own.expire();
    await node.submit();
    const { last, skipped, batches } = await agent.account();
    assert.deepEqual([last, skipped], [epoch, []]);
    assert.equal(batches.find((batch) => batch.epoch === epoch)?.count, 2);
  });

  it('are submitted again when the ledger had confirmed one and did not keep it', async () => {
    const agent = await stakedAgent(bench, time);
    await agent.says(2);
    const { epoch, slot } = await bench.settlement.time();
    time.pass(SHORT_EPOCHS.epochSecs);
    const node = agent.duties();
    await node.book.close(epoch);
    await node.book.change(epoch, (record, at) => ({ ...record, submitted: { at, signature: 'undone', slot } }));
    await node.submit();
    assert.equal((await agent.account()).last, epoch);
  });

  for (const slots of ['honest', 'forged'] as const) {
    it(`are neither doubled nor skipped because of an old account (its slot is ${slots})`, async () => {
      const agent = await stakedAgent(bench, time);
      await agent.says(2);
      time.pass(SHORT_EPOCHS.epochSecs);
      const node = agent.duties(ledger.settlement, ledger);
      await node.own.read();
      let old: any;
      proxy.rewrite = ({ method }, answer) => {
        if (method !== 'getMultipleAccounts' || answer.error) return answer;
        const { context, value } = answer.result;
        const isAgent = (account: any) => account && Buffer.from(account.data[0], 'base64').length === AGENT;
        const shown = value.find(isAgent);
        if (!shown) return answer;
        old ??= { slot: context.slot, shown };
        const slot = slots === 'honest' ? old.slot : context.slot;
        const accounts = value.map((account: any) => (isAgent(account) ? old.shown : account));
        return { ...answer, result: { context: { ...context, slot }, value: accounts } };
      };
      node.own.expire();
      await node.submit().catch(() => {});
      const once = (await agent.account()).batches.length;
      for (let look = 0; look < 3; look++) {
        node.own.expire();
        time.pass(1);
        await node.submit().catch(() => {});
      }
      const before = await agent.account();
      assert.deepEqual([before.batches.length, before.skipped], [once, []]);
      proxy.rewrite = undefined;
      await agent.says(1);
      time.pass(SHORT_EPOCHS.epochSecs);
      node.own.expire();
      await node.submit();
      const { epoch } = await bench.settlement.time();
      const { last, skipped } = await agent.account();
      assert.deepEqual([last, skipped], [epoch - 1, []]);
    });
  }
});

describe('an idle staked node', function () {
  this.timeout(120_000);

  it('asks the ledger some fifty times an hour for its duties', async () => {
    const bench = await settlementBench();
    const time = new SharedTime(bench);
    const proxy = await RpcProxy.start();
    proxy.target = bench.net.url;
    const { program: programId, config } = bench.net.settlement;
    const settlement = { programId, config, networkId: NETWORK };
    const ledger = await openSolanaLedger({ url: proxy.url, settlement, log: silentLog, clock: systemClock });
    try {
      const agent = await stakedAgent(bench, time);
      const node = agent.duties(ledger.settlement, ledger);
      await node.look();
      for (const method of Object.keys(proxy.passed)) delete proxy.passed[method];
      for (let look = 0; look < 120; look++) {
        time.pass(30);
        await node.look();
      }
      const calls = Object.values(proxy.passed).reduce((sum, count) => sum + count, 0);
      assert.ok(calls <= 60, JSON.stringify(proxy.passed));
    } finally {
      await ledger.close();
      await proxy.stop();
      await bench.close();
    }
  });
});
