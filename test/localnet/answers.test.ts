import assert from 'node:assert/strict';
import { Keypair, PublicKey, SystemProgram, Transaction } from '@solana/web3.js';
import { type Localnet, startLocalnet } from '../../adapters/localnet/localnet.ts';
import { silentLog } from '../../core/platform/log.ts';
import type { RpcFaultRule } from '../../schemas/types.ts';
import { rpc } from './cluster.ts';

describe('answers of the localnet’s RPC that go wrong', () => {
  let net: Localnet;
  let payer: Keypair;
  before(async () => {
    net = await startLocalnet({ log: silentLog, admin: true, slotMs: 0, faults: { seed: 3, views: [{}, {}] } });
    payer = Keypair.generate();
    await net.faucet.sol(payer.publicKey.toBase58(), 50_000_000_000n);
  });
  after(() => net.stop());
  afterEach(() => net.play({ views: [{}, {}] }));

  const balance = () => ['getBalance', [payer.publicKey.toBase58()]] as const;
  const rule = (...rules: RpcFaultRule[]) => net.faults.set({ rules });

  /** What arrives, as it is. */
  async function post(method: string, params: unknown = [], url = net.url) {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  async function gift(): Promise<{ raw: string; to: string }> {
    const { blockhash } = (await rpc(net.views[1]!.url, 'getLatestBlockhash')).result.value;
    const toPubkey = Keypair.generate().publicKey;
    const transaction = new Transaction({ feePayer: payer.publicKey, recentBlockhash: blockhash });
    transaction.add(SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey, lamports: 1_000_000 })).sign(payer);
    return { raw: transaction.serialize().toString('base64'), to: toPubkey.toBase58() };
  }

  const send = (raw: string) => rpc(net.url, 'sendTransaction', [raw, { encoding: 'base64' }]);
  const held = async (address: string) => (await rpc(net.views[1]!.url, 'getBalance', [address])).result.value;

  it('say that preflight failed, though the transaction is sent', async () => {
    rule({ method: 'sendTransaction', fault: 'preflight', times: 1 });
    const { raw, to } = await gift();
    const { error } = await send(raw);
    assert.deepEqual([error.code, error.data.err], [-32002, 'BlockhashNotFound']);
    assert.equal(await held(to), 1_000_000);
    assert.equal((await send(raw)).error.data.err, 'AlreadyProcessed');
    assert.deepEqual(net.faults.counts['sendTransaction preflight'], 1);
  });

  it('are lost on the way back, or the call is lost on the way there', async () => {
    for (const [lost, arrived] of [
      ['answer', 1_000_000],
      ['request', 0],
    ] as const) {
      for (const fault of ['status', 'reset', 'timeout'] as const) {
        rule({ method: 'sendTransaction', fault, lost, ms: 20 });
        const { raw, to } = await gift();
        if (fault === 'status')
          assert.equal((await post('sendTransaction', [raw, { encoding: 'base64' }])).status, 503);
        else await assert.rejects(send(raw), { name: 'TypeError', message: 'fetch failed' });
        assert.equal(await held(to), arrived, `${fault} ${lost}`);
      }
    }
  });

  it('show a transaction as confirmed that the cluster then drops', async () => {
    rule({ method: 'sendTransaction', fault: 'rolled-back', slots: 5, times: 1 });
    const { raw, to } = await gift();
    const { result: signature } = await send(raw);
    const status = async () => (await rpc(net.url, 'getSignatureStatuses', [[signature]])).result.value[0];
    assert.equal((await status()).confirmationStatus, 'confirmed');
    assert.equal(await held(to), 0);
    net.warp({ slots: 5, blocks: 5 });
    assert.equal(await status(), null);
    assert.equal((await send(raw)).result, signature);
    assert.deepEqual([(await status()).confirmationStatus, await held(to)], ['finalized', 1_000_000]);
  });

  it('are HTTP statuses, with the time to wait', async () => {
    rule({ method: '*', fault: 'status', status: 429, retryAfter: 3, times: 1 }, { method: '*', fault: 'status' });
    const [first, second] = [await post('getSlot'), await post('getSlot')];
    assert.deepEqual([first.status, first.headers.get('retry-after')], [429, '3']);
    assert.deepEqual([second.status, second.headers.get('retry-after')], [503, null]);
    const { raw, to } = await gift();
    rule({ method: '*', fault: 'status', status: 429 });
    assert.equal((await post('sendTransaction', [raw, { encoding: 'base64' }])).status, 429);
    assert.equal(await held(to), 0);
  });

  it('have another shape', async () => {
    const [method, params] = balance();
    const lamports = JSON.parse((await post(method, params)).text).result.value;
    const context = { slot: net.faults && (await rpc(net.url, 'getSlot')).result, apiVersion: '2.2.0' };
    const cases: [fault: RpcFaultRule['fault'], answer: unknown][] = [
      ['null', { jsonrpc: '2.0', id: 7, result: null }],
      ['type', { jsonrpc: '2.0', id: 7, result: { context, value: [lamports] } }],
      ['no-context', { jsonrpc: '2.0', id: 7, result: { value: lamports } }],
      ['wrong-id', { jsonrpc: '2.0', id: 8, result: { context, value: lamports } }],
      [
        'number-as-text',
        { jsonrpc: '2.0', id: 7, result: { context: { ...context, slot: `${context.slot}` }, value: `${lamports}` } },
      ],
      ['error', { jsonrpc: '2.0', id: 7, error: { code: -32005, message: 'Node is behind' } }],
    ];
    for (const [fault, answer] of cases) {
      rule({ method, fault });
      assert.deepEqual(JSON.parse((await post(method, params)).text), answer, fault);
    }
    rule({ method, fault: 'duplicate' });
    const { text } = await post(method, params);
    assert.equal(text.match(/"result"/g)?.length, 2);
    assert.equal(JSON.parse(text).result, null);
    rule({ method, fault: 'html' });
    const page = await post(method, params);
    assert.deepEqual([page.headers.get('content-type'), /^<!DOCTYPE html>/.test(page.text)], ['text/html', true]);
    rule({ method, fault: 'empty' });
    assert.equal((await post(method, params)).text, '');
    rule({ method, fault: 'cut' });
    await assert.rejects(post(method, params));
    rule({ method, fault: 'huge', bytes: 5_000_000 });
    assert.ok((await post(method, params)).text.length > 5_000_000);
  });

  it('are those to another question', async () => {
    const [method, params] = balance();
    await post(method, params);
    const stranger = [new PublicKey(Buffer.alloc(32, 3)).toBase58()];
    rule({ method, fault: 'previous' });
    assert.ok(JSON.parse((await post(method, stranger)).text).result.value > 0);
    net.faults.clear();
    assert.equal(JSON.parse((await post(method, stranger)).text).result.value, 0);
  });

  it('wait', async () => {
    rule({ method: 'getSlot', fault: 'delay', ms: 150 });
    const begun = performance.now();
    assert.ok(JSON.parse((await post('getSlot')).text).result > 0);
    assert.ok(performance.now() - begun >= 145);
  });

  it('go wrong by a chance that repeats with its seed, after some and so often', async () => {
    const [method, params] = balance();
    const played = async (seed: number, more: Partial<RpcFaultRule>) => {
      net.play({ seed, views: [{ rules: [{ method, fault: 'null', ...more }] }] });
      const outcomes: boolean[] = [];
      for (let call = 0; call < 60; call++) {
        if (call % 7 === 0) await post('getSlot'); // other calls change nothing
        outcomes.push(JSON.parse((await post(method, params)).text).result === null);
      }
      return outcomes;
    };
    const first = await played(11, { chance: 0.3 });
    const hits = first.filter(Boolean).length;
    assert.ok(hits > 8 && hits < 30, `${hits} of 60`);
    assert.deepEqual(await played(11, { chance: 0.3 }), first);
    assert.notDeepEqual(await played(12, { chance: 0.3 }), first);
    const some = await played(1, { skip: 5, times: 3 });
    assert.deepEqual(
      some.flatMap((hit, index) => (hit ? [index] : [])),
      [5, 6, 7],
    );
  });

  it('differ between two nodes over one chain', async () => {
    const other = net.views[1]!;
    assert.notEqual(other.port, net.port);
    net.warp({ slots: 20, blocks: 20 });
    net.play({ views: [{ lag: 9 }, { rules: [{ method: 'getBalance', fault: 'null' }] }] });
    const newest = (await rpc(other.url, 'getSlot')).result;
    assert.equal((await rpc(net.url, 'getSlot')).result, newest - 9);
    assert.equal(JSON.parse((await post(...balance(), other.url)).text).result, null);
    assert.ok(JSON.parse((await post(...balance())).text).result.value > 0);
    assert.equal((await rpc(other.url, 'getGenesisHash')).result, net.genesisHash);
  });

  it('are switched over RPC by whoever administers the localnet', async () => {
    const views = [{ lag: 2 }, {}];
    assert.equal((await rpc(net.url, 'localnet_setFaults', [{ views }])).result, true);
    assert.equal(net.faults.plan.lag, 2);
    const { error } = await rpc(net.url, 'localnet_setFaults', [{ views: [{ lag: 'x' }] }]);
    assert.equal(error.code, -32602);
    assert.match(error.message, /\/views\/0\/lag/);
    net.faults.change({ rules: [{ method: 'getHealth', fault: 'null' }] });
    await post('getHealth');
    const counts = (await rpc(net.views[1]!.url, 'localnet_faultCounts')).result;
    assert.equal(counts[0]['getHealth null'], 1);
  });

  it('are refused with every field that is wrong', async () => {
    const cases: [faults: unknown, reason: RegExp][] = [
      [{}, /views/],
      [{ views: [] }, /\/views/],
      [{ views: [{ logBytes: 20_000 }] }, /\/views\/0\/logBytes/],
      [{ views: [{ lags: 1 }] }, /lags/],
      [
        { seed: -1, views: [{ rules: [{ method: 'getSlot', fault: 'nonsense' }] }] },
        /\/seed.*\/views\/0\/rules\/0\/fault/,
      ],
    ];
    for (const [faults, reason] of cases) {
      await assert.rejects(startLocalnet({ log: silentLog, faults: faults as never }), reason);
    }
  });
});
