import assert from 'node:assert/strict';
import { PluginAggregator } from '../plugins/support/aggregator.ts';
import { type Mesh, startMesh } from '../support/mesh.ts';

/** Times that RFC 3339 knows, and no clock of a program. */
const UNCOUNTED = [
  '2016-12-31T23:59:60Z',
  '2036-12-31T23:59:60.5Z',
  '2036-12-31T23:59:60+00:00',
  '2036-01-01T00:00:00+01',
];

describe('times that no program can count', function () {
  this.timeout(30_000);

  it('are refused in a query', async () => {
    const aggregator = await PluginAggregator.start();
    try {
      for (const time of UNCOUNTED)
        for (const query of [
          `from=${encodeURIComponent(time)}`,
          `from=2016-12-31T00:00:00Z&to=${encodeURIComponent(time)}`,
        ]) {
          const { status, body } = await aggregator.call(`GET /stats/timeseries?${query}`);
          assert.deepEqual([status, body.code], [400, 'invalid_request'], query);
        }
      assert.deepEqual(aggregator.errors, []);
    } finally {
      await aggregator.stop();
    }
  });

  it('are refused in an offer of any words', async () => {
    const mesh: Mesh<'ann' | 'ben'> = await startMesh({ nodes: ['ann', 'ben'] });
    try {
      const { ann, ben } = mesh.nodes;
      for (const expires_at of UNCOUNTED) {
        const offer = { recipient: ben.id, message: 'a haiku', amount_usdc: '0', expires_at };
        const { status, body } = await ann.post('/negotiate/propose', offer);
        assert.deepEqual([status, body.fields?.[0].pointer], [400, '/expires_at'], JSON.stringify(body));
        const payload = { amount_usdc_micro: 0, message: 'a haiku', expires_at };
        const raw = await ann.post('/envelopes/send', { msg_type: 'PROPOSE', recipient: ben.id, payload });
        assert.deepEqual([raw.status, raw.body.fields?.[0].pointer], [400, '/payload/expires_at']);
      }
    } finally {
      await mesh.stop();
    }
  });
});
