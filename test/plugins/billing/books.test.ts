import assert from 'node:assert/strict';
import { formatUsdc } from '../../../core/plugin.ts';
import { LedgerAccounts } from '../../../core/services.ts';
import { DepositKeys } from '../../../plugins/billing/deposit-keys.ts';
import { transferUsdc } from '../../../plugins/billing/settlement/solana/tokens.ts';
import { buildTransaction } from '../../../plugins/billing/settlement/solana/transaction.ts';
import type { TestAgent } from '../../aggregator/support/agent.ts';
import { happens } from '../../support/happens.ts';
import { newWallet } from '../../support/wallet.ts';
import { BillingBench, USDC, unitsOf } from './support.ts';

const SECRET = 'a secret of the tests, long enough';
const HOUR_MS = 3_600_000;

describe('the books of billing and the ledger', function () {
  this.timeout(60_000);
  let bench: BillingBench;
  before(async () => {
    bench = await BillingBench.start('lowdb', {
      secret: SECRET,
      sweepFrom: '500',
      maxPerDay: '100',
      maxShareOfDay: 10,
      keptForStanding: 0,
    });
  });
  after(() => bench.stop());

  async function books(): Promise<any> {
    const authorization = `Bearer ${bench.aggregator.node.apiSecret}`;
    const { status, body } = await bench.aggregator.call('GET /admin/billing/books', { headers: { authorization } });
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  }
  async function metric(line: string): Promise<number | undefined> {
    const { body } = await bench.aggregator.call('GET /metrics');
    const found = String(body)
      .split('\n')
      .find((one) => one.startsWith(line));
    return found === undefined ? undefined : Number(found.split(' ').at(-1));
  }
  async function health(): Promise<any> {
    const { body } = await bench.aggregator.call('GET /health');
    return body;
  }
  function rejoins(sentence: string, look: () => Promise<any>): Promise<any> {
    return happens(sentence, async () => {
      bench.aggregator.clock.shift(5_000);
      return (await look()) || undefined;
    });
  }

  it('find a deposit at an address that was asked for hours ago', async () => {
    const agent = await bench.agent();
    const address = await bench.address(agent);
    bench.aggregator.clock.shift(3 * HOUR_MS);
    await bench.localnet.faucet.usdc(address, 3n * USDC);
    await rejoins('it is credited', async () => (await bench.balance(agent)) === 3n * USDC);
  });

  it('are shown to the operator alone', async () => {
    assert.equal((await bench.aggregator.call('GET /admin/billing/books')).status, 401);
    const shown = await rejoins('a round is over', async () => {
      const found = await books();
      return found.addresses?.difference_usdc === '0' && found.addresses.held_usdc === '3' && found;
    });
    assert.deepEqual([shown.state, shown.faults, shown.differences], ['ok', [], []]);
  });

  it('name an address from which another took, in health, metrics and the books, with the remedy', async () => {
    const agent = await bench.funded(7n * USDC);
    const address = await bench.address(agent);
    const thief = newWallet().address;
    await bench.localnet.faucet.usdc(thief, 1n);
    await bench.localnet.faucet.sol(address, 10_000_000n);
    await takeFrom(agent, thief, 2n * USDC);
    const shown = await rejoins('the difference is shown', async () => {
      const found = await books();
      return found.differences.length > 0 && found;
    });
    assert.equal(shown.state, 'degraded');
    assert.deepEqual(shown.differences, [
      { agent_id: agent.id, address, held_usdc: '5', booked_usdc: '7', difference_usdc: '-2' },
    ]);
    assert.match(shown.remedy, /maxPerDay to 0/);
    const told = JSON.stringify(
      await rejoins('health tells', async () => {
        const found = await health();
        return JSON.stringify(found).includes(address) && found;
      }),
    );
    assert.match(told, /holds 5 USDC and the books say 7/);
    assert.match(told, /GET \/admin\/billing\/books/);
    assert.equal(await metric('mesh_billing_difference_usdc{place="addresses"}'), -2);
    assert.equal(await metric('mesh_billing_different_addresses'), 1);
  });

  async function takeFrom(agent: TestAgent, to: string, amount: bigint): Promise<void> {
    const ledger = bench.aggregator.node.get(LedgerAccounts);
    const nothing = { get: () => undefined, put: () => {} };
    const space = { tx: async (_: unknown, run: (tx: object) => string) => ({ value: run(nothing) }) } as never;
    const keys = await DepositKeys.open(SECRET, async () => '', space);
    const own = keys.depositor(agent.id);
    const { blockhash } = await ledger.lifetime();
    const bytes = buildTransaction(own.address, [transferUsdc(own.address, to, ledger.usdcMint!, amount)], blockhash, [
      own,
    ]);
    const answer = await fetch(bench.localnet.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        ...{ jsonrpc: '2.0', id: 1, method: 'sendTransaction' },
        params: [Buffer.from(bytes).toString('base64'), { encoding: 'base64' }],
      }),
    });
    assert.ok(((await answer.json()) as any).result);
  }

  it('leave of the day something for everybody: each key has at most a share of the rest, and fresh money one of half', async () => {
    const wallet = newWallet().address;
    await bench.localnet.faucet.usdc(wallet, 1n);
    const to = { destination_chain: 'solana', destination_address: wallet };
    const refused = async (agent: TestAgent, amount_usdc: string, cap: string) => {
      const { status, body } = await bench.withdraw(agent, { ...to, amount_usdc });
      assert.deepEqual([status, body.code, body.cap], [403, 'withdrawal_cap', `plugins.billing.${cap}`]);
      return unitsOf(body.limit_usdc);
    };
    const rested: TestAgent[] = [];
    for (let key = 0; key < 4; key++) rested.push(await bench.funded(60n * USDC));
    bench.aggregator.clock.shift(26 * HOUR_MS);
    const fresh = await bench.funded(60n * USDC);
    assert.equal(await refused(fresh, '6', 'maxFreshOfDay'), 5n * USDC);
    let rest = 100n * USDC;
    for (const agent of rested) {
      const share = rest / 10n;
      assert.equal(await refused(agent, '50', 'maxShareOfDay'), share);
      const { status, body } = await bench.withdraw(agent, { ...to, amount_usdc: formatUsdc(share) });
      assert.equal(status, 202, JSON.stringify(body));
      assert.equal((await bench.withdraw(agent, { ...to, amount_usdc: '1' })).status, 403);
      rest -= share;
    }
    assert.equal((await bench.withdraw(fresh, { ...to, amount_usdc: '5' })).status, 202);
  });
});
