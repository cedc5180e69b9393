import assert from 'node:assert/strict';
import bs58 from 'bs58';
import { JsonRpc } from '../../adapters/ledger-solana/json-rpc.ts';
import { EVENT_MARK, EVENT_NAMES } from '../../adapters/ledger-solana/program/layout/events.ts';
import { Events } from '../../adapters/ledger-solana/settlement/events.ts';
import { recentPriorityFee } from '../../adapters/ledger-solana/settlement/priority-fee.ts';
import { TransactionReader } from '../../adapters/ledger-solana/transaction-reader.ts';
import { Witnesses } from '../../adapters/ledger-solana/witnesses.ts';
import { silentLog } from '../../core/platform/log.ts';
import { systemClock } from '../../core/platform/system-clock.ts';
import type { EventPage } from '../../core/protocol/settlement/events.ts';
import { RpcStandIn } from '../support/rpc-stand-in.ts';
import { ShiftedClock } from '../support/shifted-clock.ts';

const key = (byte: number) => bs58.encode(Buffer.alloc(32, byte));
const signature = (byte: number) => bs58.encode(Buffer.alloc(64, byte));
const [programId, config, payer] = [key(1), key(2), key(3)];

/** What no localnet answers: an RPC node that tells what it is told to, by method. */
describe('what a ledger can answer', () => {
  let node: RpcStandIn;
  let rpc: JsonRpc;
  let clock: ShiftedClock;
  before(async () => {
    node = await RpcStandIn.start();
    rpc = new JsonRpc(node.url, systemClock);
  });
  beforeEach(() => {
    clock = new ShiftedClock();
  });
  after(async () => {
    rpc.close();
    await node.stop();
  });

  /** An `agent_opened` of a config, as the program tells it by a call to itself. */
  const opened = (of = config) =>
    Buffer.concat([
      Buffer.of(EVENT_MARK, EVENT_NAMES.indexOf('agentOpened')),
      ...[of, key(4), key(5)].map((text) => Buffer.from(bs58.decode(text))),
    ]);
  const KEYS = [payer, programId, key(8), config];
  const [OURS, THEIRS] = [1, 2];
  const call = (program: number, data: Uint8Array, stackHeight: number | null = null) => ({
    programIdIndex: program,
    accounts: [0],
    data: bs58.encode(data),
    stackHeight,
  });
  const told = [{ index: 0, instructions: [call(OURS, opened(), 2)] }];
  const transaction = (slot: number, innerInstructions: object[] | null = told, changed: object = {}) => ({
    slot,
    blockTime: 1_700_000_000 + slot,
    meta: { err: null, logMessages: ['Log truncated'], innerInstructions },
    transaction: {
      signatures: [signature(slot)],
      message: { accountKeys: KEYS, instructions: [call(OURS, Buffer.of(10))] },
    },
    ...changed,
  });
  const listed = (...slots: number[]) =>
    slots.map((slot) => ({ signature: signature(slot), slot, err: null })).reverse();
  const events = () => {
    const witnesses = new Witnesses([rpc], clock);
    const reader = new TransactionReader({ witnesses, clock, log: silentLog });
    return new Events({ witnesses, reader, programId, config });
  };
  const history = (slots: number[], first: number) => ({
    getFirstAvailableBlock: () => first,
    getSlot: () => 100,
    getSignaturesForAddress: ([, { until }]: any) =>
      listed(...slots.slice(slots.findIndex((slot) => signature(slot) === until) + 1)),
  });
  const after6 = `6:${signature(6)}`;
  const shown = (entries: EventPage['entries']) =>
    entries.map((entry) => [entry.name, entry.slot, 'reason' in entry ? entry.reason : entry.signature]);

  it('events are in instructions, whatever became of the logs; instructions that were not kept are a gap', async () => {
    node.answers = { ...history([7], 0), getTransaction: () => transaction(7) };
    assert.deepEqual(shown((await events().page(config, after6, 10)).entries), [['agent_opened', 7, signature(7)]]);
    node.answers = { ...history([7], 0), getTransaction: () => transaction(7, null) };
    assert.deepEqual(shown((await events().page(config, after6, 10)).entries), [['gap', 7, 'truncated']]);
  });

  it('a transaction that is listed and missing is waited for, or a gap once it is forgotten', async () => {
    node.answers = { ...history([7], 0), getTransaction: () => null };
    await assert.rejects(events().page(config, after6, 10), { code: 'ledger_unavailable' });
    node.answers = {
      ...history([7, 20], 15),
      getTransaction: ([of]: any) => (of === signature(20) ? transaction(20) : null),
    };
    const { entries } = await events().page(config, after6, 10);
    assert.deepEqual(
      entries.map((entry) => [entry.name, entry.slot, entry.signature]),
      [
        ['gap', 7, null],
        ['gap', 7, signature(7)],
        ['agent_opened', 20, signature(20)],
      ],
    );
  });

  it('what others do that looks like ours is not ours', async () => {
    const lookalikes = [
      { index: 0, instructions: [call(THEIRS, opened(), 2), call(OURS, opened(key(9)), 2), call(OURS, opened(), 2)] },
    ];
    const [, , own] = lookalikes[0]!.instructions;
    own!.data = bs58.encode(opened().subarray(1));
    node.answers = { ...history([7], 0), getTransaction: () => transaction(7, lookalikes) };
    assert.deepEqual((await events().page(config, after6, 10)).entries, []);
  });

  it('an answer about another transaction than was asked for is not believed', async () => {
    for (const changed of [
      { slot: 8 },
      { transaction: { ...transaction(7).transaction, signatures: [signature(8)] } },
      { transaction: { ...transaction(7).transaction, signatures: [] } },
      { slot: '7' },
      { meta: null },
      { meta: { innerInstructions: told } },
      { meta: { err: null, innerInstructions: [{ index: 3, instructions: [] }] } },
      { meta: { err: null, innerInstructions: [{ index: 0, instructions: [call(OURS, opened(), 7)] }] } },
      { meta: { err: null, innerInstructions: [{ index: 0, instructions: [call(44, opened(), 2)] }] } },
      { transaction: { ...transaction(7).transaction, message: { accountKeys: KEYS } } },
    ]) {
      node.answers = { ...history([7], 0), getTransaction: () => transaction(7, told, changed) };
      await assert.rejects(
        events().page(config, after6, 10),
        { code: 'ledger_unavailable' },
        `taken for good: ${JSON.stringify(changed)}`,
      );
    }
  });

  it('one transaction that cannot be read stops no cursor for ever, as long as others can be', async () => {
    const broken = new Set([7]);
    node.answers = {
      ...history([7, 20], 0),
      getTransaction: ([of]: any) => {
        const slot = of === signature(7) ? 7 : 20;
        return broken.has(slot) ? { slot: 'nonsense' } : transaction(slot);
      },
    };
    const reader = events();
    const stopped = () => assert.rejects(reader.page(config, after6, 10), { code: 'ledger_unavailable' });
    for (let times = 0; times < 4; times++) await stopped();
    broken.add(20);
    clock.shift(61_000);
    // Nothing shows that it is this transaction and not the node.
    await stopped();
    broken.delete(20);
    assert.deepEqual(shown((await reader.page(config, after6, 10)).entries), [
      ['gap', 7, 'unreadable'],
      ['agent_opened', 20, signature(20)],
    ]);
  });

  it('a transaction of a version that the node does not give is a gap at once', async () => {
    node.answers = {
      ...history([7, 20], 0),
      getTransaction: ([of, { maxSupportedTransactionVersion }]: any) => {
        assert.equal(maxSupportedTransactionVersion, 1);
        if (of === signature(7))
          throw Object.assign(new Error('Transaction version (2) is not supported'), { code: -32015 });
        return transaction(20);
      },
    };
    assert.deepEqual(shown((await events().page(config, after6, 10)).entries), [
      ['gap', 7, 'unreadable'],
      ['agent_opened', 20, signature(20)],
    ]);
  });

  it('a transaction of version 1 is read like any other', async () => {
    const message = {
      accountKeys: [...KEYS, ...Array.from({ length: 61 }, (_, index) => key(100 + index))],
      instructions: [call(THEIRS, Buffer.alloc(3_000, 1))],
      header: { numRequiredSignatures: 1, numReadonlySignedAccounts: 0, numReadonlyUnsignedAccounts: 62 },
      recentBlockhash: key(7),
    };
    const inner = [{ index: 0, instructions: [call(OURS, Buffer.of(10), 2), call(OURS, opened(), 3)] }];
    const one = transaction(7, inner, { version: 1, transaction: { signatures: [signature(7)], message } });
    node.answers = { ...history([7], 0), getTransaction: () => one };
    assert.deepEqual(shown((await events().page(config, after6, 10)).entries), [['agent_opened', 7, signature(7)]]);
  });

  it('a list of transactions that is none is not believed', async () => {
    const [one] = listed(7);
    for (const list of [
      null,
      {},
      [{ ...one, signature: 'x' }],
      [{ ...one, slot: -1 }],
      [{ ...one, slot: '7' }],
      [one, one],
      [one, { ...one, signature: signature(20), slot: 20 }],
    ]) {
      node.answers = { ...history([7], 0), getSignaturesForAddress: () => list, getTransaction: () => transaction(7) };
      await assert.rejects(
        events().page(config, after6, 10),
        { code: 'ledger_unavailable' },
        `taken for good: ${JSON.stringify(list)}`,
      );
    }
  });

  it('a slot that the ledger has not reached moves no cursor', async () => {
    const clockAccount = Buffer.alloc(40);
    clockAccount.writeBigUInt64LE(100n, 0);
    node.answers = {
      ...history([], 0),
      getSlot: () => 9_000_000_000_000,
      getMultipleAccounts: () => ({
        context: { slot: 100 },
        value: [{ lamports: 1, owner: key(0), data: [clockAccount.toString('base64'), 'base64'] }],
      }),
    };
    await assert.rejects(events().page(config, after6, 10), { code: 'ledger_unavailable' });
  });

  it('a priority fee follows what others paid, up to the cap, and is left out where nobody tells', async () => {
    const paid = [0, 10, 20, 30, 40, 50, 60, 700];
    node.answers = {
      getRecentPrioritizationFees: () => paid.map((prioritizationFee, slot) => ({ slot, prioritizationFee })),
    };
    assert.equal(await recentPriorityFee(rpc, [payer], 1_000), 60);
    assert.equal(await recentPriorityFee(rpc, [payer], 25), 25);
    assert.equal(await recentPriorityFee(rpc, [payer], 0), 0);
    node.answers = { getRecentPrioritizationFees: () => [] };
    assert.equal(await recentPriorityFee(rpc, [payer], 1_000), 0);
    node.answers = {};
    assert.equal(await recentPriorityFee(rpc, [payer], 1_000), 0);
  });
});
