import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openSolanaLedger } from '../../adapters/ledger-solana/ledger.ts';
import type { Ledger } from '../../core/ledger/ledger.ts';
import { silentLog } from '../../core/platform/log.ts';
import { systemClock } from '../../core/platform/system-clock.ts';
import { type SolanaBench, solanaBench } from './bench.ts';

type Fault = (method: string, response: ServerResponse, id: number) => boolean;
const UNAVAILABLE = { name: 'MeshError', code: 'ledger_unavailable' };

/** Passes calls on to the localnet, unless the fault answers (or drops) them itself. */
async function faultyNode(target: string): Promise<{ url: string; fault: Fault; close(): void }> {
  const node = { url: '', fault: (() => false) as Fault, close: () => {} };
  const server: Server = createServer(async (request: IncomingMessage, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const { method, id } = JSON.parse(body);
    if (node.fault(method, response, id)) return;
    const answer = await fetch(target, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    const text = await answer.text();
    if (!response.destroyed) response.setHeader('content-type', 'application/json').end(text);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  node.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  node.close = () => {
    server.close();
    server.closeAllConnections();
  };
  return node;
}

describe('the Solana ledger over a bad connection', () => {
  let bench: SolanaBench;
  let node: Awaited<ReturnType<typeof faultyNode>>;
  let ledger: Ledger;
  before(async () => {
    bench = await solanaBench();
    node = await faultyNode(bench.net.url);
    ledger = await openSolanaLedger({ url: node.url, log: silentLog, clock: systemClock });
  });
  afterEach(() => {
    node.fault = () => false;
  });
  after(async () => {
    await ledger.close();
    node.close();
    await bench.close();
  });

  it('tries a call again that got no proper answer', async () => {
    const { address } = await bench.wallet(1_000_000n, 7n);
    const faults: Fault[] = [
      (_, response) => response.destroy() && true,
      (_, response) => response.writeHead(429, { 'retry-after': '0' }).end() && true,
      (_, response, id) =>
        response.end(`{"jsonrpc":"2.0","id":${id},"error":{"code":-32005,"message":"behind"}}`) && true,
    ];
    for (const fault of faults) {
      let left = 2;
      node.fault = (method, response, id) =>
        method === 'getMultipleAccounts' && left-- > 0 && fault(method, response, id);
      assert.equal(await ledger.usdc(address), 7n);
      assert.ok(left < 0);
    }
  });

  it('gives up after a few tries, and says why without the address of the node', async () => {
    let tries = 0;
    node.fault = (method, response) => {
      if (method !== 'getMultipleAccounts') return false;
      tries += 1;
      response.writeHead(500).end();
      return true;
    };
    const { address } = await bench.wallet(0n, 0n);
    await assert.rejects(ledger.usdc(address), (error: Error) => {
      assert.deepEqual({ ...error, name: error.name }, { ...error, ...UNAVAILABLE });
      assert.ok(!error.message.includes(node.url));
      return error.message.includes('HTTP status 500');
    });
    assert.equal(tries, 4);
  });

  it('a refusal and nonsense are not tried again', async () => {
    const { address } = await bench.wallet(0n, 0n);
    const answers = [
      '"error":{"code":-32601,"message":"no such method"}',
      '"result":{"value":7}',
      '"result":{"value":[{"lamports":1.5,"owner":"x","data":[]}]}',
    ];
    for (const answer of answers) {
      let tries = 0;
      node.fault = (method, response, id) => {
        if (method !== 'getMultipleAccounts') return false;
        tries += 1;
        response.end(`{"jsonrpc":"2.0","id":${id},${answer}}`);
        return true;
      };
      await assert.rejects(ledger.usdc(address), UNAVAILABLE);
      assert.equal(tries, 1, answer);
    }
  });

  it('a transfer whose answers are lost lands once', async () => {
    const from = await bench.wallet(1_000_000_000n, 10n);
    const to = await bench.wallet(0n, 0n);
    const prepared = await ledger.prepareUsdcTransfer({ to: to.address, amount: 4n, memo: '' }, from);
    let sends = 0;
    node.fault = (method, response) => {
      if (method !== 'sendTransaction') return false;
      sends += 1;
      // The first is lost before the cluster has it, the second after: its answer never comes.
      if (sends <= 2) response.destroy();
      return sends === 1;
    };
    assert.equal((await ledger.submit(prepared)).status, 'confirmed');
    assert.equal(await bench.ledger.usdc(to.address), 4n);
    assert.equal(sends, 2);
  });

  it('a refusal by preflight is not believed once the transaction may be on its way', async () => {
    const from = await bench.wallet(1_000_000_000n, 10n);
    const to = await bench.wallet(0n, 0n);
    const prepared = await bench.ledger.prepareUsdcTransfer({ to: to.address, amount: 4n, memo: '' }, from);
    let refusals = 2;
    node.fault = (method, response, id) => {
      if (method !== 'sendTransaction' || refusals-- <= 0) return false;
      const error = '{"code":-32002,"message":"x","data":{"err":"AccountNotFound"}}';
      response.end(`{"jsonrpc":"2.0","id":${id},"error":${error}}`);
      return true;
    };
    // Prepared by another process: this one cannot know that it was never sent.
    assert.equal((await ledger.submit(prepared)).status, 'confirmed');
    assert.equal(await bench.ledger.usdc(to.address), 4n);
  });

  it('opens only on a cluster that answers and has its USDC', async () => {
    const options = { log: silentLog, clock: systemClock };
    await assert.rejects(openSolanaLedger({ ...options, url: 'http://127.0.0.1:1' }), UNAVAILABLE);
    const usdcMint = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
    await assert.rejects(openSolanaLedger({ ...options, url: node.url, usdcMint }), /no token mint with 6 decimals/);
    node.fault = (method, response, id) => {
      if (method !== 'getGenesisHash') return false;
      response.end(`{"jsonrpc":"2.0","id":${id},"result":"${'1'.repeat(32)}"}`);
      return true;
    };
    await assert.rejects(openSolanaLedger({ ...options, url: node.url }), /configure the mint/);
  });
});
