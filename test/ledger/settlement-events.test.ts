import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { PublicKey, SystemProgram, Transaction, type TransactionInstruction } from '@solana/web3.js';
import { JsonRpc } from '../../adapters/ledger-solana/json-rpc.ts';
import { lockEscrow } from '../../adapters/ledger-solana/program/index.ts';
import { Events } from '../../adapters/ledger-solana/settlement/events.ts';
import { web3Instruction } from '../../adapters/ledger-solana/signed-transaction.ts';
import { TransactionReader } from '../../adapters/ledger-solana/transaction-reader.ts';
import { Witnesses } from '../../adapters/ledger-solana/witnesses.ts';
import type { Signer } from '../../core/ledger/ledger.ts';
import { silentLog } from '../../core/platform/log.ts';
import { systemClock } from '../../core/platform/system-clock.ts';
import type { EventPage } from '../../core/protocol/settlement/events.ts';
import { rpc } from '../localnet/cluster.ts';
import { type SettlementBench, settlementBench, USDC } from './settlement-bench.ts';

describe('the events of the settlement program', function () {
  this.timeout(60_000);
  let bench: SettlementBench;
  let requester: Signer;
  let provider: Signer;
  before(async () => {
    bench = await settlementBench();
    [requester, provider] = [await bench.wallet(1_000n * USDC), await bench.wallet(0n)];
  });
  after(() => bench.close());

  async function all(source: { events(after: string | undefined, limit: number): Promise<EventPage> }, limit: number) {
    const entries: EventPage['entries'][number][] = [];
    let cursor: string | undefined;
    for (;;) {
      const page = await source.events(cursor, limit);
      if (page.entries.length === 0) return { entries, cursor: page.cursor };
      entries.push(...page.entries);
      cursor = page.cursor;
    }
  }

  /** A transaction of a stranger that names an account, the config unless told, and does nothing else with it. */
  async function mention(
    signer: Signer,
    { of = bench.net.settlement.config, with: first = [] }: { of?: string; with?: TransactionInstruction[] } = {},
  ): Promise<void> {
    const { blockhash } = (await rpc(bench.net.url, 'getLatestBlockhash')).result.value;
    const from = new PublicKey(signer.address);
    const transfer = SystemProgram.transfer({ fromPubkey: from, toPubkey: from, lamports: randomInt(1_000_000) });
    transfer.keys.push({ pubkey: new PublicKey(of), isSigner: false, isWritable: false });
    const transaction = new Transaction({ feePayer: from, recentBlockhash: blockhash }).add(...first, transfer);
    transaction.addSignature(from, Buffer.from(signer.sign(transaction.serializeMessage())));
    const bytes = transaction.serialize().toString('base64');
    const sent = await rpc(bench.net.url, 'sendTransaction', [bytes, { encoding: 'base64' }]);
    assert.ok(sent.result, JSON.stringify(sent));
  }

  it('tell everything once, oldest first, on pages of any size', async () => {
    const names = [];
    for (let deal = 0; deal < 3; deal++) {
      const name = await bench.lock(requester, provider);
      await mention(provider);
      await bench.take({ type: 'deliver', ...name, delivery: 'cd'.repeat(32) }, provider);
      await bench.take({ type: 'approve', ...name }, requester);
      names.push(name.conversation);
    }
    const { entries } = await all(bench.settlement, 1_000);
    assert.deepEqual(
      entries.map((entry) => [entry.name, 'conversation' in entry && entry.conversation]),
      names.flatMap((name) => ['escrow_locked', 'escrow_delivered', 'escrow_approved'].map((event) => [event, name])),
    );
    const [locked] = entries;
    assert.ok(locked?.name === 'escrow_locked');
    const { signature, ordinal, slot, time, feePayer, deadline, conversation, ...facts } = locked;
    assert.match(signature, /^[1-9A-HJ-NP-Za-km-z]{80,90}$/);
    assert.deepEqual([ordinal, feePayer], [0, requester.address]);
    assert.ok(Math.abs(time - Date.now() / 1000) < 60 && slot > 0 && deadline > time);
    assert.deepEqual(facts, {
      name: 'escrow_locked',
      requester: requester.address,
      provider: provider.address,
      amount: 5n * USDC,
      notary: null,
      terms: 'ab'.repeat(32),
      reviewSecs: 7200,
      bond: 2n * USDC,
      disputeBps: 0,
    });
    for (const limit of [1, 2, 5]) assert.deepEqual((await all(bench.settlement, limit)).entries, entries);
    // However the history is cut into pages on the way back.
    const witnesses = new Witnesses([new JsonRpc(bench.net.url, systemClock)], systemClock);
    const reader = new TransactionReader({ witnesses, clock: systemClock, log: silentLog });
    const { program: programId, config } = bench.net.settlement;
    const total = 3 * 4 + 1;
    for (const pageSize of [1, 3, total - 1, total, total + 1]) {
      const events = new Events({ witnesses, reader, programId, config, pageSize });
      const source = { events: (after: string | undefined, limit: number) => events.page(config, after, limit) };
      assert.deepEqual((await all(source, 5)).entries, entries, `pages of ${pageSize}`);
    }
    witnesses.close();
  });

  it('a reader with a cursor gets what is new, and several readers do not disturb each other', async () => {
    const { cursor } = await all(bench.settlement, 100);
    assert.deepEqual(await bench.settlement.events(cursor, 10), { entries: [], cursor });
    await mention(provider);
    const spam = await bench.settlement.events(cursor, 10);
    assert.deepEqual(spam.entries, []);
    assert.notEqual(spam.cursor, cursor);
    const { conversation } = await bench.lock(requester, provider);
    const [one, other, beginner] = await Promise.all([
      bench.settlement.events(cursor, 10),
      bench.settlement.events(spam.cursor, 10),
      bench.settlement.events(undefined, 1),
    ]);
    assert.deepEqual(one, other);
    assert.deepEqual(
      one.entries.map((entry) => 'conversation' in entry && entry.conversation),
      [conversation],
    );
    assert.equal(beginner.entries.length, 1);
  });

  it('of one escrow are its own only, also where a transaction does more', async () => {
    const mine = await bench.lock(requester, provider);
    const stranger = await bench.wallet();
    const { unixSeconds } = await bench.settlement.time();
    const theirs = { requester: stranger.address, provider: provider.address, conversation: mine.conversation };
    const place = {
      programId: bench.net.settlement.program,
      config: bench.net.settlement.config,
      mint: bench.ledger.cluster.usdcMint,
      treasury: bench.settlement.deployment.treasury,
    };
    const lock = lockEscrow(place, {
      ...theirs,
      conversation: Buffer.from(mine.conversation, 'hex'),
      amount: 1n,
      bond: 0n,
      deadline: BigInt(unixSeconds + 3600),
      reviewSecs: 7200n,
      terms: Buffer.alloc(32, 1),
      disputeBps: 0,
    });
    const { address } = bench.settlement.escrowAddress(mine);
    await mention(stranger, { of: address, with: [web3Instruction(lock)] });
    await bench.take({ type: 'approve', ...theirs }, stranger);
    await bench.take({ type: 'refund', ...mine }, provider);
    const page = await bench.settlement.escrowEvents(mine, undefined, 100);
    assert.deepEqual(
      page.entries.map((entry) => [entry.name, 'requester' in entry && entry.requester]),
      ['escrow_locked', 'escrow_refunded'].map((name) => [name, requester.address]),
    );
    assert.deepEqual((await bench.settlement.escrowEvents(mine, page.cursor, 100)).entries, []);
    const never = { ...mine, conversation: 'ee'.repeat(16) };
    assert.deepEqual((await bench.settlement.escrowEvents(never, undefined, 100)).entries, []);
  });

  it('nonsense is refused', async () => {
    for (const cursor of ['', 'x', '12', `12:${'1'.repeat(20)}`])
      await assert.rejects(bench.settlement.events(cursor, 10), { code: 'invalid_request' });
    for (const limit of [0, 1_001, 1.5])
      await assert.rejects(bench.settlement.events(undefined, limit), { code: 'invalid_request' });
  });

  it('a quiet ledger moves the cursor on now and then, so that it does not grow old', async () => {
    const { cursor } = await all(bench.settlement, 100);
    bench.net.warp({ slots: 10_000 });
    const quiet = await bench.settlement.events(cursor, 10);
    assert.deepEqual(quiet.entries, []);
    assert.notEqual(quiet.cursor, cursor);
    assert.deepEqual((await bench.settlement.events(quiet.cursor, 10)).entries, []);
  });
});

