import assert from 'node:assert/strict';
import { testNode } from '../../adapters/testing.ts';
import { answer, definePlugin, route, typed } from '../../core/plugin.ts';
import { happens } from '../support/happens.ts';

const NUMBER = typed<{ number: number }>({ type: 'object', properties: { number: { type: 'integer' } } });

describe('an answer with something to follow', () => {
  const sent: string[] = [];
  const plugin = definePlugin({
    name: 'follow',
    api: '2.0',
    node: {
      routes: {
        plain: route('GET /follow', { auth: 'open', reply: NUMBER }),
        slow: route('GET /follow/slow', { auth: 'open', reply: NUMBER }),
      },
      setup: () => ({
        routes: {
          plain: () => answer({ number: 1 }, { sent: () => void sent.push('plain') }),
          async slow({ signal }) {
            await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
            return answer({ number: 1 }, { sent: () => void sent.push('slow') });
          },
        },
      }),
    },
  });

  it('does it once the answer has left, and never for a client that went away before', async () => {
    const node = await testNode(plugin);
    try {
      assert.equal((await node.call('GET /follow')).status, 200);
      await happens('it follows', async () => (sent.length > 0 ? true : undefined));
      const signal = AbortSignal.timeout(100);
      await assert.rejects(fetch(`${node.url}/follow/slow`, { signal }));
      await new Promise((resolve) => setTimeout(resolve, 200));
      assert.deepEqual(sent, ['plain']);
    } finally {
      await node.stop();
    }
  });
});
