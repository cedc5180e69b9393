import assert from 'node:assert/strict';
import { createMesh } from '../../core/mesh/mesh.ts';
import { type Log, silentLog } from '../../core/platform/log.ts';
import { systemRandom } from '../../core/platform/system-clock.ts';
import { MemoryNetwork } from '../support/memory-mesh/memory-network.ts';
import { viewEnvelope } from './mesh-fixture.ts';
import { testIdentity } from './test-identity.ts';
import { VirtualClock } from './virtual-clock.ts';

describe('a hub that is away', () => {
  it('is warned of at the first failure, and once an hour while it is tried again', async () => {
    const clock = new VirtualClock();
    const warned: number[] = [];
    const log: Log = { ...silentLog, warn: () => void warned.push(clock.now()), child: () => log };
    const mesh = createMesh({
      certifier: testIdentity(1),
      network: new Uint8Array(32),
      transports: [new MemoryNetwork(clock).transport('node')],
      clock,
      random: { ...systemRandom, fraction: () => 0 },
      log,
      name: 'node',
      hub: false,
      directory: { lookup: async () => [] },
      envelopes: { view: viewEnvelope },
      onEnvelope: async () => 'accepted',
      hubs: [{ url: 'memory:nobody' }],
    });
    mesh.start();
    await clock.advance(3 * 3_600_000 + 120_000);
    const closing = mesh.close();
    await clock.advance(5_000);
    await closing;
    const [first, ...again] = warned;
    assert.equal(again.length, 3);
    for (const [index, at] of again.entries()) {
      const late = at - first! - (index + 1) * 3_600_000;
      // It is said at the first attempt of the hour, and a minute at most lies between two.
      assert.ok(late >= 0 && late <= (index + 1) * 60_000, `${late} ms after the hour`);
    }
  });
});
