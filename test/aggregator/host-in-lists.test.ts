import assert from 'node:assert/strict';
import { toBase64 } from '../../core/platform/bytes.ts';
import { ShiftedClock } from '../support/shifted-clock.ts';
import { network, TestAgent } from './support/agent.ts';
import { bootAggregator } from './support/aggregator.ts';

describe('the host of an agent in lists', () => {
  it('is gone when its claim ends, though nothing is written then', async () => {
    const clock = new ShiftedClock();
    const now = () => clock.now();
    const [host, guest, recovery] = ['host', 'guest', 'recovery'].map((name) => new TestAgent(name, now)) as [
      TestAgent,
      TestAgent,
      TestAgent,
    ];
    const aggregator = await bootAggregator({ clock });
    try {
      const not_after = Math.floor(clock.now() / 1_000) + 3_600;
      const fields = { host_key: host.identity.key, recovery_key: recovery.identity.key, not_after };
      const signature_b64 = toBase64(guest.identity.signDomain('host/1', network, fields));
      const claim = { agent_id: guest.id, recovery_key: recovery.id, not_after, signature_b64 };
      await aggregator.ingest(guest.beacon('guest').whole, host.beacon('host', { hosted: [claim] }).whole);
      const hostOf = async () =>
        (await aggregator.read('/agents')).find(({ agent_id }: { agent_id: string }) => agent_id === guest.id).host;
      assert.equal(await hostOf(), host.id);
      clock.shift(3_601_000);
      assert.equal(await hostOf(), undefined);
    } finally {
      await aggregator.stop();
    }
  });
});
