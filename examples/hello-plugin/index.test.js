import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pluginContract, testNode } from 'agent-mesh/testing';
import plugin from './index.js';

pluginContract(plugin, { config: { greeting: 'Ahoy' } }, { describe, it });

describe('hello-plugin', () => {
  it('greets, counts, and tells who watches', async () => {
    const node = await testNode(plugin, { config: { greeting: 'Ahoy' } });
    try {
      const frames = await node.stream('/ws/hello-plugin');
      await node.call('POST /hello-plugin/Bo');
      const { status, body } = await node.call('POST /hello-plugin/Bo');
      assert.equal(status, 200);
      assert.deepEqual([body.text, body.times], ['Ahoy, Bo!', 2]);
      assert.equal((await frames.next()).value.times, 1);
      assert.deepEqual((await frames.next()).value, body);
    } finally {
      await node.stop();
    }
  });
});
