import assert from 'node:assert/strict';
import { SeenCache } from '../../core/mesh/broadcast/seen-cache.ts';
import { eventually } from '../support/eventually.ts';
import { idOf, makeEnvelope, pause, TestMesh, type TestNode } from './mesh-fixture.ts';
import { RawPeer } from './raw-peer.ts';
import { testIdentity } from './test-identity.ts';
import { VirtualClock } from './virtual-clock.ts';

describe('a broadcast', () => {
  let world: TestMesh;
  beforeEach(() => {
    world = new TestMesh();
  });
  afterEach(() => world.close());

  async function star(count: number, limits = {}) {
    const hub = await world.node({ seed: 100, hub: true, limits });
    const leaves: TestNode[] = [];
    for (let index = 0; index < count; index++) {
      const leaf = await world.node({ seed: index + 1, hubs: [{ url: hub.url }] });
      leaf.mesh.subscribe(['weather']);
      leaves.push(leaf);
    }
    await eventually(() => hub.mesh.peers().length === count);
    await eventually(() => spreadCount(hub) === count);
    await eventually(() => leaves.every(({ received }) => received.length > 0));
    await pause(20);
    for (const leaf of leaves) leaf.received.length = 0;
    return { hub, leaves };
  }

  const send = (from: TestNode, envelope: Uint8Array, topic = 'weather') =>
    from.mesh.broadcast(envelope, idOf(envelope), topic);
  const spreadCount = (hub: TestNode) => send(hub, makeEnvelope(hub.key));

  it('reaches every subscriber once, with its topic, and not its sender', async () => {
    const { hub, leaves } = await star(3);
    const [alice, bob, carol] = leaves as [TestNode, TestNode, TestNode];
    carol.mesh.unsubscribe(['weather']);
    await eventually(() => spreadCount(hub) === 2);
    await pause(20);
    bob.received.length = 0;
    carol.received.length = 0;
    alice.received.length = 0;
    const envelope = makeEnvelope(alice.key);
    assert.deepEqual([send(alice, envelope), send(alice, envelope)], [1, 1]);
    await eventually(() => bob.received.length > 0);
    send(alice, envelope);
    await eventually(() => hub.mesh.stats().broadcastsSeen > 0);
    await pause(30);
    assert.deepEqual(
      [alice, bob, carol].map(({ received }) => received.length),
      [0, 1, 0],
    );
    assert.deepEqual(Buffer.from(bob.received[0]!.envelope), Buffer.from(envelope));
    assert.deepEqual([bob.received[0]!.kind, bob.received[0]!.from.topic], ['broadcast', 'weather']);
  });

  it('is not forwarded before the hub accepted it, and not at all when it did not', async () => {
    const { hub, leaves } = await star(2);
    const [alice, bob] = leaves as [TestNode, TestNode];
    let decide: (answer: 'accepted') => void = () => {};
    hub.answer = () => new Promise((resolve) => (decide = resolve));
    send(alice, makeEnvelope(alice.key));
    await eventually(() => hub.received.length === 1);
    await pause(30);
    assert.equal(bob.received.length, 0);
    decide('accepted');
    await eventually(() => bob.received.length === 1);
    for (const reason of ['invalid', 'duplicate', 'blocked'] as const) {
      hub.answer = async () => reason;
      send(alice, makeEnvelope(alice.key));
    }
    hub.answer = async () => Promise.reject(new Error('disk full'));
    send(alice, makeEnvelope(alice.key));
    send(alice, new Uint8Array(10));
    await eventually(() => hub.mesh.stats().broadcastsIn === 6);
    await pause(30);
    assert.equal(bob.received.length, 1);
    assert.equal(hub.mesh.stats().broadcastsRefused >= 1, true);
  });

  it('that failed is judged again when it comes again: a forged copy cannot shadow the real one', async () => {
    const { hub, leaves } = await star(2);
    const [alice, bob] = leaves as [TestNode, TestNode];
    const envelope = makeEnvelope(alice.key);
    hub.answer = async () => 'invalid';
    send(alice, envelope);
    await eventually(() => hub.received.length === 1);
    hub.answer = async () => 'accepted';
    send(alice, envelope);
    await eventually(() => bob.received.length === 1);
  });

  it('of a sender who sends too many is taken in but not forwarded', async () => {
    const { hub, leaves } = await star(2, { senderRate: 5 });
    const [alice, bob] = leaves as [TestNode, TestNode];
    for (let index = 0; index < 30; index++) send(alice, makeEnvelope(alice.key));
    await eventually(() => hub.mesh.stats().broadcastsIn === 30);
    await pause(50);
    assert.ok(bob.received.length >= 10 && bob.received.length < 15, `${bob.received.length} forwarded`);
    assert.ok(hub.mesh.stats().broadcastsDropped >= 15);
  });

  it('of somebody else reaches a leaf over its hubs alone, whatever a peer says that it is', async () => {
    const hub = await world.node({ seed: 100, hub: true });
    const leaf = await world.node({ seed: 1, hubs: [{ url: hub.url }] });
    leaf.mesh.subscribe(['weather']);
    const liar = await RawPeer.connect(leaf.url);
    await liar.shake();
    liar.say({ type: 'welcome', name: 'hub', hub: true });
    const [own, other] = [makeEnvelope(testIdentity(50).key), makeEnvelope(testIdentity(51).key)];
    for (const envelope of [other, own]) liar.say({ type: 'broadcast', topic: 'weather', envelope });
    await eventually(() => leaf.received.length === 1);
    assert.deepEqual(leaf.received[0]?.envelope, new Uint8Array(own));
    assert.equal(leaf.mesh.stats().broadcastsRefused, 1);
    await eventually(() => leaf.mesh.peers().some(({ kept }) => kept));
    await eventually(() => hub.mesh.broadcast(other, idOf(other), 'weather') === 1);
    await eventually(() => leaf.received.length === 2);
    await liar.close();
  });

  it('beyond the rate of its session is dropped', async () => {
    const { hub, leaves } = await star(1, { broadcastRate: 5 });
    const [alice] = leaves as [TestNode];
    for (let index = 0; index < 30; index++) send(alice, makeEnvelope(alice.key));
    await eventually(() => hub.mesh.stats().rateLimited >= 15);
    assert.ok(hub.received.length < 15);
  });

  it('is refused with a topic or size that no frame takes, and so are too many topics', async () => {
    const alice = await world.node({ seed: 1, limits: { topics: 2 } });
    assert.throws(() => send(alice, makeEnvelope(alice.key), ''), RangeError);
    assert.throws(() => send(alice, makeEnvelope(alice.key), 'x'.repeat(65)), RangeError);
    assert.throws(() => send(alice, makeEnvelope(alice.key, 70_000)), RangeError);
    assert.throws(() => alice.mesh.subscribe(['a', 'b', 'c']), RangeError);
    assert.throws(() => alice.mesh.subscribe(['line\nbreak']), RangeError);
  });

  it('costs a peer its session when it subscribes to too much', async () => {
    const hub = await world.node({ seed: 100, hub: true, limits: { topics: 2 } });
    const alice = await world.node({ seed: 1, hubs: [{ url: hub.url }] });
    await eventually(() => alice.mesh.peers().length === 1);
    alice.mesh.subscribe(['a', 'b', 'c']);
    await eventually(() => alice.events.includes('down node 100: too many topics'));
    assert.equal(hub.mesh.stats().faults.flood >= 1, true);
  });
});

describe('the seen-cache', () => {
  it('forgets by age and by number', async () => {
    const clock = new VirtualClock();
    const seen = new SeenCache(clock, 3, 1_000);
    const ids = [1, 2, 3, 4].map((fill) => new Uint8Array(32).fill(fill));
    for (const id of ids) seen.add(id);
    assert.deepEqual(
      ids.map((id) => seen.has(id)),
      [false, true, true, true],
    );
    assert.equal(seen.size, 3);
    await clock.advance(1_001);
    assert.equal(seen.has(ids[3]!), false);
    seen.add(ids[0]!);
    assert.equal(seen.size, 1, 'what is over takes no place');
  });
});
