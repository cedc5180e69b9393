import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import bs58 from 'bs58';
import { JsonRpc } from '../../adapters/ledger-solana/json-rpc.ts';
import { Events } from '../../adapters/ledger-solana/settlement/events.ts';
import { recentPriorityFee } from '../../adapters/ledger-solana/settlement/priority-fee.ts';
import { systemClock } from '../../core/system-clock.ts';

const key = (byte: number) => bs58.encode(Buffer.alloc(32, byte));
const signature = (byte: number) => bs58.encode(Buffer.alloc(64, byte));
const [programId, config, payer] = [key(1), key(2), key(3)];

/** What no localnet answers: an RPC node that tells what it is told to, by method. */
describe('what a ledger can answer', () => {
  let server: Server;
  let rpc: JsonRpc;
  let answers: Record<string, (params: any) => unknown>;
  before(async () => {
    server = createServer((request, response) => {
      let text = '';
      request.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      request.on('end', () => {
        const { id, method, params } = JSON.parse(text);
        const answer = answers[method];
        const body = answer ? { result: answer(params) } : { error: { code: -32601, message: 'no such method' } };
        response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, ...body }));
      });
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    rpc = new JsonRpc(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, systemClock);
  });
  after(async () => {
    rpc.close();
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });

  /** An `agent_opened` of this config, as the program logs it. */
  const opened = Buffer.concat([
    Buffer.of(10),
    ...[config, key(4), key(5)].map((text) => Buffer.from(bs58.decode(text))),
  ]);
  const transaction = (slot: number, logs: string[] | null) => ({
    slot,
    blockTime: 1_700_000_000 + slot,
    meta: { err: null, logMessages: logs },
    transaction: { message: { accountKeys: [payer] } },
  });
  const logs = [`Program ${programId} invoke [1]`, `Program data: ${opened.toString('base64')}`];
  const listed = (...slots: number[]) =>
    slots.map((slot) => ({ signature: signature(slot), slot, err: null })).reverse();
  const events = () => new Events(rpc, { programId, config });
  const history = (slots: number[], first: number) => ({
    getFirstAvailableBlock: () => first,
    getSlot: () => 100,
    getSignaturesForAddress: ([, { until }]: any) =>
      listed(...slots.slice(slots.findIndex((slot) => signature(slot) === until) + 1)),
  });

  it('logs that were cut short are a gap behind what they still tell', async () => {
    answers = { ...history([7], 0), getTransaction: () => transaction(7, [...logs, 'Log truncated']) };
    const { entries } = await events().page(config, `6:${signature(6)}`, 10);
    assert.deepEqual(
      entries.map((entry) => [entry.name, entry.slot, entry.signature]),
      [
        ['agent_opened', 7, signature(7)],
        ['gap', 7, signature(7)],
      ],
    );
    answers = { ...history([7], 0), getTransaction: () => transaction(7, null) };
    const [gap, ...rest] = (await events().page(config, `6:${signature(6)}`, 10)).entries;
    assert.ok(gap?.name === 'gap' && gap.reason === 'truncated' && rest.length === 0);
  });

  it('a transaction that is listed and missing is waited for, or a gap once it is forgotten', async () => {
    answers = { ...history([7], 0), getTransaction: () => null };
    await assert.rejects(events().page(config, `6:${signature(6)}`, 10), { code: 'ledger_unavailable' });
    answers = {
      ...history([7, 20], 15),
      getTransaction: ([of]: any) => (of === signature(20) ? transaction(20, logs) : null),
    };
    const { entries } = await events().page(config, `6:${signature(6)}`, 10);
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
    const foreign = Buffer.from(opened);
    foreign.set(bs58.decode(key(9)), 1);
    const lines = [
      `Program ${key(8)} invoke [1]`,
      logs[1]!,
      `Program ${key(8)} success`,
      logs[0]!,
      `Program data: ${foreign.toString('base64')}`,
      'Program data: AAAA',
    ];
    answers = { ...history([7], 0), getTransaction: () => transaction(7, lines) };
    assert.deepEqual((await events().page(config, `6:${signature(6)}`, 10)).entries, []);
  });

  it('a priority fee follows what others paid, up to the cap, and is left out where nobody tells', async () => {
    const paid = [0, 10, 20, 30, 40, 50, 60, 700];
    answers = {
      getRecentPrioritizationFees: () => paid.map((prioritizationFee, slot) => ({ slot, prioritizationFee })),
    };
    assert.equal(await recentPriorityFee(rpc, [payer], 1_000), 60);
    assert.equal(await recentPriorityFee(rpc, [payer], 25), 25);
    assert.equal(await recentPriorityFee(rpc, [payer], 0), 0);
    answers = { getRecentPrioritizationFees: () => [] };
    assert.equal(await recentPriorityFee(rpc, [payer], 1_000), 0);
    answers = {};
    assert.equal(await recentPriorityFee(rpc, [payer], 1_000), 0);
  });
});
