import assert from 'node:assert/strict';
import { evmAddressOf } from '../../../plugins/billing/evm-address.ts';
import { happens } from '../../support/happens.ts';
import { GatewayStandIn } from '../../upstreams/transfer/gateway-service.ts';
import { BillingBench, USDC } from './support.ts';

describe('deposits on EVM chains', function () {
  this.timeout(60_000);
  let gateway: GatewayStandIn;
  let bench: BillingBench;
  before(async () => {
    gateway = await GatewayStandIn.start();
    bench = await BillingBench.start('lowdb', { gatewayUrl: gateway.url, maxAtGateway: '100' });
  });
  after(async () => {
    assert.deepEqual(bench.aggregator.errors, []);
    assert.deepEqual(gateway.complaints, []);
    await bench.stop();
    await gateway.stop();
  });

  async function open(agent: Awaited<ReturnType<BillingBench['agent']>>, chain: string) {
    const body = { chain, amount_usdc: '10' };
    return bench.aggregator.call('POST /billing/deposit', { as: agent, body });
  }
  function hold(address: string, domain: number, balance: string) {
    gateway.balances.set(address, new Map([...(gateway.balances.get(address) ?? []), [domain, balance]]));
  }
  async function credited(agent: Awaited<ReturnType<BillingBench['agent']>>, amount: bigint) {
    await happens('it is credited', async () => {
      bench.aggregator.clock.shift(3_000);
      return (await bench.balance(agent)) === amount || undefined;
    });
  }

  it('have one depositor for an agent, with the address that its key has on every chain', async () => {
    // The address of the key 1 is known to everybody.
    assert.equal(
      await evmAddressOf(Buffer.from('1'.padStart(64, '0'), 'hex')),
      '0x7e5f4552091a69125d5dfcb7b8c2659029395bdf',
    );
    const agent = await bench.agent();
    const { status, body } = await open(agent, 'base');
    assert.equal(status, 200, JSON.stringify(body));
    assert.match(body.address, /^0x[0-9a-f]{40}$/);
    assert.equal(body.token, '0x036cbd53842c5426634e7929541ec2318f3dcf7e', 'USDC of the test network');
    assert.equal(body.wallet_contract, '0x0077777d7eba4688bdef3e311b846f25870a19b9');
    assert.match(body.detail, /depositFor\(token, address, amount\)/);
    assert.equal((await open(agent, 'sei')).body.address, body.address);
    assert.notEqual((await open(await bench.agent(), 'base')).body.address, body.address);
  });

  it('are credited once the gateway counts them, each chain for itself and nothing twice', async () => {
    const agent = await bench.agent();
    const { address } = (await open(agent, 'base')).body;
    await open(agent, 'sei');
    hold(address, 6, '12.5');
    await credited(agent, 12_500_000n);
    // Sei is 12 in the table of the API, and 16 at the gateway; Codex is 12 there.
    hold(address, 12, '40');
    hold(address, 16, '1');
    await credited(agent, 13_500_000n);
    hold(address, 6, '0');
    await bench.aggregator.clock.shift(3_000);
    hold(address, 6, '12.5');
    hold(address, 16, '1.000001');
    await credited(agent, 13_500_001n);
    const { body } = await bench.aggregator.call('GET /billing/history', { as: agent });
    assert.deepEqual(
      body.entries.map(({ kind, amount_usdc }: any) => [kind, amount_usdc]),
      [
        ['deposit', '0.000001'],
        ['deposit', '1'],
        ['deposit', '12.5'],
      ],
    );
  });

  it('wait when they would pass the cap, which shows, and are credited when there is room', async () => {
    const agent = await bench.agent();
    const { address } = (await open(agent, 'base')).body;
    hold(address, 6, '99');
    const health = () => bench.aggregator.call('GET /health', {});
    await happens('the aggregator says so', async () => {
      bench.aggregator.clock.shift(3_000);
      const { body } = await health();
      return /deposits at the gateway wait: 99 USDC/.test(JSON.stringify(body)) || undefined;
    });
    assert.equal(await bench.balance(agent), 0n);
    hold(address, 6, '50');
    await credited(agent, 50n * USDC);
  });

  it('survive an answer that makes no sense', async () => {
    const agent = await bench.agent();
    const { address } = (await open(agent, 'base')).body;
    gateway.next = '{"token":"USDC","balances":[{"domain":6,"depositor":"x","balance":"-5"}]}';
    hold(address, 6, '2');
    await credited(agent, 2n * USDC);
  });

  it('are credited once where the service names a depositor twice', async () => {
    const agent = await bench.agent();
    const { address } = (await open(agent, 'base')).body;
    const row = `{"domain":6,"depositor":"${address}","balance":"3"}`;
    gateway.next = `{"token":"USDC","balances":[${row},${row}]}`;
    hold(address, 6, '3');
    await credited(agent, 3n * USDC);
  });

  it('are found at depositors that nobody watched for months, also where the service takes few at once', async () => {
    const agents = await Promise.all(Array.from({ length: 25 }, () => bench.agent()));
    const opened = await Promise.all(agents.map((agent) => open(agent, 'base')));
    bench.aggregator.clock.shift(90 * 24 * 3_600_000);
    gateway.most = 5;
    await happens('nobody watches them', async () => {
      bench.aggregator.clock.shift(61_000);
      return gateway.asked.slice(-3).every((many) => many > 1) || undefined;
    });
    for (const { body } of opened) hold(body.address, 6, '0.1');
    for (const agent of agents)
      await happens('it is credited', async () => {
        bench.aggregator.clock.shift(61_000);
        return (await bench.balance(agent)) === 100_000n || undefined;
      });
    gateway.most = 1_000;
  });

  it('are found behind a depositor that the service always refuses, which shows, and many are asked about again after', async () => {
    const agents = await Promise.all(Array.from({ length: 3 }, () => bench.agent()));
    const opened = await Promise.all(agents.map((agent) => open(agent, 'base')));
    bench.aggregator.clock.shift(90 * 24 * 3_600_000);
    for (const { body } of opened) gateway.refused.add(body.address);
    const health = async () => JSON.stringify((await bench.aggregator.call('GET /health', {})).body);
    await happens('the aggregator says so', async () => {
      bench.aggregator.clock.shift(61_000);
      return /could not ask the gateway about 3 depositors/.test(await health()) || undefined;
    });
    gateway.refused.delete(opened[1]!.body.address);
    hold(opened[1]!.body.address, 6, '0.2');
    await happens('one behind it is credited', async () => {
      bench.aggregator.clock.shift(61_000);
      return (await bench.balance(agents[1]!)) === 200_000n || undefined;
    });
    gateway.refused.clear();
    await happens('nothing is wrong any more', async () => {
      bench.aggregator.clock.shift(61_000);
      return !/could not ask the gateway/.test(await health()) || undefined;
    });
    await happens('as many as before are asked about', async () => {
      bench.aggregator.clock.shift(61_000);
      return gateway.asked.slice(-2).includes(20) || undefined;
    });
  });

  it('are refused by /chain where the gateway is not', async () => {
    const { status, body } = await open(await bench.agent(), 'linea');
    assert.deepEqual([status, body.fields[0].pointer], [400, '/chain']);
    assert.match(body.fields[0].problem ?? JSON.stringify(body.fields[0]), /base.*solana|solana.*base/);
  });
});
