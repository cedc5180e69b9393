import assert from 'node:assert/strict';
import { Keypair, SystemProgram, Transaction } from '@solana/web3.js';
import { rpc, startCluster, type TestCluster } from './cluster.ts';

describe('the localnet as a cluster', () => {
  let cluster: TestCluster;
  before(async () => {
    cluster = await startCluster();
  });
  after(() => cluster.stop());

  it('describes itself', async () => {
    const { connection, net } = cluster;
    assert.match((await connection.getVersion())['solana-core'], /^2\./);
    assert.equal(await connection.getGenesisHash(), net.genesisHash);
    assert.equal((await rpc(net.url, 'getHealth')).result, 'ok');
    assert.equal(await (await fetch(`${net.url}/health`)).text(), 'ok');
    assert.equal(await connection.getMinimumBalanceForRentExemption(165), 2_039_280);
    const { absoluteSlot, slotsInEpoch } = await connection.getEpochInfo();
    assert.equal(slotsInEpoch, 432_000);
    assert.ok(Math.abs(absoluteSlot - (await connection.getSlot())) <= 1);
    const seconds = await connection.getBlockTime(absoluteSlot);
    assert.ok(Math.abs(seconds! - Date.now() / 1000) < 5);
    assert.ok((await connection.getRecentPrioritizationFees()).length > 0);
  });

  it('makes slots while nobody asks', async () => {
    const before = await cluster.connection.getSlot();
    await new Promise((resolve) => setTimeout(resolve, 900));
    const after = await cluster.connection.getSlot();
    assert.ok(after - before >= 2 && after - before <= 4, `${after - before} slots in 900 ms`);
  });

  it('keeps a blockhash for 150 blocks and not longer', async () => {
    const { connection, net } = cluster;
    const { blockhash, lastValidBlockHeight } = await connection.getLatestBlockhash();
    const height = await connection.getBlockHeight();
    assert.ok(lastValidBlockHeight - height >= 149 && lastValidBlockHeight - height <= 150);
    await rpc(net.url, 'localnet_warp', [{ slots: 1000, blocks: 140 }]);
    assert.equal((await connection.isBlockhashValid(blockhash)).value, true);
    await rpc(net.url, 'localnet_warp', [{ slots: 11, blocks: 11 }]);
    assert.equal((await connection.isBlockhashValid(blockhash)).value, false);
  });

  it('warps the seconds programs see', async () => {
    const time = async () => (await cluster.connection.getBlockTime(await cluster.connection.getSlot()))!;
    const before = await time();
    await rpc(cluster.net.url, 'localnet_warp', [{ seconds: 86_400 }]);
    assert.ok((await time()) - before >= 86_400);
  });

  it('says what minutes had in slots and transactions', async () => {
    const { connection, net } = cluster;
    await rpc(net.url, 'localnet_warp', [{ slots: 300, blocks: 300, seconds: 120 }]);
    await cluster.funded();
    const samples = await connection.getRecentPerformanceSamples(3);
    assert.deepEqual(
      samples.map(({ samplePeriodSecs }) => samplePeriodSecs),
      [60, 60, 60],
    );
    assert.ok(Math.abs(samples[0]!.slot - (await connection.getSlot())) <= 1);
    assert.ok(
      samples.slice(0, 2).every(({ numSlots }) => Math.abs(numSlots - 150) < 5),
      JSON.stringify(samples),
    );
    assert.equal(samples[0]!.numTransactions, 1);
  });

  it('charges and tells the rent that is in force', async () => {
    const { connection, net } = cluster;
    const from = await cluster.funded();
    const send = async (lamports: number) => {
      const toPubkey = Keypair.generate().publicKey;
      const transaction = new Transaction().add(
        SystemProgram.transfer({ fromPubkey: from.publicKey, toPubkey, lamports }),
      );
      return connection.sendTransaction(transaction, [from]);
    };
    net.setRent(2_575n);
    assert.equal(await connection.getMinimumBalanceForRentExemption(0), 128 * 2_575);
    await assert.rejects(send(128 * 2_575 - 1), /InsufficientFundsForRent/);
    await send(128 * 2_575);
    assert.equal((await rpc(net.url, 'localnet_setRent', [6_960])).result, true);
    await assert.rejects(send(128 * 2_575), /InsufficientFundsForRent/);
  });

  it('pages through the history of an address', async () => {
    const { connection } = cluster;
    const from = await cluster.funded();
    const to = Keypair.generate().publicKey;
    const { blockhash } = await connection.getLatestBlockhash();
    for (let lamports = 1_000_000; lamports < 1_000_006; lamports++) {
      const transaction = new Transaction({ feePayer: from.publicKey, recentBlockhash: blockhash });
      transaction.add(SystemProgram.transfer({ fromPubkey: from.publicKey, toPubkey: to, lamports })).sign(from);
      await connection.sendRawTransaction(transaction.serialize());
    }
    const all = (await connection.getSignaturesForAddress(to)).map(({ signature }) => signature);
    assert.equal(all.length, 6);
    const page = async (options: { before?: string; until?: string; limit?: number }) =>
      (await connection.getSignaturesForAddress(to, options)).map(({ signature }) => signature);
    assert.deepEqual(await page({ before: all[2]!, limit: 2 }), all.slice(3, 5));
    assert.deepEqual(await page({ until: all[2]! }), all.slice(0, 2));
    assert.deepEqual(await page({ before: '5'.repeat(87) }), []);
  });

  it('tells subscribers about accounts, logs, programs and slots', async () => {
    const { connection } = cluster;
    const from = await cluster.funded();
    const to = Keypair.generate().publicKey;
    const heard: Record<string, (value: unknown) => void> = {};
    const hear = (what: string) => new Promise<any>((resolve) => (heard[what] = resolve));
    const all = Promise.all(['account', 'logs', 'program', 'slot', 'root'].map(hear));
    const subscriptions = [
      connection.onAccountChange(to, (account) => heard['account']!(account.lamports)),
      connection.onLogs(to, (logs) => heard['logs']!(logs.err)),
      connection.onProgramAccountChange(SystemProgram.programId, ({ accountId, accountInfo }) => {
        if (accountId.equals(to)) heard['program']!(accountInfo.lamports);
      }),
      connection.onSlotChange(({ slot }) => heard['slot']!(slot > 0)),
      connection.onRootChange((slot) => heard['root']!(slot > 0)),
    ];
    await new Promise((resolve) => setTimeout(resolve, 300));
    const transfer = SystemProgram.transfer({ fromPubkey: from.publicKey, toPubkey: to, lamports: 1_000_000 });
    await connection.sendTransaction(new Transaction().add(transfer), [from]);
    assert.deepEqual(await all, [1_000_000, null, 1_000_000, true, true]);
    await connection.removeAccountChangeListener(subscriptions[0]!);
    await connection.removeOnLogsListener(subscriptions[1]!);
    await connection.removeProgramAccountChangeListener(subscriptions[2]!);
    await connection.removeSlotChangeListener(subscriptions[3]!);
    await connection.removeRootChangeListener(subscriptions[4]!);
  });
});