describe('the events of a ledger that forgets', function () {
  this.timeout(60_000);
  const LIMIT = 20;
  let bench: SettlementBench;
  before(async () => {
    bench = await settlementBench({}, { historyLimit: LIMIT });
  });
  after(() => bench.close());

  it('begin with a gap, and have one where the reader fell behind', async () => {
    const { settlement, net } = bench;
    const [requester, provider] = [await bench.wallet(), await bench.wallet(0n)];
    await bench.lock(requester, provider);
    const page = await settlement.events(undefined, 10);
    assert.deepEqual(
      page.entries.map(({ name }) => name),
      ['escrow_locked'],
    );
    await bench.lock(requester, provider);
    for (let rounds = 0; rounds < 2; rounds++) {
      // Nothing is forgotten while its blockhash is valid.
      net.warp({ slots: 200, blocks: 200 });
      for (let many = 0; many <= LIMIT; many++) await net.faucet.sol(provider.address, 1_000_000n);
    }
    const empty = await settlement.events(undefined, 10);
    assert.deepEqual(
      empty.entries.map(({ name }) => name),
      ['gap'],
    );
    const late = await bench.lock(requester, provider);
    for (const cursor of [page.cursor, undefined]) {
      const behind = await settlement.events(cursor, 10);
      const [gap, event] = behind.entries;
      assert.ok(gap?.name === 'gap' && event?.name === 'escrow_locked');
      assert.deepEqual([gap.reason, gap.signature, event.conversation], ['pruned', null, late.conversation]);
      assert.deepEqual((await settlement.events(behind.cursor, 10)).entries, []);
    }
    const after = await settlement.events(empty.cursor, 10);
    assert.deepEqual(
      after.entries.map(({ name }) => name),
      ['escrow_locked'],
    );
  });
});
