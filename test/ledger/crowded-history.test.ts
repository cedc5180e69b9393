import assert from 'node:assert/strict';
import { Keypair, PublicKey, SystemProgram, Transaction, TransactionInstruction } from '@solana/web3.js';
import bs58 from 'bs58';
import { Incoming } from '../../adapters/ledger-solana/incoming.ts';
import {
  associatedTokenAddress,
  MEMO_PROGRAM,
  memo,
  transferChecked,
} from '../../adapters/ledger-solana/instructions.ts';
import { JsonRpc } from '../../adapters/ledger-solana/json-rpc.ts';
import { lockEscrow } from '../../adapters/ledger-solana/program/index.ts';
import { web3Instruction } from '../../adapters/ledger-solana/signed-transaction.ts';
import { TransactionReader } from '../../adapters/ledger-solana/transaction-reader.ts';
import { Witnesses } from '../../adapters/ledger-solana/witnesses.ts';
import { silentLog } from '../../core/platform/log.ts';
import { rpc } from '../localnet/cluster.ts';
import { RpcStandIn } from '../support/rpc-stand-in.ts';
import { ShiftedClock } from '../support/shifted-clock.ts';
import { sendV1, transactionV1 } from '../support/transaction-v1.ts';
import { type SettlementBench, settlementBench, USDC } from './settlement-bench.ts';

describe('what strangers put into a history', function () {
  this.timeout(60_000);
  let bench: SettlementBench;
  let mint: PublicKey;
  let payer: Keypair;
  before(async () => {
    bench = await settlementBench();
    mint = new PublicKey(bench.ledger.cluster.usdcMint);
    payer = Keypair.generate();
    await bench.net.faucet.sol(payer.publicKey.toBase58(), 10_000_000_000n);
    await bench.net.faucet.usdc(payer.publicKey.toBase58(), 1_000n * USDC);
  });
  afterEach(() => bench.net.faults.clear());
  after(() => bench.close());

  async function blockhash(): Promise<string> {
    return (await rpc(bench.net.url, 'getLatestBlockhash')).result.value.blockhash;
  }

  async function sendNewest(...instructions: TransactionInstruction[]): Promise<string> {
    const made = transactionV1({ payer, blockhash: await blockhash(), instructions, computeUnits: 1_400_000 });
    const { result, error } = await sendV1(bench.net.url, made);
    assert.equal(error, undefined, JSON.stringify(error));
    return result;
  }

  function payment(to: string, amount: bigint): TransactionInstruction {
    const destination = associatedTokenAddress(new PublicKey(to), mint);
    const source = associatedTokenAddress(payer.publicKey, mint);
    return transferChecked({ source, mint, destination, owner: payer.publicKey, amount, decimals: 6 });
  }

  function mention(address: string): TransactionInstruction {
    const instruction = SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: payer.publicKey, lamports: 1 });
    instruction.keys.push({ pubkey: new PublicKey(address), isSigner: false, isWritable: false });
    return instruction;
  }

  async function lock(provider: string, conversation: number) {
    const { unixSeconds } = await bench.settlement.time();
    const { deployment } = bench.settlement;
    const place = { ...deployment, mint: mint.toBase58() };
    return web3Instruction(
      lockEscrow(place, {
        requester: payer.publicKey.toBase58(),
        provider,
        conversation: Buffer.alloc(16, conversation),
        amount: USDC,
        bond: 0n,
        deadline: BigInt(unixSeconds + 3_600),
        reviewSecs: 7_200n,
        terms: Buffer.alloc(32, 1),
        disputeBps: 0,
      }),
    );
  }

  it('transactions of version 1 pay, lock, and stop no reader', async () => {
    const { address } = await bench.wallet(USDC);
    const { cursor } = await bench.ledger.incomingUsdc(address, undefined, 10);
    const { cursor: place } = await bench.settlement.events(undefined, 1_000);
    await sendNewest(
      mention(bench.net.settlement.config),
      mention(associatedTokenAddress(new PublicKey(address), mint).toBase58()),
    );
    const paid = await sendNewest(payment(address, 5n), memo('version 1', payer.publicKey));
    const locked = await sendNewest(await lock(address, 1));
    const { transfers } = await bench.ledger.incomingUsdc(address, cursor, 10);
    assert.deepEqual(
      transfers.map(({ signature, amount, memo: text, from }) => [signature, amount, text, from]),
      [[paid, 5n, 'version 1', payer.publicKey.toBase58()]],
    );
    const { entries } = await bench.settlement.events(place, 10);
    assert.deepEqual(
      entries.map((entry) => [entry.name, entry.signature]),
      [['escrow_locked', locked]],
    );
  });

  it('logs that are cut short hide no event', async () => {
    const { cursor } = await bench.settlement.events(undefined, 1_000);
    bench.net.faults.set({ logBytes: 400 });
    const { address } = await bench.wallet(0n);
    const noise = Array.from(
      { length: 20 },
      (_, index) => new TransactionInstruction({ programId: MEMO_PROGRAM, keys: [], data: Buffer.from(`${index}`) }),
    );
    const transaction = new Transaction({ feePayer: payer.publicKey, recentBlockhash: await blockhash() });
    transaction.add(...noise, await lock(address, 2)).sign(payer);
    const sent = await rpc(bench.net.url, 'sendTransaction', [
      transaction.serialize().toString('base64'),
      { encoding: 'base64' },
    ]);
    const { meta } = (await rpc(bench.net.url, 'getTransaction', [sent.result])).result;
    assert.ok(meta.logMessages.includes('Log truncated'), JSON.stringify(sent));
    const { entries } = await bench.settlement.events(cursor, 10);
    assert.deepEqual(
      entries.map((entry) => [entry.name, entry.signature]),
      [['escrow_locked', sent.result]],
    );
  });
});

