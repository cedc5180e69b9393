import assert from 'node:assert/strict';
import { unhandled } from '../../core/aggregator/store/logs.ts';
import { type Log, silentLog } from '../../core/platform/log.ts';
import type { ReceivedEnvelope } from '../../core/plugin.ts';
import { happens } from '../support/happens.ts';
import { network, TestAgent } from './support/agent.ts';
import { NOON, openDomain } from './support/domain.ts';

describe('the handlers of plugins on an aggregator', () => {
  it('lose the oldest envelopes when too many wait for them, and the log says how many', async () => {
    const seen: string[] = [];
    const lost: unknown[] = [];
    let go = () => {};
    const handlers = {
      isEmpty: false,
      handles: (type: string) => type === 'DISCOVER',
      async deliver(envelope: ReceivedEnvelope) {
        assert.ok(envelope.type === 'DISCOVER');
        seen.push(envelope.payload.query);
        if (seen.length === 1) await new Promise<void>((resolve) => (go = resolve));
      },
      deliverUnstored: () => assert.fail('no BEACON was sent'),
    };
    const log: Log = { ...silentLog, error: (details: unknown) => void lost.push(details) };
    const domain = await openDomain(network, { handlers, most: 10, log });
    const agent = new TestAgent('ann', () => NOON);
    const ask = async (query: number) => domain.take(agent.sign('DISCOVER', { payload: { query: `${query}` } }));
    await ask(0);
    await happens('the first is being handled', async () => seen.length === 1 || undefined);
    for (let query = 1; query <= 11; query++) assert.deepEqual(await ask(query), ['accepted']);
    assert.deepEqual(lost, [{ lost: 2 }]);
    go();
    await happens('the newest is handled', async () => seen.at(-1) === '11' || undefined);
    assert.deepEqual(seen, ['0', ...Array.from({ length: 10 }, (_, index) => `${index + 2}`)]);
    await happens('nothing is left', async () => (await domain.space.page(unhandled)).length === 0 || undefined);
  });
});
