import assert from 'node:assert/strict';
import * as spl from '@solana/spl-token';
import { Keypair, PublicKey, SendTransactionError } from '@solana/web3.js';
import { rpc, startCluster, type TestCluster } from './cluster.ts';

const USDC = new PublicKey('4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU');

describe('tokens on the localnet', () => {
  let cluster: TestCluster;
  let a: Keypair;
  let b: Keypair;
  let n: Keypair;
  let ofA: PublicKey;
  let ofB: PublicKey;
  before(async () => {
    cluster = await startCluster();
    [a, b, n] = await Promise.all([cluster.funded(), cluster.funded(), cluster.funded()]);
    await cluster.net.faucet.usdc(a.publicKey.toBase58(), 100_000_000n);
    ofA = spl.getAssociatedTokenAddressSync(USDC, a.publicKey);
    ofB = (await spl.getOrCreateAssociatedTokenAccount(cluster.connection, a, USDC, b.publicKey)).address;
  });
  after(() => cluster.stop());

  it('USDC is preloaded with six decimals and comes from the faucet', async () => {
    assert.equal((await spl.getMint(cluster.connection, USDC)).decimals, 6);
    assert.equal((await spl.getAccount(cluster.connection, ofA)).amount, 100_000_000n);
    const owner = Keypair.generate().publicKey.toBase58();
    const { result } = await rpc(cluster.net.url, 'localnet_airdropUsdc', [owner, 2_500_000]);
    assert.equal((await cluster.connection.getSignatureStatus(result)).value?.err, null);
    const { value } = await cluster.connection.getParsedTokenAccountsByOwner(new PublicKey(owner), { mint: USDC });
    assert.equal(value[0]?.account.data.parsed.info.tokenAmount.uiAmountString, '2.5');
  });

  it('equal faucet requests at the same moment all count', async () => {
    const owner = Keypair.generate().publicKey;
    const { net, connection } = cluster;
    const gifts = Array.from({ length: 5 }, () => net.faucet.sol(owner.toBase58(), 1_000_000n));
    assert.equal(new Set(await Promise.all(gifts)).size, 5);
    assert.equal(await connection.getBalance(owner), 5_000_000);
  });

  it('move by transferChecked, and every view agrees', async () => {
    const { connection } = cluster;
    const signature = await spl.transferChecked(connection, a, ofA, USDC, ofB, a, 1_500_000n, 6);
    assert.equal((await connection.getTokenAccountBalance(ofB)).value.uiAmountString, '1.5');
    assert.equal((await connection.getTokenAccountsByOwner(a.publicKey, { mint: USDC })).value.length, 1);
    const programId = spl.TOKEN_PROGRAM_ID;
    const parsed = await connection.getParsedTokenAccountsByOwner(b.publicKey, { programId });
    assert.deepEqual(
      parsed.value.map(({ account }) => account.data.parsed.info.tokenAmount.amount),
      ['1500000'],
    );
    const filters = [{ dataSize: 165 }, { memcmp: { offset: 32, bytes: b.publicKey.toBase58() } }];
    const found = await connection.getProgramAccounts(programId, { filters });
    assert.deepEqual(
      found.map(({ pubkey }) => pubkey.toBase58()),
      [ofB.toBase58()],
    );
    const meta = (await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 }))!.meta!;
    const change = (owner: Keypair) => {
      const [before, after] = [meta.preTokenBalances!, meta.postTokenBalances!].map((list) => {
        const entry = list.find((balance) => balance.owner === owner.publicKey.toBase58());
        return BigInt(entry?.uiTokenAmount.amount ?? 0);
      });
      return after! - before!;
    };
    assert.deepEqual([change(a), change(b)], [-1_500_000n, 1_500_000n]);
  });

  it('accounts are read one by one and together', async () => {
    const { connection } = cluster;
    const parsed = (await connection.getParsedAccountInfo(USDC)).value?.data as { parsed: { type: string } };
    assert.equal(parsed.parsed.type, 'mint');
    const missing = Keypair.generate().publicKey;
    const several = await connection.getMultipleAccountsInfo([a.publicKey, USDC, missing]);
    assert.deepEqual(
      several.map((account) => account !== null),
      [true, true, false],
    );
    const dataSlice = { offset: 44, length: 1 };
    assert.deepEqual((await connection.getAccountInfo(USDC, { dataSlice }))?.data, Buffer.of(6));
    const supply = await connection.getTokenSupply(USDC);
    assert.equal(supply.value.decimals, 6);
    assert.ok(BigInt(supply.value.amount) >= 100_000_000n);
  });

  it('a delegate is found by its accounts', async () => {
    await spl.approve(cluster.connection, a, ofA, n.publicKey, a, 5n);
    const params = [n.publicKey.toBase58(), { mint: USDC.toBase58() }, { encoding: 'jsonParsed' }];
    const { result } = await rpc(cluster.net.url, 'getTokenAccountsByDelegate', params);
    assert.deepEqual(
      result.value.map((entry: { pubkey: string }) => entry.pubkey),
      [ofA.toBase58()],
    );
    assert.equal(result.value[0].account.data.parsed.info.delegatedAmount.amount, '5');
  });

  it('mints and multisigs of anyone work', async () => {
    const { connection } = cluster;
    const mint = await spl.createMint(connection, a, a.publicKey, null, 9);
    const own = await spl.getOrCreateAssociatedTokenAccount(connection, a, mint, a.publicKey);
    await spl.mintTo(connection, a, mint, own.address, a, 7n);
    assert.equal((await spl.getAccount(connection, own.address)).amount, 7n);

    const multisig = await spl.createMultisig(connection, a, [a.publicKey, b.publicKey, n.publicKey], 2);
    const vault = await spl.getOrCreateAssociatedTokenAccount(connection, a, USDC, multisig, true);
    await spl.transferChecked(connection, a, ofA, USDC, vault.address, a, 10n, 6);
    const release = (...signers: Keypair[]) =>
      spl.transferChecked(connection, a, vault.address, USDC, ofB, multisig, 10n, 6, signers);
    await assert.rejects(release(a), SendTransactionError);
    await release(a, n);
    assert.equal((await spl.getAccount(connection, vault.address)).amount, 0n);
    const parsed = (await connection.getParsedAccountInfo(multisig)).value?.data as any;
    assert.deepEqual([parsed.parsed.type, parsed.parsed.info.numRequiredSigners], ['multisig', 2]);
  });

  it('what is no token account is refused', async () => {
    for (const method of ['getTokenAccountBalance', 'getTokenSupply']) {
      for (const address of [a.publicKey, Keypair.generate().publicKey]) {
        assert.equal((await rpc(cluster.net.url, method, [address.toBase58()])).error.code, -32602);
      }
    }
  });
});
