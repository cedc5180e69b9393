import assert from 'node:assert/strict';
import {
  ComputeBudgetProgram,
  Keypair,
  PublicKey,
  SystemProgram,
  Transaction,
  TransactionInstruction,
} from '@solana/web3.js';
import bs58 from 'bs58';
import fc from 'fast-check';
import { ASSOCIATED_TOKEN_PROGRAM, TOKEN_PROGRAM, USDC_MINT } from '../../adapters/localnet/addresses.ts';
import { instructionsOf, sendV1, transactionV1, type V1Options } from '../support/transaction-v1.ts';
import { rpc, startCluster, type TestCluster } from './cluster.ts';

const MEMO = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
const NEWEST = { maxSupportedTransactionVersion: 1 };
/** Made by @solana/kit 8.4.0 from the same keys: payer, memo signer, receiver and blockhash are 7s, 8s, 9s and 5s. */
const MADE_BY_KIT =
  'gQIBAh8AAAAFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQIF6kpsY+KcUgq+9VB7Ey7F+ZVHdq6+vnuSQh7qaRRG0iwTmPYsbRpFfFG6' +
  'aktfPb0vafypMhYhjciZfkFr0X2TygkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' +
  'AAAFSlNamSkhBk0k6HFg2jh8fDW13bySu4HkH6hAQQVEjdIEAAAAAAAAUMMAAAAAQAAAAAEAAwIMAAQBCQAAAgIAAABAQg8AAAAAAAF2ZXJzaW9u' +
  'IDHit4kpwaAzPdz720kN7Pqj1CIUx9TU5lH/On8177NhtP899j+QcdltVa0L1zvBtL83d2t99TmeQhGz7DYQuJEH3LxVlG7ahPFVtPtDHbs3JaOH' +
  'Anj02E5gFCf4CCXLoBn6KWM0rAt/S2rFKqOgWwpmZoAjeb7+rWwgnAQal941Cw==';