/** 50,000 transactions on pages of a thousand, scaled down: as many pages of forty. */
describe('a wallet under a rain of dust', function () {
  this.timeout(60_000);
  const COUNT = 2_000;
  const PAGE = 40;
  const [owner, stranger, MINT] = [4, 5, 6].map((byte) => new PublicKey(Buffer.alloc(32, byte))) as [
    PublicKey,
    PublicKey,
    PublicKey,
  ];
  const account = associatedTokenAddress(owner, MINT).toBase58();
  const signatures = Array.from({ length: COUNT + 1 }, (_, index) => {
    const bytes = Buffer.alloc(64, 7);
    bytes.writeUInt32BE(index, 0);
    return bs58.encode(bytes);
  });
  const at = new Map(signatures.map((signature, index) => [signature, index]));
  let node: RpcStandIn;
  let incoming: Incoming;
  let flaky = true;
  const clock = new ShiftedClock();

  /** Every other transaction names the account only; the others pay one millionth; the last one pays a dollar. */
  const gain = (index: number) => (index === COUNT ? 1_000_000n : index % 2 === 0 ? 0n : 1n);

  before(async () => {
    node = await RpcStandIn.start();
    const witnesses = new Witnesses([new JsonRpc(node.url, clock)], clock);
    const reader = new TransactionReader({ witnesses, clock, log: silentLog });
    incoming = new Incoming({ witnesses, reader, mint: MINT, pageSize: PAGE });
    node.answers = {
      getSignaturesForAddress: ([of, { before, until, limit }]: any) => {
        assert.deepEqual([of, limit], [account, PAGE]);
        // What fails in between is neither read twice nor left out.
        if (flaky && node.calls['getSignaturesForAddress']! % 7 === 0)
          throw Object.assign(new Error('try later'), { code: -32000 });
        const newest = before === undefined ? signatures.length : at.get(before)!;
        const oldest = Math.max(until === undefined ? 0 : at.get(until)! + 1, newest - limit);
        return signatures
          .slice(oldest, newest)
          .map((signature, index) => ({ signature, slot: oldest + index, err: null }))
          .reverse();
      },
      getTransaction: ([signature]: any) => {
        const index = at.get(signature)!;
        const balances = (amount: bigint) => [
          { accountIndex: 1, mint: MINT.toBase58(), owner: owner.toBase58(), uiTokenAmount: { amount: `${amount}` } },
        ];
        return {
          slot: index,
          meta: {
            err: null,
            preTokenBalances: balances(5n),
            postTokenBalances: balances(5n + gain(index)),
            innerInstructions: [],
          },
          transaction: {
            signatures: [signature],
            message: { accountKeys: [stranger.toBase58(), account], instructions: [] },
          },
        };
      },
    };
  });
  after(() => node.stop());

  it('is read to its end in steps of bounded work, each behind the one before', async () => {
    const amounts: bigint[] = [];
    const cursors = new Set<string | undefined>();
    let cursor: string | undefined;
    let most = 0;
    for (let step = 0; ; step++) {
      assert.ok(step < 200, 'it does not come to an end');
      const before = { ...node.calls };
      const page = await incoming.page(owner.toBase58(), cursor, 100).catch((error: { code: string }) => {
        assert.equal(error.code, 'ledger_unavailable');
        return { transfers: [], cursor, more: true };
      });
      const made = Object.entries(node.calls).map(([method, count]) => count - (before[method] ?? 0));
      most = Math.max(
        most,
        made.reduce((sum, count) => sum + count),
      );
      amounts.push(...page.transfers.map(({ amount }) => amount));
      // The way back is walked first; from then on every step goes ahead.
      if (page.cursor !== undefined) assert.ok(page.cursor === cursor || !cursors.has(page.cursor));
      cursors.add(page.cursor);
      cursor = page.cursor;
      if (!page.more) break;
    }
    assert.equal(amounts.length, COUNT / 2 + 1);
    assert.equal(amounts.at(-1), 1_000_000n);
    assert.equal(cursor, signatures.at(-1));
    assert.ok(most <= 450, `${most} calls in one step`);
    // Each transaction is read once, and each page listed at most twice.
    assert.equal(node.calls['getTransaction'], COUNT + 1);
    assert.ok(
      node.calls['getSignaturesForAddress']! <= 1.2 * (2 * (COUNT / PAGE) + 5),
      `${node.calls['getSignaturesForAddress']} pages`,
    );
  });

  it('costs one call a look once its end is reached', async () => {
    flaky = false;
    const newest = signatures.at(-1);
    const before = { ...node.calls };
    for (let looks = 0; looks < 5; looks++)
      assert.deepEqual(await incoming.page(owner.toBase58(), newest, 100), {
        transfers: [],
        cursor: newest,
        more: false,
        passedOver: [],
      });
    const { getSignaturesForAddress: lists } = before;
    assert.deepEqual(node.calls, { ...before, getSignaturesForAddress: lists! + 5 });
  });
});
