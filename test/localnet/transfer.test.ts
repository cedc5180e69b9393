import assert from 'node:assert/strict';
import { Keypair, SystemProgram, sendAndConfirmTransaction, Transaction } from '@solana/web3.js';
import { startCluster, type TestCluster } from './cluster.ts';

describe('a stock Connection on the localnet', () => {
  let cluster: TestCluster;
  before(async () => {
    cluster = await startCluster();
  });
  after(() => cluster.stop());

  it('confirms a transfer', async () => {
    const { connection } = cluster;
    const [from, to] = [Keypair.generate(), Keypair.generate()];
    await connection.confirmTransaction(await connection.requestAirdrop(from.publicKey, 2_000_000_000));
    const transfer = SystemProgram.transfer({ fromPubkey: from.publicKey, toPubkey: to.publicKey, lamports: 1e9 });
    await sendAndConfirmTransaction(connection, new Transaction().add(transfer), [from]);
    assert.equal(await connection.getBalance(to.publicKey), 1e9);
  });
});
