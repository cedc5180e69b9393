import assert from 'node:assert/strict';
import { systemClock } from '../../core/platform/system-clock.ts';
import { eventually } from '../support/eventually.ts';
import { pause, TestMesh } from './mesh-fixture.ts';
import { RawPeer } from './raw-peer.ts';

const ahead = (ms: number) => ({ ...systemClock, now: () => systemClock.now() + ms });

/** Within what a busy machine may take to hand a message over. */
function near(actual: number | undefined, expected: number): void {
  assert.ok(actual !== undefined && Math.abs(actual - expected) < 1_500, `${actual} is not near ${expected}`);
}

describe('the time of the hubs', () => {
  let world: TestMesh;
  beforeEach(() => {
    world = new TestMesh();
  });
  afterEach(() => world.close());

  it('is known from their welcome on', async () => {
    const hub = await world.node({ seed: 100, hub: true, clock: ahead(50_000) });
    const alice = await world.node({ seed: 1, hubs: [{ url: hub.url }] });
    assert.equal(alice.mesh.clockOffset(), undefined);
    await eventually(() => alice.mesh.clockOffset() !== undefined);
    near(alice.mesh.clockOffset(), 50_000);
  });

  it('is the median of those that were configured, and nobody else’s', async () => {
    const hubs = [];
    for (const [index, ms] of [-55_000, 1_000, 40_000].entries()) {
      hubs.push(await world.node({ seed: 100 + index, hub: true, clock: ahead(ms) }));
    }
    const alice = await world.node({ seed: 1, hubs: hubs.map(({ url }) => ({ url })) });
    await eventually(() => alice.mesh.peers().length === 3);
    near(alice.mesh.clockOffset(), 1_000);
    const stranger = await world.node({ seed: 2, hub: true, clock: ahead(50_000), hubs: [{ url: alice.url }] });
    await eventually(() => alice.mesh.peers().length === 4 && stranger.mesh.clockOffset() !== undefined);
    near(alice.mesh.clockOffset(), 1_000);
    await hubs[2]!.mesh.close();
    await eventually(() => alice.mesh.peers().length === 3);
    near(alice.mesh.clockOffset(), 1_000);
  });

  it('is measured again with every ping', async () => {
    let wrong = 0;
    const clock = { ...systemClock, now: () => systemClock.now() + wrong };
    const hub = await world.node({ seed: 100, hub: true, clock });
    const alice = await world.node({ seed: 1, hubs: [{ url: hub.url }], limits: { pingMs: 30 } });
    await eventually(() => alice.mesh.clockOffset() !== undefined);
    near(alice.mesh.clockOffset(), 0);
    wrong = -45_000;
    await eventually(() => (alice.mesh.clockOffset() ?? 0) < -10_000);
    near(alice.mesh.clockOffset(), -45_000);
  });

  it('may be left out of a welcome', async () => {
    const hub = await world.node({ seed: 100, hub: true });
    const peer = await (await RawPeer.connect(hub.url)).open();
    assert.equal(hub.mesh.peers()[0]!.state, 'open');
    const welcome = peer.frames.find(({ type }) => type === 'welcome') as { time?: number };
    near(welcome.time, Date.now());
    await peer.close();
  });
});

describe('a node whose place was taken', () => {
  it('is told so by its hub, and leaves the hub to the other', async () => {
    const world = new TestMesh();
    try {
      const hub = await world.node({ seed: 100, hub: true });
      const first = await world.node({ seed: 1, hubs: [{ url: hub.url }] });
      await eventually(() => first.events.includes('up node 100'));
      const told: (boolean | undefined)[] = [];
      first.mesh.watch({ identityInUse: (_, peer) => told.push(peer?.kept) });
      const second = await world.node({ seed: 1, hubs: [{ url: hub.url }] });
      await eventually(() => told.length > 0);
      await pause(300);
      assert.deepEqual(told, [true]);
      assert.deepEqual([first.mesh.peers().length, second.mesh.peers().length], [0, 1]);
      assert.ok(!second.events.some((event) => event.startsWith('identity in use')));
    } finally {
      await world.close();
    }
  });
});
