import assert from 'node:assert/strict';
import { READS } from '../../core/aggregator/limits.ts';
import { Settings } from '../../core/internal-services.ts';
import { apiDocument, operationsOf } from '../spec/api-document.ts';
import { bootAggregator } from './support/aggregator.ts';

describe('limits of an aggregator', () => {
  it('are declared by every operation, and generous for reads', () => {
    const none = operationsOf(apiDocument('aggregator')).filter(({ spec }) => !spec['x-rate-limit']);
    assert.deepEqual(
      none.map(({ line }) => line),
      [],
    );
  });

  it('count what one address reads', async () => {
    const aggregator = await bootAggregator({ api: { limit: { rate: 1_000_000, window: 60 } } });
    try {
      const answer = await fetch(`${aggregator.url}/version`);
      assert.equal(answer.headers.get('ratelimit-policy'), `"default";q=${READS.rate};w=60`);
    } finally {
      await aggregator.stop();
    }
  });

  it('are 12,000 calls a minute over all routes unless configured', async () => {
    const aggregator = await bootAggregator();
    try {
      assert.deepEqual(aggregator.get(Settings).api.limit, { rate: 12_000, window: 60 });
    } finally {
      await aggregator.stop();
    }
  });

  it('do not count the addresses that the operator lists', async () => {
    const limit = { rate: 2, window: 60 };
    const statuses = async (api: object) => {
      const aggregator = await bootAggregator({ api: { limit, ...api } });
      try {
        const found: number[] = [];
        for (let call = 0; call < 4; call += 1) found.push((await fetch(`${aggregator.url}/version`)).status);
        return found;
      } finally {
        await aggregator.stop();
      }
    };
    assert.deepEqual(await statuses({}), [200, 200, 429, 429]);
    assert.deepEqual(await statuses({ unlimited: ['127.0.0.1'] }), [200, 200, 200, 200]);
    await assert.rejects(statuses({ unlimited: ['localhost'] }), /unlimited/);
  });
});
