import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { connect as connectTcp } from 'node:net';
import { networkInterfaces } from 'node:os';
import { Keypair, SystemProgram, TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import fc from 'fast-check';
import { WebSocket } from 'ws';
import { startLocalnet } from '../../adapters/localnet/localnet.ts';
import { silentLog } from '../../core/platform/log.ts';
import { freePort } from '../support/mesh-process.ts';
import { rpc, startCluster, type TestCluster } from './cluster.ts';

describe('the localnet refuses', () => {
  let cluster: TestCluster;
  let payer: Keypair;
  before(async () => {
    cluster = await startCluster();
    payer = await cluster.funded();
  });
  after(() => cluster.stop());

  async function transferBytes(version: 'legacy' | 0): Promise<Buffer> {
    const { blockhash } = await cluster.connection.getLatestBlockhash();
    const toPubkey = Keypair.generate().publicKey;
    const instructions = [SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey, lamports: 1_000_000 })];
    const message = new TransactionMessage({ payerKey: payer.publicKey, recentBlockhash: blockhash, instructions });
    const compiled = version === 0 ? message.compileToV0Message() : message.compileToLegacyMessage();
    const transaction = new VersionedTransaction(compiled);
    transaction.sign([payer]);
    return Buffer.from(transaction.serialize());
  }

  it('malformed transactions, and lives on', async () => {
    const originals = [await transferBytes('legacy'), await transferBytes(0)];
    const edit = fc.record({
      at: fc.nat(400),
      value: fc.nat(255),
      kind: fc.constantFrom('set', 'insert', 'remove', 'cut'),
    });
    const mutant = fc.record({
      of: fc.constantFrom(...originals),
      edits: fc.array(edit, { minLength: 1, maxLength: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(mutant, async ({ of, edits }) => {
        let bytes = [...of];
        for (const { at, value, kind } of edits) {
          const index = at % (bytes.length + 1);
          if (kind === 'set') bytes[index] = value;
          else if (kind === 'insert') bytes.splice(index, 0, value);
          else if (kind === 'remove') bytes.splice(index, 1);
          else bytes = bytes.slice(0, index);
        }
        if (Buffer.from(bytes).equals(of)) return;
        const encoded = Buffer.from(bytes).toString('base64');
        for (const options of [{ skipPreflight: true }, {}]) {
          const { error, result } = await rpc(cluster.net.url, 'sendTransaction', [
            encoded,
            { encoding: 'base64', ...options },
          ]);
          if (error) assert.ok([-32602, -32002, -32003].includes(error.code), JSON.stringify(error));
          else assert.equal((await rpc(cluster.net.url, 'getTransaction', [result])).result, null);
        }
      }),
      { numRuns: 300 },
    );
    const signature = await cluster.connection.sendRawTransaction(originals[0]!);
    assert.equal((await cluster.connection.getSignatureStatus(signature)).value?.err, null);
  });

  it('transactions larger than a packet', async () => {
    const encoded = Buffer.alloc(1233, 1).toString('base64');
    const { error } = await rpc(cluster.net.url, 'sendTransaction', [encoded, { encoding: 'base64' }]);
    assert.equal(error.code, -32602);
    assert.match(error.message, /too large: 1233 bytes/);
  });

  it('unknown methods, and those of the administrator when it has none', async () => {
    assert.equal((await rpc(cluster.net.url, 'getNothing')).error.code, -32601);
    assert.equal((await rpc(cluster.net.url, 'constructor')).error.code, -32601);
    assert.equal((await rpc(cluster.net.url, 'accountSubscribe', [])).error.code, -32601);
    const closed = await startLocalnet({ log: silentLog });
    try {
      for (const method of ['localnet_warp', 'localnet_setAccount', 'localnet_setRent', 'localnet_setFaults']) {
        assert.equal((await rpc(closed.url, method, [{}])).error.code, -32601);
      }
    } finally {
      await closed.stop();
    }
  });

  it('bad params', async () => {
    const key = Keypair.generate().publicKey.toBase58();
    const cases: [method: string, params: unknown][] = [
      ['getBalance', []],
      ['getBalance', ['not a key']],
      ['getBalance', ['2'.repeat(40_000)]],
      ['getBalance', [[key]]],
      ['getBalance', { key }],
      ['getAccountInfo', [key, { encoding: 'base64+zstd' }]],
      ['getAccountInfo', [key, 'base64']],
      ['getAccountInfo', [key, { dataSlice: { offset: -1, length: 1 } }]],
      ['getMultipleAccounts', [Array(101).fill(key)]],
      ['getProgramAccounts', [key, { filters: Array(5).fill({ dataSize: 1 }) }]],
      ['getProgramAccounts', [key, { filters: [{ memcmp: { offset: 0, bytes: '0OIl' } }] }]],
      ['getSignatureStatuses', [Array(257).fill('5'.repeat(87))]],
      ['getSignatureStatuses', [['5']]],
      ['getSignaturesForAddress', [key, { limit: 1001 }]],
      ['getTransaction', ['x']],
      ['getTokenAccountsByOwner', [key, {}]],
      ['getMinimumBalanceForRentExemption', [-1]],
      ['getFeeForMessage', ['AAAA']],
      ['sendTransaction', ['AAAA', { encoding: 'base64' }]],
      ['sendTransaction', [7, { encoding: 'base64' }]],
      ['sendTransaction', ['====', { encoding: 'base64' }]],
      ['simulateTransaction', ['AAAA', { encoding: 'hex' }]],
      ['requestAirdrop', [key, 1.5]],
      ['requestAirdrop', [key, 1_000_000_000_001]],
      ['localnet_airdropUsdc', [key, 0]],
      ['localnet_warp', [{ slots: -1 }]],
      ['localnet_setAccount', [key, { lamports: 1, data: '!', owner: key }]],
    ];
    for (const [method, params] of cases) {
      const { error } = await rpc(cluster.net.url, method, params);
      assert.equal(error?.code, -32602, `${method} ${JSON.stringify(params).slice(0, 80)}`);
    }
  });

  async function post(body: string, headers: Record<string, string> = { 'content-type': 'application/json' }) {
    return fetch(cluster.net.url, { method: 'POST', headers, body });
  }

  it('what is no JSON-RPC', async () => {
    const cases: [body: string, code: number][] = [
      ['{', -32700],
      ['[]', -32600],
      ['7', -32600],
      ['{"id":1}', -32600],
      [JSON.stringify(Array(101).fill({ jsonrpc: '2.0', id: 1, method: 'getSlot' })), -32600],
    ];
    for (const [body, code] of cases) assert.equal(((await (await post(body)).json()) as any).error.code, code);
    const batch = await post(JSON.stringify(Array(100).fill({ jsonrpc: '2.0', id: 1, method: 'getSlot' })));
    assert.equal(((await batch.json()) as unknown[]).length, 100);
    assert.equal((await post('{"jsonrpc":"2.0","method":"getSlot"}')).status, 204);
  });

  it('oversized bodies, other methods and the pages of a browser', async () => {
    assert.equal((await post(' '.repeat(1024 * 1024 + 1))).status, 413);
    assert.equal((await post('{}', { 'content-type': 'text/plain' })).status, 415);
    assert.equal((await fetch(cluster.net.url, { method: 'PUT' })).status, 405);
    const json = { 'content-type': 'application/json' };
    assert.equal((await post('{}', { ...json, origin: 'https://page.example' })).status, 403);
    const rebound = await new Promise<string>((resolve) => {
      const socket = connectTcp(cluster.net.port, '127.0.0.1');
      socket.on('data', (data) => resolve(String(data)));
      socket.end('GET / HTTP/1.1\r\nHost: page.example\r\n\r\n');
    });
    assert.match(rebound, /^HTTP\/1\.1 403/);
    const page = new WebSocket(cluster.net.wsUrl, { origin: 'https://page.example' });
    const status = await new Promise((resolve) => page.on('error', (error) => resolve(error.message)));
    assert.match(String(status), /403/);
  });

  it('too many subscriptions, and messages that are too large', async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${cluster.net.port}`);
    await new Promise((open) => socket.on('open', open));
    const answers: any[] = [];
    const enough = new Promise<void>((resolve) => {
      socket.on('message', (data) => {
        const message = JSON.parse(String(data));
        if (message.id !== undefined && answers.push(message) === 257) resolve();
      });
    });
    for (let id = 0; id < 257; id++) {
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'logsSubscribe', params: ['all'] }));
    }
    await enough;
    assert.deepEqual([answers[255].error, answers[256].error.code], [undefined, -32600]);
    const closed = new Promise((resolve) => socket.on('close', resolve));
    socket.send('x'.repeat(256 * 1024 + 1));
    assert.equal(await closed, 1009);
  });

  it('a host that others can reach', async () => {
    for (const host of ['0.0.0.0', '::', '192.168.1.1', 'example.com']) {
      await assert.rejects(startLocalnet({ log: silentLog, host }), /this machine only/);
    }
    const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
    for (const { address } of addresses.filter(({ internal, family }) => !internal && family === 'IPv4')) {
      const socket = connectTcp(cluster.net.port, address);
      const outcome = await new Promise((resolve) =>
        socket.on('error', () => resolve('refused')).on('connect', () => resolve('open')),
      );
      socket.destroy();
      assert.equal(outcome, 'refused');
    }
  });

  it('a port whose neighbour is taken', async () => {
    const port = (await freePort(2)) + 1;
    const neighbour = createServer();
    await new Promise<void>((listening) => neighbour.listen(port, '127.0.0.1', listening));
    try {
      await assert.rejects(startLocalnet({ log: silentLog, port: port - 1 }), new RegExp(`Port ${port} .* is in use`));
      await assert.rejects(startLocalnet({ log: silentLog, port }), new RegExp(`Port ${port} .* is in use`));
      await assert.rejects(startLocalnet({ log: silentLog, port: 65_535 }), /no port 65536/);
    } finally {
      await new Promise((closed) => neighbour.close(closed));
    }
  });
});
