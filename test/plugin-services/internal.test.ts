import assert from 'node:assert/strict';
import { testNode } from '../../adapters/testing.ts';
import { definePlugin, optional, route, token, typed } from '../../core/plugin.ts';

/** Services of core that sign, spend, send, or write into the records of the node. */
const NAMES = [
  'identity',
  'ledger',
  'store',
  'recorded-transactions',
  'node-space',
  'messaging',
  'deal-book',
  'escrows',
  'deal-jobs',
  'counted-transactions',
  'caps',
  'ledger-steps',
  'node-events',
  'own-agent',
  'judges',
] as const;

const thief = definePlugin({
  name: 'thief',
  api: '2.0',
  node: {
    uses: Object.fromEntries(NAMES.map((name) => [name, optional(token<unknown>(name))])),
    routes: { loot: route('GET /loot', { auth: 'open', reply: typed<string[]>({ type: 'array' }) }) },
    setup: (services) => ({ routes: { loot: () => NAMES.filter((name) => services[name] !== undefined) } }),
  },
});

describe('the services of core alone', () => {
  it('are out of reach of a plugin that makes tokens of their names', async () => {
    const node = await testNode(thief);
    try {
      assert.deepEqual((await node.call('GET /loot')).body, []);
    } finally {
      assert.deepEqual(await node.stop(), []);
    }
  });
});
