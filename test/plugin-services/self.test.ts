import assert from 'node:assert/strict';
import { testNode } from '../../adapters/testing.ts';
import { definePlugin, route, typed } from '../../core/plugin.ts';
import { Self } from '../../core/services.ts';

const face = {
  uses: { self: Self },
  routes: { who: route('GET /who', { auth: 'open', reply: typed<object>({ type: 'object' }) }) },
  setup: ({ self }: { self: Self }) => ({ routes: { who: () => ({ ...self, url: self.url() }) } }),
};
const mirror = definePlugin({ name: 'mirror', api: '2.0', node: face, aggregator: face });

describe('the service Self', () => {
  for (const profile of ['node', 'aggregator'] as const) {
    it(`says who a process of the profile ${profile} is, without its key`, async () => {
      const node = await testNode(mirror, { profile });
      try {
        const { body } = await node.call('GET /who');
        assert.deepEqual(Object.keys(body).sort(), [
          'address',
          'aggregators',
          'envelopeVersion',
          'id',
          'name',
          'network',
          'profile',
          'url',
        ]);
        assert.match(body.id, /^[1-9A-HJ-NP-Za-km-z]{43,44}$/);
        assert.deepEqual([body.address, body.profile, body.url], [body.id, profile, node.url]);
        assert.equal(body.name, body.id.slice(0, 8));
      } finally {
        assert.deepEqual(await node.stop(), []);
      }
    });
  }
});
