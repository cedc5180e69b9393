import assert from 'node:assert/strict';
import {
  AddressLookupTableProgram,
  ComputeBudgetProgram,
  Ed25519Program,
  Keypair,
  type ParsedInstruction,
  PublicKey,
  type SendTransactionError,
  SystemProgram,
  sendAndConfirmTransaction,
  Transaction,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { rpc, startCluster, type TestCluster } from './cluster.ts';

const MEMO = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');

/** One instruction, or several that web3.js bundles. */
type Step = TransactionInstruction | Transaction;

function memo(text: string, ...signers: Keypair[]): TransactionInstruction {
  const keys = signers.map(({ publicKey }) => ({ pubkey: publicKey, isSigner: true, isWritable: false }));
  return new TransactionInstruction({ programId: MEMO, keys, data: Buffer.from(text) });
}

function send(from: Keypair, to: PublicKey, lamports: number): TransactionInstruction {
  return SystemProgram.transfer({ fromPubkey: from.publicKey, toPubkey: to, lamports });
}

describe('transactions on the localnet', () => {
  let cluster: TestCluster;
  let a: Keypair;
  let b: Keypair;
  before(async () => {
    cluster = await startCluster();
    a = await cluster.funded(20);
    b = await cluster.funded();
  });
  after(() => cluster.stop());

  function signed(...instructions: Step[]): Promise<Transaction> {
    return signedWith([], ...instructions);
  }

  async function signedWith(others: Keypair[], ...instructions: Step[]): Promise<Transaction> {
    const { blockhash } = await cluster.connection.getLatestBlockhash();
    const transaction = new Transaction({ feePayer: a.publicKey, recentBlockhash: blockhash }).add(...instructions);
    transaction.sign(a, ...others);
    return transaction;
  }

  async function refusal(raw: Uint8Array): Promise<any> {
    const encoded = Buffer.from(raw).toString('base64');
    const { error } = await rpc(cluster.net.url, 'sendTransaction', [encoded, { encoding: 'base64' }]);
    assert.ok(error, 'it should have been refused');
    return error;
  }

  it('are confirmed by signature, by block height and by a durable nonce', async () => {
    const { connection } = cluster;
    const to = Keypair.generate().publicKey;
    await connection.confirmTransaction(await connection.requestAirdrop(to, 1e9));
    const latest = await connection.getLatestBlockhash();
    const signature = await connection.requestAirdrop(to, 1e9);
    const { value } = await connection.confirmTransaction({ signature, ...latest });
    assert.equal(value.err, null);
    assert.equal(await connection.getBalance(to), 2e9);
    await sendAndConfirmTransaction(connection, new Transaction().add(send(a, to, 1e9)), [a]);
    assert.equal(await connection.getBalance(to), 3e9);

    const nonce = Keypair.generate();
    const lamports = await connection.getMinimumBalanceForRentExemption(80);
    const keys = { fromPubkey: a.publicKey, noncePubkey: nonce.publicKey, authorizedPubkey: a.publicKey };
    const create = SystemProgram.createNonceAccount({ ...keys, lamports });
    await sendAndConfirmTransaction(connection, new Transaction().add(create), [a, nonce]);
    const { nonce: nonceValue } = (await connection.getNonceAndContext(nonce.publicKey)).value!;
    const nonceInfo = { nonce: nonceValue, nonceInstruction: SystemProgram.nonceAdvance(keys) };
    const later = new Transaction({ feePayer: a.publicKey, nonceInfo }).add(memo('signed long before', a));
    later.sign(a);
    await rpc(cluster.net.url, 'localnet_warp', [{ slots: 400, blocks: 400 }]);
    const sent = await connection.sendRawTransaction(later.serialize());
    const strategy = { signature: sent, minContextSlot: 0, nonceAccountPubkey: nonce.publicKey, nonceValue };
    assert.equal((await connection.confirmTransaction(strategy)).value.err, null);
    const after = (await connection.getNonceAndContext(nonce.publicKey)).value!;
    assert.notEqual(after.nonce, nonceValue);
  });

  it('that fail still use up their durable nonce, and only once', async () => {
    const { connection } = cluster;
    const nonce = Keypair.generate();
    const keys = { fromPubkey: a.publicKey, noncePubkey: nonce.publicKey, authorizedPubkey: a.publicKey };
    const create = SystemProgram.createNonceAccount({ ...keys, lamports: 1_447_680 });
    await connection.sendRawTransaction((await signedWith([nonce], create)).serialize());
    const { nonce: value } = (await connection.getNonce(nonce.publicKey))!;
    await rpc(cluster.net.url, 'localnet_warp', [{}]);
    const nonceInfo = { nonce: value, nonceInstruction: SystemProgram.nonceAdvance(keys) };
    const failing = new Transaction({ feePayer: a.publicKey, nonceInfo }).add(send(a, b.publicKey, 1e15));
    failing.sign(a);
    const signature = await connection.sendRawTransaction(failing.serialize(), { skipPreflight: true });
    const status = (await connection.getSignatureStatus(signature)).value;
    assert.deepEqual(status?.err, { InstructionError: [1, { Custom: 1 }] });
    assert.notEqual((await connection.getNonce(nonce.publicKey))?.nonce, value);
    const again = new Transaction({ feePayer: a.publicKey, nonceInfo }).add(memo('second use', a));
    again.sign(a);
    assert.equal((await refusal(again.serialize())).data.err, 'BlockhashNotFound');
  });

  it('carry memos of several signers', async () => {
    const link = await signedWith([b], memo('linked', a, b));
    const signature = await cluster.connection.sendRawTransaction(link.serialize());
    const [newest] = await cluster.connection.getSignaturesForAddress(b.publicKey, { limit: 1 });
    assert.deepEqual([newest?.signature, newest?.memo], [signature, '[6] linked']);
    const parsed = (await cluster.connection.getParsedTransaction(signature, { maxSupportedTransactionVersion: 0 }))!;
    assert.equal((parsed.transaction.message.instructions[0] as ParsedInstruction).parsed, 'linked');
  });

  it('of version 0 run with a signature program and are charged for its signature', async () => {
    const { connection } = cluster;
    const proof = Ed25519Program.createInstructionWithPrivateKey({
      privateKey: b.secretKey,
      message: Buffer.from('m'),
    });
    const latest = await connection.getLatestBlockhash();
    const instructions = [proof, memo('batch', a)];
    const message = new TransactionMessage({ payerKey: a.publicKey, recentBlockhash: latest.blockhash, instructions });
    const transaction = new VersionedTransaction(message.compileToV0Message());
    transaction.sign([a]);
    const signature = await connection.sendTransaction(transaction);
    assert.equal((await connection.confirmTransaction({ signature, ...latest })).value.err, null);
    const landed = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
    assert.deepEqual([landed?.version, landed?.meta?.fee], [0, 10_000]);
    const old = await rpc(cluster.net.url, 'getTransaction', [signature]);
    assert.equal(old.error.code, -32015);
  });

  it('of version 0 read address lookup tables', async () => {
    const { connection } = cluster;
    const recentSlot = await connection.getSlot();
    const authority = { authority: a.publicKey, payer: a.publicKey };
    const [create, lookupTable] = AddressLookupTableProgram.createLookupTable({ ...authority, recentSlot });
    const to = Keypair.generate().publicKey;
    const extend = AddressLookupTableProgram.extendLookupTable({ ...authority, lookupTable, addresses: [to] });
    await connection.sendRawTransaction((await signed(create, extend)).serialize());
    await rpc(cluster.net.url, 'localnet_warp', [{}]);
    const table = (await connection.getAddressLookupTable(lookupTable)).value!;
    const { blockhash } = await connection.getLatestBlockhash();
    const instructions = [send(a, to, 1_000_000)];
    const message = new TransactionMessage({ payerKey: a.publicKey, recentBlockhash: blockhash, instructions });
    const transaction = new VersionedTransaction(message.compileToV0Message([table]));
    transaction.sign([a]);
    const signature = await connection.sendTransaction(transaction);
    assert.equal(await connection.getBalance(to), 1_000_000);
    const landed = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
    assert.deepEqual(landed?.meta?.loadedAddresses?.writable.map(String), [to.toBase58()]);
    const [found] = await connection.getSignaturesForAddress(to);
    assert.equal(found?.signature, signature);
  });

  it('report exactly the fee the payer was charged', async () => {
    const { connection } = cluster;
    const price = ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 123_457 });
    const cases = [
      [memo('plain', a)],
      [price, memo('default limit', a)],
      [price, ComputeBudgetProgram.setComputeUnitLimit({ units: 77_777 }), memo('own limit', a)],
    ];
    for (const instructions of cases) {
      const transaction = await signed(...instructions);
      const quoted = await connection.getFeeForMessage(transaction.compileMessage());
      const before = await connection.getBalance(a.publicKey);
      const signature = await connection.sendRawTransaction(transaction.serialize());
      const charged = before - (await connection.getBalance(a.publicKey));
      const { meta } = (await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 }))!;
      assert.deepEqual([meta?.fee, quoted.value], [charged, charged]);
    }
  });

  it('are simulated without a trace', async () => {
    const { connection } = cluster;
    const before = await connection.getBalance(a.publicKey);
    const payer = { payerKey: a.publicKey, recentBlockhash: PublicKey.default.toBase58() };
    const simulate = (lamports: number) => {
      const message = new TransactionMessage({ ...payer, instructions: [send(a, b.publicKey, lamports)] });
      const accounts = { encoding: 'base64' as const, addresses: [b.publicKey.toBase58()] };
      const options = { replaceRecentBlockhash: true, accounts };
      return connection.simulateTransaction(new VersionedTransaction(message.compileToV0Message()), options);
    };
    const good = (await simulate(5)).value;
    assert.equal(good.err, null);
    assert.equal(good.accounts?.[0]?.lamports, (await connection.getBalance(b.publicKey)) + 5);
    assert.deepEqual((await simulate(1e15)).value.err, { InstructionError: [0, { Custom: 1 }] });
    assert.equal(await connection.getBalance(a.publicKey), before);
  });

  it('refused by preflight carry the structured error and the logs', async () => {
    const stranger = Keypair.generate();
    const wrongProof = Ed25519Program.createInstructionWithPrivateKey({
      privateKey: b.secretKey,
      message: Buffer.of(1),
    });
    wrongProof.data[60]! ^= 1;
    const penniless = new Transaction({ feePayer: stranger.publicKey }).add(memo('x', stranger));
    penniless.recentBlockhash = (await cluster.connection.getLatestBlockhash()).blockhash;
    penniless.sign(stranger);
    const stale = await signed(memo('late', a));
    const dust = await signed(send(a, Keypair.generate().publicKey, 1));
    const cases: [Transaction, unknown][] = [
      [await signed(send(a, b.publicKey, 1e15)), { InstructionError: [0, { Custom: 1 }] }],
      [await signed(wrongProof), { InstructionError: [0, { Custom: 2 }] }],
      [penniless, 'AccountNotFound'],
      [dust, { InsufficientFundsForRent: { account_index: 1 } }],
    ];
    for (const [transaction, err] of cases) {
      const error = await refusal(transaction.serialize());
      assert.equal(error.code, -32002);
      assert.deepEqual(error.data.err, err);
    }
    await rpc(cluster.net.url, 'localnet_warp', [{ slots: 151, blocks: 151 }]);
    assert.equal((await refusal(stale.serialize())).data.err, 'BlockhashNotFound');
    await assert.rejects(
      cluster.connection.sendRawTransaction((await signed(send(a, b.publicKey, 1e15))).serialize()),
      (error: SendTransactionError) => error.message.includes('custom program error: 0x1') && error.logs!.length > 0,
    );
  });

  it('with a wrong signature are refused and never run', async () => {
    const transaction = await signed(memo('forged', a));
    const bytes = transaction.serialize();
    bytes[5]! ^= 1;
    assert.equal((await refusal(bytes)).code, -32003);
    const skipped = await cluster.connection.sendRawTransaction(bytes, { skipPreflight: true });
    assert.equal((await cluster.connection.getSignatureStatus(skipped)).value, null);
  });

  it('sent twice run once', async () => {
    const transaction = await signed(send(a, b.publicKey, 7));
    const before = await cluster.connection.getBalance(b.publicKey);
    const signature = await cluster.connection.sendRawTransaction(transaction.serialize());
    assert.equal((await refusal(transaction.serialize())).data.err, 'AlreadyProcessed');
    const skipPreflight = { skipPreflight: true };
    assert.equal(await cluster.connection.sendRawTransaction(transaction.serialize(), skipPreflight), signature);
    assert.equal(await cluster.connection.getBalance(b.publicKey), before + 7);
  });

  it('that fail without preflight land with their error and fee', async () => {
    const { connection } = cluster;
    const before = await connection.getBalance(a.publicKey);
    const raw = (await signed(send(a, b.publicKey, 1e15))).serialize();
    const signature = await connection.sendRawTransaction(raw, { skipPreflight: true });
    const landed = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
    assert.deepEqual(landed?.meta?.err, { InstructionError: [0, { Custom: 1 }] });
    assert.equal(await connection.getBalance(a.publicKey), before - 5000);
  });

  it('that never land expire with their block height', async () => {
    const { connection } = cluster;
    const latest = await connection.getLatestBlockhash();
    const waiting = connection.confirmTransaction({ signature: '5'.repeat(87), ...latest });
    const refused = assert.rejects(waiting, { name: 'TransactionExpiredBlockheightExceededError' });
    await rpc(cluster.net.url, 'localnet_warp', [{ slots: 200, blocks: 200 }]);
    await refused;
  });
});
