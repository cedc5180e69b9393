import assert from 'node:assert/strict';
import { BootError } from '../../core/host/boot/report.ts';
import { toHex } from '../../core/platform/bytes.ts';
import { TestAgent } from './support/agent.ts';
import { bootAggregator } from './support/aggregator.ts';

describe('the anchors of an aggregator', () => {
  const [one, other] = [new TestAgent('anchor one'), new TestAgent('anchor two')];

  it('are served as they are configured, in base58, and the start says how many there are', async () => {
    const anchors = [one.id, toHex(other.identity.key)];
    const aggregator = await bootAggregator({ core: { reputation: { anchors } } });
    assert.deepEqual(await aggregator.read('/reputation/anchors'), { version: 2, anchors: [one.id, other.id] });
    assert.match(aggregator.report.notes.join('\n'), /trust begins at 2 anchors/);
    await aggregator.stop();
  });

  it('are missed aloud, with what that means', async () => {
    const aggregator = await bootAggregator();
    assert.deepEqual(await aggregator.read('/reputation/anchors'), { version: 2, anchors: [] });
    assert.match(aggregator.report.notes.join('\n'), /no anchors, so paid work is worth at most 9 points/);
    await aggregator.stop();
  });

  it('are agent ids, or the aggregator does not start', async () => {
    const boot = bootAggregator({ core: { reputation: { anchors: ['nobody'] } } });
    await assert.rejects(boot, (error) => error instanceof BootError && /anchors/.test(error.message));
  });
});
