import assert from 'node:assert/strict';
import type { TestAgent } from '../aggregator/support/agent.ts';
import { BillingBench, EVM, USDC } from '../plugins/billing/support.ts';
import { newWallet } from '../support/wallet.ts';
import { hasMembers } from './support/words.ts';

const TOKEN_FREE = [
  ['POST /billing/deposit', { chain: 'solana', amount_usdc: '10.00' }],
  ['POST /billing/withdraw', { amount_usdc: '5.00', destination_chain: 'solana', destination_address: EVM }],
  ['POST /billing/set-payout', { chain: 'base', address: EVM }],
  ['GET /billing/estimate-settlement?amount=100&destination_chain=optimism', undefined],
] as const;

describe("billing at the aggregator, in the specification's words", function () {
  this.timeout(60_000);
  let bench: BillingBench;
  let agent: TestAgent;
  before(async () => {
    bench = await BillingBench.start('lowdb');
    agent = await bench.agent();
  });
  after(async () => {
    assert.deepEqual(bench.aggregator.errors, []);
    await bench.stop();
  });

  const ask = (line: string, body?: object, as = agent) => bench.aggregator.call(line, { as, ...(body && { body }) });

  it('Bearer token required: no call without one, and nobody sees the balance of another agent', async () => {
    for (const [line, body] of TOKEN_FREE) {
      const { status } = await bench.aggregator.call(line, { ...(body && { body }) });
      assert.equal(status, 401, line);
    }
    assert.equal((await bench.aggregator.call(`GET /billing/balance/${agent.id}`)).status, 401);
    const other = await bench.agent();
    assert.equal((await ask(`GET /billing/balance/${agent.id}`, undefined, other)).status, 403);
  });

  it('POST /billing/deposit {chain, amount_usdc}: a deposit address on that chain', async () => {
    const { status, body } = await ask('POST /billing/deposit', { chain: 'solana', amount_usdc: '10.00' });
    assert.equal(status, 200, JSON.stringify(body));
    hasMembers(body, { address: 'string', chain: ['solana'], domain_id: [5], amount_usdc: ['10'] });
    for (const [change, pointer] of [
      [{ chain: 'dogecoin' }, '/chain'],
      [{ chain: 'base' }, '/chain'],
      [{ amount_usdc: '0' }, '/amount_usdc'],
      [{ amount_usdc: '1.0000001' }, '/amount_usdc'],
    ] as const) {
      const refused = await ask('POST /billing/deposit', { chain: 'solana', amount_usdc: '10.00', ...change });
      assert.deepEqual([refused.status, refused.body.fields[0].pointer], [400, pointer]);
    }
  });

  it('USDC sent there credits the balance: GET /billing/balance/{agent_id}', async () => {
    await bench.deposit(agent, 12_500_000n);
    const { body } = await ask(`GET /billing/balance/${agent.id}`);
    hasMembers(body, { agent_id: [agent.id], balance_usdc: ['12.5'] });
  });

  it('POST /billing/withdraw {amount_usdc, destination_chain, destination_address}: burn, attestation, mint', async () => {
    const wish = { amount_usdc: '5.00', destination_chain: 'optimism', destination_address: EVM };
    const { status, body } = await ask('POST /billing/withdraw', wish);
    assert.equal(status, 202, JSON.stringify(body));
    hasMembers(body, {
      withdrawal_id: 'string',
      status: 'string',
      amount_usdc: ['5'],
      destination_chain: ['optimism'],
    });
    const done = await bench.reaches(agent, body.withdrawal_id, 'done');
    assert.deepEqual(
      [...bench.service.mints.values()].map(({ domain }) => domain),
      [2],
    );
    hasMembers(done, { received_usdc: 'string', mint_tx: 'string', attestation: 'string' });
    const asked = bench.service.calls.length;
    for (const [change, pointer] of [
      [{ amount_usdc: '0.5' }, '/amount_usdc'],
      [{ amount_usdc: -1 }, '/amount_usdc'],
      [{ destination_chain: 'the service' }, '/destination_chain'],
      [{ destination_address: newWallet().address }, '/destination_address'],
      [{ destination_address: `0x${'0'.repeat(40)}` }, '/destination_address'],
      [{ destination_chain: 'solana' }, '/destination_address'],
      [{ destination_chain: 'solana', destination_address: bench.wallet }, '/destination_address'],
    ] as const) {
      const refused = await ask('POST /billing/withdraw', { ...wish, ...change });
      assert.deepEqual([refused.status, refused.body.fields?.[0].pointer], [400, pointer], JSON.stringify(change));
    }
    assert.equal(bench.service.calls.length, asked, 'no service is asked about what does not fit');
    const poor = await ask('POST /billing/withdraw', { ...wish, amount_usdc: '7.500001' });
    assert.deepEqual([poor.status, poor.body.code], [402, 'insufficient_funds']);
    assert.equal(await bench.balance(agent), 7n * USDC + USDC / 2n);
  });

  it('POST /billing/set-payout {chain, address}: the default chain and address', async () => {
    const { status, body } = await ask('POST /billing/set-payout', { chain: 'base', address: EVM });
    assert.equal(status, 200, JSON.stringify(body));
    hasMembers(body, { chain: ['base'], address: [EVM] });
    assert.deepEqual((await bench.account(agent)).payout, { chain: 'base', address: EVM });
    const wrong = await ask('POST /billing/set-payout', { chain: 'base', address: bench.wallet });
    assert.deepEqual([wrong.status, wrong.body.fields[0].pointer], [400, '/address']);
  });

  it('GET /billing/estimate-settlement?amount=&destination_chain=: fee and transfer time', async () => {
    const path = 'GET /billing/estimate-settlement?amount=100&destination_chain=optimism';
    const { status, body } = await ask(path);
    assert.equal(status, 200, JSON.stringify(body));
    // 1 % of 100; 1.3 bps of 99, rounded up, and 0.2 for the mint.
    hasMembers(body, {
      fee_usdc: ['1.21287'],
      platform_fee_usdc: ['1'],
      transfer_fee_usdc: ['0.21287'],
      received_usdc: ['98.78713'],
      speed: ['fast'],
      transfer_time_seconds: [30],
    });
    bench.service.fees = [{ finalityThreshold: 2_000, minimumFee: 0 }];
    assert.equal((await ask(path)).body.speed, 'fast', 'an answer of the last minute');
    bench.aggregator.clock.shift(60_001);
    const slow = (await ask(path)).body;
    hasMembers(slow, { speed: ['standard'], transfer_time_seconds: [120], transfer_time_max_seconds: [780] });
    bench.aggregator.clock.shift(120_000);
    bench.service.failNext('/v2/burn', { status: 503 });
    const old = (await ask(path)).body;
    assert.ok(old.age_seconds >= 120, 'the last answer stands in, with its age');
    const away = await ask(path.replace('optimism', 'sonic').replace('100', '0'));
    assert.deepEqual([away.status, away.body.fields[0].pointer], [400, '/amount']);
    bench.service.failNext('/v2/burn', 'malformed');
    const none = await ask(path.replace('optimism', 'sonic'));
    assert.deepEqual([none.status, none.body.code], [502, 'upstream_failed']);
    const here = (await ask(path.replace('optimism', 'solana'))).body;
    hasMembers(here, { fee_usdc: ['0'], received_usdc: ['100'], transfer_time_seconds: 'integer' });
  });
});