describe('transactions of version 1 on the localnet', () => {
  let cluster: TestCluster;
  let payer: Keypair;
  before(async () => {
    cluster = await startCluster();
    payer = await cluster.funded(20);
  });
  after(() => cluster.stop());

  function transfer(lamports = 1_000_000): TransactionInstruction {
    return SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: Keypair.generate().publicKey, lamports });
  }

  function memo(text: string): TransactionInstruction {
    return new TransactionInstruction({ programId: MEMO, keys: [], data: Buffer.from(text) });
  }

  async function made(options: Partial<V1Options> = {}) {
    const { blockhash } = await cluster.connection.getLatestBlockhash();
    return transactionV1({ payer, blockhash, instructions: [transfer()], ...options });
  }

  async function landed(options: Partial<V1Options> = {}, sending: object = {}) {
    const transaction = await made(options);
    const { result, error } = await sendV1(cluster.net.url, transaction, sending);
    assert.deepEqual([result, error], [transaction.signature, undefined], JSON.stringify(error));
    return (await rpc(cluster.net.url, 'getTransaction', [result, NEWEST])).result;
  }

  it('are made as other clients make them', () => {
    const [seven, eight] = [7, 8].map((byte) => Keypair.fromSeed(Buffer.alloc(32, byte))) as [Keypair, Keypair];
    const toPubkey = new PublicKey(Buffer.alloc(32, 9));
    const signedMemo = new TransactionInstruction({
      programId: MEMO,
      keys: [{ pubkey: eight.publicKey, isSigner: true, isWritable: false }],
      data: Buffer.from('version 1'),
    });
    const { bytes } = transactionV1({
      payer: seven,
      signers: [eight],
      blockhash: bs58.encode(Buffer.alloc(32, 5)),
      instructions: [
        SystemProgram.transfer({ fromPubkey: seven.publicKey, toPubkey, lamports: 1_000_000 }),
        signedMemo,
      ],
      priorityFee: 1234n,
      computeUnits: 50_000,
      heapSize: 65_536,
    });
    assert.equal(bytes.toString('base64'), MADE_BY_KIT);
  });

  it('run, and are told as version 1 with what they ask for', async () => {
    const instruction = transfer();
    const to = instruction.keys[1]!.pubkey;
    const options = { instructions: [instruction, memo('hello')], priorityFee: 777n };
    const before = await cluster.connection.getBalance(payer.publicKey);
    const { version, meta, transaction } = await landed(options);
    assert.equal(version, 1);
    assert.equal(meta.err, null);
    assert.equal(meta.fee, 5777);
    assert.equal(before - (await cluster.connection.getBalance(payer.publicKey)), 1_005_777);
    assert.equal(await cluster.connection.getBalance(to), 1_000_000);
    const { message, signatures } = transaction;
    assert.deepEqual(message.transactionConfig, {
      priorityFee: 777,
      computeUnitLimit: 200_000,
      loadedAccountsDataSizeLimit: 4 * 1024 * 1024,
      heapSize: null,
    });
    assert.equal('addressTableLookups' in message, false);
    assert.deepEqual(message.header.numRequiredSignatures, 1);
    assert.equal(message.instructions[1].stackHeight, 1);
    const [listed] = (await rpc(cluster.net.url, 'getSignaturesForAddress', [to.toBase58()])).result;
    assert.deepEqual([listed.signature, listed.memo], [signatures[0], '[5] hello']);
    const parsed = await rpc(cluster.net.url, 'getTransaction', [signatures[0], { ...NEWEST, encoding: 'jsonParsed' }]);
    const writable = parsed.result.transaction.message.accountKeys.map((key: any) => [key.signer, key.writable]);
    assert.deepEqual(writable, [
      [true, true],
      [false, true],
      [false, false],
      [false, false],
    ]);
    assert.equal((await cluster.connection.getSignatureStatus(signatures[0])).value?.err, null);
  });

  it('tell what programs called, in order and with the height of each call', async () => {
    const mint = new PublicKey(USDC_MINT);
    const tokens = new PublicKey(TOKEN_PROGRAM);
    const associated = new PublicKey(ASSOCIATED_TOKEN_PROGRAM);
    const owner = Keypair.generate().publicKey;
    const seeds = [owner.toBytes(), tokens.toBytes(), mint.toBytes()];
    const [account] = PublicKey.findProgramAddressSync(seeds, associated);
    const keys = [payer.publicKey, account, owner, mint, SystemProgram.programId, tokens];
    const create = new TransactionInstruction({
      programId: associated,
      keys: keys.map((pubkey, index) => ({ pubkey, isSigner: index === 0, isWritable: index < 2 })),
      data: Buffer.alloc(0),
    });
    const { meta, transaction } = await landed({ instructions: [memo('first'), create] });
    assert.deepEqual(
      meta.innerInstructions.map(({ index }: any) => index),
      [1],
    );
    const named = meta.innerInstructions[0].instructions.map((inner: any) => [
      transaction.message.accountKeys[inner.programIdIndex],
      inner.stackHeight,
    ]);
    const system = SystemProgram.programId.toBase58();
    assert.deepEqual(named, [
      [TOKEN_PROGRAM, 2],
      [system, 2],
      [TOKEN_PROGRAM, 2],
      [TOKEN_PROGRAM, 2],
    ]);
    assert.equal(meta.postTokenBalances.length, 1);
    assert.ok(!meta.logMessages.some((line: string) => /Program log: Instruction: Initialize/.test(line)));
  });

  it('are kept from readers that ask for less, with the code of real nodes', async () => {
    const { transaction } = await landed();
    const [signature] = transaction.signatures;
    for (const options of [{}, { maxSupportedTransactionVersion: 0 }, { encoding: 'jsonParsed' }]) {
      const { error } = await rpc(cluster.net.url, 'getTransaction', [signature, options]);
      assert.equal(error.code, -32015);
      assert.match(error.message, /version \(1\) is not supported.*"maxSupportedTransactionVersion": 1/);
    }
    for (const encoding of ['base64', 'base58']) {
      const { result } = await rpc(cluster.net.url, 'getTransaction', [signature, { ...NEWEST, encoding }]);
      assert.deepEqual([result.version, result.transaction[1]], [1, encoding]);
    }
  });

  it('may be larger than a packet, and have a limit all the same', async () => {
    const { transaction } = await landed({
      instructions: [transfer(), memo('m'.repeat(3600))],
      computeUnits: 1_400_000,
    });
    assert.equal(transaction.message.instructions.length, 2);
    const { error } = await sendV1(cluster.net.url, await made({ instructions: [memo('m'.repeat(4000))] }));
    assert.deepEqual([error.code, /too large: \d+ bytes \(max: 4096\)/.test(error.message)], [-32602, true]);
  });

  it('take no price from the compute budget program, and no units unless they ask', async () => {
    const price = ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 1_000_000 });
    assert.equal((await landed({ instructions: [price, transfer()] })).meta.fee, 5000);
    const { meta } = await landed({ instructions: [memo('x')], computeUnits: 0 }, { skipPreflight: true });
    assert.deepEqual(meta.err, { InstructionError: [0, 'ProgramFailedToComplete'] });
  });

  it('are simulated, and their fee is known beforehand', async () => {
    const transaction = await made({ priorityFee: 99n });
    const encoded = transaction.bytes.toString('base64');
    const simulated = await rpc(cluster.net.url, 'simulateTransaction', [encoded, { encoding: 'base64' }]);
    assert.equal(simulated.result.value.err, null);
    const message = transaction.bytes.subarray(0, -64).toString('base64');
    assert.equal((await rpc(cluster.net.url, 'getFeeForMessage', [message])).result.value, 5099);
  });

  it('with a wrong signature are refused', async () => {
    const { bytes } = await made();
    bytes[bytes.length - 1]! ^= 1;
    assert.equal((await sendV1(cluster.net.url, { bytes, signature: '' })).error.code, -32003);
  });

  it('do what a legacy transaction does', async () => {
    const instruction = transfer();
    const { blockhash } = await cluster.connection.getLatestBlockhash();
    const legacy = new Transaction({ feePayer: payer.publicKey, recentBlockhash: blockhash }).add(instruction);
    legacy.sign(payer);
    const { transaction } = await landed({ instructions: instructionsOf(legacy.serialize()) });
    const { programIdIndex, accounts, data } = transaction.message.instructions[0];
    const key = (index: number) => transaction.message.accountKeys[index];
    assert.deepEqual(
      [key(programIdIndex), accounts.map(key), data],
      [
        instruction.programId.toBase58(),
        instruction.keys.map(({ pubkey }) => pubkey.toBase58()),
        bs58.encode(instruction.data),
      ],
    );
  });

  it('that break the format are refused by name', async () => {
    const { bytes } = await made({ priorityFee: 5n, heapSize: 32_768 });
    const config = 42 + bytes[41]! * 32;
    const cases: [change: (copy: Buffer) => Buffer, reason: RegExp][] = [
      [(copy) => Buffer.concat([copy, Buffer.of(0)]), /follow the message/],
      [(copy) => copy.subarray(0, 60), /ends too early/],
      [(copy) => set(copy, 1, 13), /more than 12 signatures/],
      [(copy) => set(copy, 4, 0b11101), /half a priority fee/],
      [(copy) => set(copy, 4, 0b111111), /unknown bit/],
      [(copy) => set(copy, 40, 65), /more than 64 instructions/],
      [(copy) => set(copy, 41, 65), /more than 64 addresses/],
      [(copy) => set(copy, config + 17, 1), /its heap/],
      [(copy) => set(copy, 2, 1), /fee payer must be writable/],
      [(copy) => set(copy, 74, copy[42]!, copy.subarray(42, 74)), /listed twice/],
    ];
    for (const [change, reason] of cases) {
      const { error } = await sendV1(cluster.net.url, { bytes: change(Buffer.from(bytes)), signature: '' });
      assert.equal(error?.code, -32602);
      assert.match(error.message, reason);
    }
  });

  it('that are mutilated never end the process', async () => {
    const original = (await made({ priorityFee: 1n })).bytes;
    const edit = fc.record({ at: fc.nat(400), value: fc.nat(255), kind: fc.constantFrom('set', 'insert', 'remove') });
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 3 }), async (edits) => {
        const bytes = [...original];
        for (const { at, value, kind } of edits) {
          const index = 1 + (at % (bytes.length - 1));
          if (kind === 'set') bytes[index] = value;
          else bytes.splice(index, kind === 'remove' ? 1 : 0, ...(kind === 'remove' ? [] : [value]));
        }
        const mutant = Buffer.from(bytes);
        if (mutant.equals(original)) return;
        const { error } = await sendV1(cluster.net.url, { bytes: mutant, signature: '' });
        assert.ok([-32602, -32002, -32003].includes(error?.code), JSON.stringify(error));
      }),
      { numRuns: 300 },
    );
    assert.equal((await rpc(cluster.net.url, 'getHealth')).result, 'ok');
  });
});

function set(bytes: Buffer, at: number, value: number, more?: Uint8Array): Buffer {
  bytes[at] = value;
  if (more) bytes.set(more, at);
  return bytes;
}
