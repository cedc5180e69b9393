import assert from 'node:assert/strict';
import { parseExactly } from '../../adapters/ledger-solana/exact-json.ts';
import { openSolanaLedger } from '../../adapters/ledger-solana/ledger.ts';
import { createMetrics } from '../../core/host/boot/metrics-registry.ts';
import type { Ledger, Signer } from '../../core/ledger/ledger.ts';
import { type Log, silentLog } from '../../core/platform/log.ts';
import type { EscrowName } from '../../core/protocol/settlement/steps.ts';
import { type Change, RpcProxy } from '../support/rpc-proxy.ts';
import { ShiftedClock } from '../support/shifted-clock.ts';
import { NETWORK, type SettlementBench, settlementBench, USDC } from './settlement-bench.ts';

const UNAVAILABLE = { code: 'ledger_unavailable' };
const OURS = { jsonrpc: '2.0' };

/** Answers of every shape that is none, whatever the method. */
const NO_ANSWERS: Record<string, Change> = {
  'a page of HTML': () => '<html><body>502 Bad Gateway</body></html>',
  nothing: () => '',
  'half of it': async (call) => JSON.stringify(await call.pass()).slice(0, -5),
  'another id': async (call) => ({ ...(await call.pass()), id: call.id + 1 }),
  'its id as text': async (call) => ({ ...(await call.pass()), id: String(call.id) }),
  'no id': async (call) => ({ ...(await call.pass()), id: undefined }),
  'a batch': async (call) => [await call.pass()],
  'no result': ({ id }) => ({ ...OURS, id }),
  'a result and an error': async (call) => ({ ...(await call.pass()), error: { code: -32000, message: 'x' } }),
  'an error that is text': ({ id }) => ({ ...OURS, id, error: 'overloaded' }),
  'an error without a code': ({ id }) => ({ ...OURS, id, error: { message: 'x' } }),
  null: () => null,
  'a number': () => 7,
};

