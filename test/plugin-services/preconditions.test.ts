import assert from 'node:assert/strict';
import { launchpadPlugin } from '../../plugins/launchpad/index.ts';
import { tradePlugin } from '../../plugins/trade/index.ts';
import { PluginAggregator } from '../plugins/support/aggregator.ts';
import { type Mesh, startMesh } from '../support/mesh.ts';

const WRONG = [{}, { amount_usdc: -1, chain: 7 }, [], 'text'];
const TRADES = ['swap', 'swap/confirm/0000000000000000', 'limit/create', 'limit/cancel', 'dca/create'];
const LAUNCHES = ['launch', 'swap/execute', 'claim', 'chart-listing/list'];
const BILLING = ['deposit', 'withdraw', 'set-payout'];

describe('the state of a service', function () {
  this.timeout(60_000);
  let mesh: Mesh<'alice'>;
  let aggregator: PluginAggregator;
  before(async () => {
    mesh = await startMesh({
      nodes: ['alice'],
      plugins: { alice: [tradePlugin, launchpadPlugin] },
      own: { alice: { plugins: { trade: {}, launchpad: { apiKey: 'a-key-of-the-launchpad-123' } } } },
    });
    aggregator = await PluginAggregator.start({ plugins: { billing: {}, sponsor: {} } });
  });
  after(async () => {
    await mesh?.stop();
    await aggregator?.stop();
  });

  it('is told before the body is looked at, by trades and launches of a node without a ledger', async () => {
    const paths = [...TRADES.map((one) => `/trade/${one}`), ...LAUNCHES.map((one) => `/launchpad/${one}`)];
    for (const path of paths)
      for (const body of WRONG) {
        const answer = await mesh.nodes.alice.post(path, body);
        assert.deepEqual([answer.status, answer.body.code], [503, 'ledger_unavailable'], path);
      }
  });

  it('is told before the body is looked at, by billing and sponsor of an aggregator, to agents alone', async () => {
    const agent = aggregator.agent('ann');
    const lines = [
      ...BILLING.map((one) => [`POST /billing/${one}`, 'ledger_unavailable']),
      ['POST /sponsor/fee-share-config', 'launchpad_not_configured'],
    ] as const;
    for (const [line, code] of lines)
      for (const body of WRONG) {
        const { status, body: told } = await aggregator.call(line!, { as: agent, body });
        assert.deepEqual([status, told.code], [503, code], line);
        assert.equal((await aggregator.call(line!, { body })).status, 401, line);
      }
  });
});