/** Results that are none of `getMultipleAccounts`, made of the right one. */
const NO_ACCOUNTS: Record<string, (result: any) => unknown> = {
  null: () => null,
  text: () => 'accounts',
  'no context': ({ value }) => ({ value }),
  'a context without slot': ({ value }) => ({ context: {}, value }),
  'a slot in text': ({ value }) => ({ context: { slot: '7' }, value }),
  'a negative slot': ({ value }) => ({ context: { slot: -7 }, value }),
  'half a slot': ({ value }) => ({ context: { slot: 7.5 }, value }),
  'a slot without a value': ({ context }) => ({ context }),
  'an object of accounts': ({ context, value }) => ({ context, value: { ...value } }),
  'too few': ({ context, value }) => ({ context, value: value.slice(1) }),
  'too many': ({ context, value }) => ({ context, value: [...value, ...value] }),
  'false accounts': ({ context, value }) => ({ context, value: value.map(() => false) }),
  'empty accounts': ({ context, value }) => ({ context, value: value.map(() => ({})) }),
  'lamports in text': of({ lamports: '1' }),
  'negative lamports': of({ lamports: -1 }),
  'half a lamport': of({ lamports: 0.5 }),
  'an owner that is none': of({ owner: 'nobody' }),
  'another owner': of({ owner: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' }),
  'data that is no base64': of({ data: ['%%%', 'base64'] }),
  'data in a number': of({ data: [7, 'base64'] }),
  'data that is text': of({ data: 'abc' }),
  'no data': of({ data: ['', 'base64'] }),
  'other data': of({ data: [Buffer.alloc(200, 7).toString('base64'), 'base64'] }),
};

function of(changed: object) {
  return ({ context, value }: any) => ({
    context,
    value: value.map((account: any) => account && { ...account, ...changed }),
  });
}

describe('a broken answer of the ledger', function () {
  this.timeout(60_000);
  let bench: SettlementBench;
  let proxy: RpcProxy;
  let ledger: Ledger;
  let escrow: EscrowName;
  let requester: Signer;
  let key: string;
  const clock = new ShiftedClock();
  const metrics = createMetrics();
  const warnings: Record<string, unknown>[] = [];
  const log: Log = { ...silentLog, warn: (fields) => void warnings.push(fields as Record<string, unknown>) };
  // Pauses before another try are not waited for.
  clock.sleep = async () => {};
  before(async () => {
    bench = await settlementBench();
    proxy = await RpcProxy.start(bench.net.url);
    const { program: programId, config } = bench.net.settlement;
    const settlement = { programId, config, networkId: NETWORK };
    ledger = await openSolanaLedger({ url: proxy.url, settlement, log, clock, metrics });
    const provider = await bench.wallet();
    requester = await bench.wallet();
    escrow = await bench.lock(requester, provider);
    key = provider.address;
    await bench.take({ type: 'open_agent', key, agentId: key }, provider);
  });
  beforeEach(() => {
    proxy.heal();
    warnings.length = 0;
    clock.shift(3_600_000);
  });
  after(async () => {
    await ledger.close();
    await proxy.stop();
    await bench.close();
  });

  /** Everything that decides by accounts. */
  const accountReads = (): Record<string, () => Promise<unknown>> => {
    const settlement = ledger.settlement!;
    return {
      escrows: () => settlement.escrows([escrow]),
      escrow: () => settlement.escrow(escrow),
      agents: () => settlement.agents([key]),
      time: () => settlement.time(),
    };
  };

  it('decides nothing, whatever its shape, and a good one decides again', async () => {
    for (const [name, change] of Object.entries(NO_ANSWERS)) {
      proxy.changed.set('getMultipleAccounts', change);
      for (const [read, run] of Object.entries(accountReads()))
        await assert.rejects(run(), UNAVAILABLE, `${read} believed ${name}`);
    }
    for (const [name, change] of Object.entries(NO_ACCOUNTS)) {
      proxy.answer('getMultipleAccounts', async (call) => change((await call.pass()).result));
      for (const [read, run] of Object.entries(accountReads()))
        if (read !== 'time' || !['another owner', 'no data'].includes(name))
          await assert.rejects(run(), UNAVAILABLE, `${read} believed ${name}`);
    }
    proxy.heal();
    assert.equal((await ledger.settlement!.escrows([escrow])).value[0]?.state, 'locked');
    assert.equal((await ledger.settlement!.agents([key])).value[0]?.key, key);
  });

  it('about another account than was asked for says nothing of this one', async () => {
    const other = await bench.lock(await bench.wallet(), await bench.wallet(0n));
    const addresses = [escrow, other].map((name) => ledger.settlement!.escrowAddress(name).address);
    proxy.answer('getMultipleAccounts', async ({ params, ...call }) => {
      const { result } = (await (
        await fetch(bench.net.url, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ ...OURS, id: call.id, method: call.method, params: [[addresses[1]], params[1]] }),
        })
      ).json()) as { result: unknown };
      return result;
    });
    await assert.rejects(ledger.settlement!.escrows([escrow]), UNAVAILABLE);
  });

  it('is told from an account that is not there, and from lamports that somebody sent to its address', async () => {
    const never = { ...escrow, conversation: 'ee'.repeat(16) };
    assert.deepEqual((await ledger.settlement!.escrows([never])).value, [undefined]);
    await bench.net.faucet.sol(ledger.settlement!.escrowAddress(never).address, 5_000_000n);
    assert.deepEqual((await ledger.settlement!.escrows([never])).value, [undefined]);
  });

  it('makes no payment and no balance', async () => {
    const wallet = await bench.wallet(7n * USDC);
    const breaks = async (method: string, read: () => Promise<unknown>, changes: ((result: any) => unknown)[]) => {
      for (const [index, change] of changes.entries()) {
        proxy.heal();
        proxy.answer(method, async (call) => change((await call.pass()).result));
        await assert.rejects(read(), UNAVAILABLE, `${method} was believed, changed as in ${index}`);
      }
      proxy.heal();
    };
    const changedMeta = (changed: object) => (result: any) => ({ ...result, meta: { ...result.meta, ...changed } });
    const changedBalances = (changed: object) => (result: any) => {
      const postTokenBalances = result.meta.postTokenBalances.map((one: any) => ({ ...one, ...changed }));
      return changedMeta({ postTokenBalances })(result);
    };
    const incoming = () => ledger.incomingUsdc(wallet.address, undefined, 10);
    await breaks('getTransaction', incoming, [
      () => null,
      (result) => ({ ...result, slot: result.slot + 1 }),
      (result) => ({ ...result, transaction: { ...result.transaction, signatures: ['1'.repeat(64)] } }),
      (result) => ({ ...result, meta: null }),
      changedMeta({ err: undefined }),
      changedMeta({ preTokenBalances: null }),
      changedMeta({ postTokenBalances: undefined }),
      changedMeta({ postTokenBalances: [{ accountIndex: 99, mint: 'x', owner: 'y', uiTokenAmount: { amount: '1' } }] }),
      changedBalances({ uiTokenAmount: { amount: '-5' } }),
      changedBalances({ uiTokenAmount: { amount: 5 } }),
      changedBalances({ uiTokenAmount: null }),
      changedBalances({ owner: null }),
      changedBalances({ mint: 'USDC' }),
      changedBalances({ accountIndex: -1 }),
      ({ meta, ...result }) => ({
        ...result,
        meta: { ...meta, postTokenBalances: [...meta.postTokenBalances, ...meta.postTokenBalances] },
      }),
    ]);
    // A page that was listed well is not listed again, so another wallet is looked at.
    const other = await bench.wallet(USDC);
    const unlisted = () => ledger.incomingUsdc(other.address, undefined, 10);
    await breaks('getSignaturesForAddress', unlisted, [() => null, () => [7], ([one]) => [one, one]]);
    await breaks('simulateTransaction', () => ledger.settlement!.prepare({ type: 'approve', ...escrow }, [requester]), [
      () => null,
      ({ context }) => ({ context }),
      ({ context }) => ({ context, value: {} }),
      ({ context }) => ({ context, value: [] }),
    ]);
    const balances = () => ledger.balances(wallet.address);
    await breaks('getBalance', balances, [
      () => 7,
      ({ context }) => ({ context, value: '7' }),
      ({ context }) => ({ context, value: -7 }),
      ({ context }) => ({ context, value: 0.5 }),
    ]);
    const usdc = () => ledger.usdc(wallet.address);
    await breaks('getMultipleAccounts', usdc, [() => [], ({ context }) => ({ context, value: null })]);
    assert.deepEqual(
      (await incoming()).transfers.map(({ amount }) => amount),
      [7n * USDC],
    );
    assert.equal(await usdc(), 7n * USDC);
  });

  it('of every method at once leaves nothing but the truth or a refusal', async () => {
    const settlement = () => ledger.settlement!;
    const reads: Record<string, () => Promise<unknown>> = {
      ...accountReads(),
      accusations: async () => (await settlement().accusations([{ key, id: 'ab'.repeat(32) }])).value,
      escrows: async () => (await settlement().escrows([escrow])).value,
      agents: async () => (await settlement().agents([key])).value,
      events: () => settlement().events(undefined, 1_000),
      escrowEvents: () => settlement().escrowEvents(escrow, undefined, 10),
      incoming: () => ledger.incomingUsdc(requester.address, undefined, 10),
      balances: () => ledger.balances(requester.address),
      usdc: () => ledger.usdc(requester.address),
    };
    delete reads['time'];
    const truth = new Map<string, unknown>();
    for (const [name, read] of Object.entries(reads)) truth.set(name, await read());
    const faults = [
      'empty',
      'html',
      'cut',
      'null',
      'type',
      'no-context',
      'wrong-id',
      'duplicate',
      'number-as-text',
    ] as const;
    let refused = 0;
    for (const fault of faults) {
      bench.net.faults.set({ rules: [{ method: '*', fault }] });
      for (const [name, read] of Object.entries(reads)) {
        try {
          assert.deepEqual(await read(), truth.get(name), `${name} is something else by ${fault}`);
        } catch (error) {
          assert.equal((error as { code: string }).code, 'ledger_unavailable', `${name} by ${fault}: ${error}`);
          refused += 1;
        }
      }
      await assert.rejects(settlement().prepare({ type: 'approve', ...escrow }, [requester]), UNAVAILABLE, fault);
    }
    bench.net.faults.clear();
    assert.ok(refused > faults.length * 6, `${refused} refusals`);
  });

  it('is no such thing because a number is long: lamports keep every digit', async () => {
    const { address } = await bench.wallet(USDC);
    for (const lamports of ['9007199254740993', '18446744073709551615']) {
      proxy.changed.set(
        'getBalance',
        ({ id }) => `{"jsonrpc":"2.0","id":${id},"result":{"context":{"slot":9},"value":${lamports}}}`,
      );
      assert.equal((await ledger.balances(address)).lamports, BigInt(lamports));
    }
    for (const lamports of ['18446744073709551616', '1e300', '9007199254740993.5', '"9007199254740993"']) {
      proxy.changed.set(
        'getBalance',
        ({ id }) => `{"jsonrpc":"2.0","id":${id},"result":{"context":{"slot":9},"value":${lamports}}}`,
      );
      await assert.rejects(ledger.balances(address), UNAVAILABLE, lamports);
    }
    proxy.heal();
    proxy.changed.set('getMultipleAccounts', async (call) =>
      JSON.stringify(await call.pass()).replace(/"lamports":\d+/g, '"lamports":9007199254740993'),
    );
    assert.equal(await ledger.usdc(address), USDC);
  });

  it('is counted by method and kind, logged once a minute of each kind, and told with a way out', async () => {
    const read = () => ledger.settlement!.escrows([escrow]);
    assert.deepEqual(ledger.health(), { state: 'ok' });
    const before = await faults();
    proxy.answer('getMultipleAccounts', () => ({ nonsense: true }));
    for (let times = 0; times < 5; times++) await assert.rejects(read(), UNAVAILABLE);
    proxy.changed.set('getMultipleAccounts', () => '<html>');
    await assert.rejects(read(), UNAVAILABLE);
    proxy.refuse('getMultipleAccounts', -32601, 'Method not found');
    await assert.rejects(read(), UNAVAILABLE);
    proxy.changed.set('getMultipleAccounts', () => undefined);
    await assert.rejects(read(), UNAVAILABLE);
    const after = await faults();
    const grown = Object.entries(after).map(([kind, count]) => [kind, count - (before[kind] ?? 0)]);
    assert.deepEqual(Object.fromEntries(grown.filter(([, count]) => count !== 0)), {
      nonsense: 5,
      malformed: 4,
      refused: 1,
      silent: 4,
    });
    assert.deepEqual(
      warnings.map(({ rpc, method, kind }) => [rpc, method, kind]),
      ['nonsense', 'malformed', 'refused', 'silent'].map((kind) => [1, 'getMultipleAccounts', kind]),
    );
    const { state, detail, remedy } = ledger.health();
    assert.equal(state, 'degraded');
    assert.match(detail!, /^The ledger does not answer getMultipleAccounts \(4 times in \d+ s\)\.$/);
    assert.match(remedy!, /^Nothing is signed, paid or decided .*another --rpc-url/);
    assert.ok(!JSON.stringify([warnings, detail]).includes(proxy.url));
    proxy.heal();
    await read();
    assert.deepEqual(ledger.health(), { state: 'ok' });

    clock.shift(61_000);
    proxy.answer('getMultipleAccounts', () => ({ nonsense: true }));
    await assert.rejects(read(), UNAVAILABLE);
    assert.deepEqual([warnings.length, warnings.at(-1)?.['unsaid']], [5, 4]);
    proxy.heal();
    await read();
    // A good answer in between may be luck.
    assert.equal(ledger.health().state, 'degraded');
    clock.shift(61_000);
    assert.deepEqual(ledger.health(), { state: 'ok' });
  });

  async function faults(): Promise<Record<string, number>> {
    const lines = (await metrics.render()).matchAll(
      /^mesh_ledger_rpc_faults_total\{rpc="1",method="getMultipleAccounts",kind="(\w+)"\} (\d+)$/gm,
    );
    return Object.fromEntries([...lines].map(([, kind, count]) => [kind, Number(count)]));
  }
});

describe('JSON with every digit', () => {
  it('is that of JSON.parse, but for integers that a number cannot hold', () => {
    const same = [
      '{"a":[1,2.5,-3e7,true,null,"x"],"b":{"c":"12345678901234567890"}}',
      '{"text":"say \\"12345678901234567890\\" and \\\\","n":9007199254740991}',
      '"12345678901234567890"',
      '[0.12345678901234567890,1234567890123456.5,12345678901234567e3]',
      '{"12345678901234567890":1}',
    ];
    for (const text of same) assert.deepEqual(parseExactly(text), JSON.parse(text), text);
    assert.deepEqual(parseExactly('{"a":18446744073709551615,"b":[-9007199254740993,"\\\\",9007199254740993]}'), {
      a: 18446744073709551615n,
      b: [-9007199254740993n, '\\', 9007199254740993n],
    });
    for (const text of ['{"a":12345678901234567890', '12345678901234567890"', '{"a":"12345678901234567890}'])
      assert.throws(() => parseExactly(text), SyntaxError, text);
  });

  it('takes time in proportion to the text', () => {
    const text = JSON.stringify({ a: '\\"'.repeat(500_000), b: Array.from({ length: 50_000 }, () => '1'.repeat(20)) });
    const begin = performance.now();
    assert.deepEqual(parseExactly(`[${text},18446744073709551615]`), [JSON.parse(text), 18446744073709551615n]);
    assert.ok(performance.now() - begin < 5_000);
  });
});
