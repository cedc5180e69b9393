import assert from 'node:assert/strict';
import { createMesh } from '../../core/mesh/mesh.ts';
import { silentLog } from '../../core/platform/log.ts';
import { systemRandom } from '../../core/platform/system-clock.ts';
import { eventually } from '../support/eventually.ts';
import { MemoryNetwork } from '../support/memory-mesh/memory-network.ts';
import { idOf, makeEnvelope, pause, TestMesh, type TestNode, viewEnvelope } from './mesh-fixture.ts';
import { testIdentity } from './test-identity.ts';
import { VirtualClock } from './virtual-clock.ts';

const deliver = (from: TestNode, to: TestNode, envelope = makeEnvelope(from.key)) =>
  from.mesh.deliver(to.key, envelope, idOf(envelope));
const spread = (from: TestNode, topic: string, envelope = makeEnvelope(from.key)) =>
  from.mesh.broadcast(envelope, idOf(envelope), topic);
const accepted = { outcome: 'acked', reason: 'accepted' };
const connected = (...nodes: TestNode[]) => eventually(() => nodes.every((node) => node.mesh.peers().length > 0));

describe('the mesh', () => {
  let world: TestMesh;
  beforeEach(() => {
    world = new TestMesh();
  });
  afterEach(() => world.close());

  /** A hub and leaves that keep a session with it. */
  async function star(count: number) {
    const hub = await world.node({ seed: 100, hub: true });
    const leaves: TestNode[] = [];
    for (let index = 0; index < count; index++) {
      leaves.push(await world.node({ seed: index + 1, hubs: [{ url: hub.url }] }));
    }
    await eventually(() => hub.mesh.peers().length === count && leaves.every((leaf) => leaf.mesh.peers().length === 1));
    return { hub, leaves };
  }

  it('carries envelopes between two nodes and a hub, each answered by its recipient', async () => {
    const { hub, leaves } = await star(2);
    const [alice, bob] = leaves as [TestNode, TestNode];
    bob.answer = async () => 'restricted';
    assert.deepEqual(await deliver(alice, hub), accepted);
    assert.deepEqual(await deliver(hub, alice), accepted);
    assert.deepEqual(await deliver(hub, bob), { outcome: 'acked', reason: 'restricted' });
    assert.deepEqual(hub.received[0]?.from.key, alice.key);
    assert.equal(hub.received[0]?.kind, 'direct');
    assert.deepEqual(
      hub.mesh.peers().map(({ name, hub: isHub, dialled, state }) => ({ name, isHub, dialled, state })),
      [
        { name: 'node 1', isHub: false, dialled: false, state: 'open' },
        { name: 'node 2', isHub: false, dialled: false, state: 'open' },
      ],
    );
    assert.equal(alice.mesh.peers()[0]?.hub, true);
    const { envelopesIn, envelopesOut, outcomes } = hub.mesh.stats();
    assert.deepEqual([envelopesIn, envelopesOut, outcomes.accepted, outcomes.restricted], [1, 2, 1, 1]);
  });

  it('dials a peer whose URL the directory knows, once for many envelopes', async () => {
    const bob = await world.node({ seed: 2 });
    let lookups = 0;
    const lookup = async () => {
      lookups += 1;
      return ['ws://127.0.0.1:1/mesh', bob.url];
    };
    const alice = await world.node({ seed: 1, directory: { lookup } });
    const results = await Promise.all(Array.from({ length: 50 }, () => deliver(alice, bob)));
    assert.ok(results.every((result) => result.outcome === 'acked'));
    assert.deepEqual([lookups, alice.mesh.stats().dialsFailed, bob.mesh.peers().length], [1, 1, 1]);
    assert.deepEqual(await deliver(bob, alice), accepted);
  });

  it('does not hand an envelope to another key that answers at the URL, and leaves it alone for a while', async () => {
    const mallory = await world.node({ seed: 66 });
    const bob = await world.node({ seed: 2 });
    let lookups = 0;
    const lookup = async () => {
      lookups += 1;
      return [mallory.url];
    };
    const alice = await world.node({ seed: 1, directory: { lookup }, limits: { redialMs: 60_000 } });
    assert.deepEqual(await deliver(alice, bob), { outcome: 'unreachable' });
    assert.deepEqual(await deliver(alice, bob), { outcome: 'unreachable' });
    assert.equal(lookups, 1);
    assert.equal(mallory.received.length, 0);
  });

  it('answers unreachable for itself, for strangers, and busy beyond its dials', async () => {
    const lookup = async () => {
      await pause(50);
      return [];
    };
    const alice = await world.node({ seed: 1, directory: { lookup }, limits: { dials: 1 } });
    assert.deepEqual(await deliver(alice, alice), { outcome: 'unreachable' });
    const [first, second] = [3, 4].map((fill) =>
      alice.mesh.deliver(new Uint8Array(32).fill(fill), makeEnvelope(alice.key), alice.key),
    );
    assert.deepEqual(await second, { outcome: 'busy' });
    assert.deepEqual(await first, { outcome: 'unreachable' });
  });

  it('ends with one session when both sides dial at once, and loses no envelope', async () => {
    let both = 0;
    for (let round = 0; round < 5; round++) {
      const urls: Record<string, string> = {};
      const lookup = async (key: Uint8Array) => [urls[Buffer.from(key).toString('hex')]!];
      const [alice, bob] = await Promise.all([
        world.node({ seed: 10 + round, directory: { lookup } }),
        world.node({ seed: 20 + round, directory: { lookup } }),
      ]);
      for (const node of [alice, bob]) urls[Buffer.from(node.key).toString('hex')] = node.url;
      const results = await Promise.all([deliver(alice, bob), deliver(bob, alice)]);
      assert.deepEqual(results, [accepted, accepted]);
      await pause(150);
      const [a, b] = [alice.mesh.peers(), bob.mesh.peers()];
      assert.deepEqual([a.length, b.length], [1, 1]);
      assert.notEqual(a[0]!.dialled, b[0]!.dialled);
      for (const { mesh } of [alice, bob]) {
        await eventually(() => mesh.stats().sessionsOpened - mesh.stats().sessionsClosed === 1);
        both += mesh.stats().sessionsOpened - 1;
      }
      assert.deepEqual([alice.events.length, bob.events.length], [1, 1], 'no peer went down');
      assert.deepEqual([alice.received.length, bob.received.length], [1, 1]);
    }
    assert.ok(both > 0, 'no round had two sessions to choose from');
  });

  it('comes back to a hub that restarted, and asks for its topics again', async () => {
    const { hub, leaves } = await star(1);
    const [alice] = leaves as [TestNode];
    alice.mesh.subscribe(['weather']);
    const port = Number(new URL(hub.url).port);
    await hub.mesh.close();
    await eventually(() => alice.mesh.peers().length === 0);
    await pause(100);
    const again = await world.node({ seed: 100, hub: true, port });
    await connected(alice, again);
    await eventually(() => spread(again, 'weather') === 1);
    await eventually(() => alice.received.length > 0);
    assert.deepEqual(alice.events, ['up node 100', 'down node 100: closing', 'up node 100']);
  });

  it('refuses more peers than its limit', async () => {
    const hub = await world.node({ seed: 100, hub: true, limits: { peers: 1 } });
    const alice = await world.node({ seed: 1, hubs: [{ url: hub.url }] });
    await connected(alice);
    const bob = await world.node({ seed: 2, hubs: [{ url: hub.url }] });
    await eventually(() => hub.mesh.stats().refusedFull > 0);
    assert.equal(bob.mesh.peers().length, 0);
    assert.equal(hub.mesh.peers().length, 1);
  });

  it('closes dialled sessions that nobody uses, not those to its hubs', async () => {
    const clock = new VirtualClock();
    const network = new MemoryNetwork(clock);
    const [alice, bob, hub] = ['alice', 'bob', 'hub'].map((name, index) =>
      createMesh({
        certifier: testIdentity(index + 1),
        network: new Uint8Array(32),
        transports: [network.transport(name)],
        clock,
        random: systemRandom,
        log: silentLog,
        name,
        hub: name === 'hub',
        hubs: name === 'alice' ? [{ url: 'memory:hub' }] : [],
        directory: { lookup: async () => ['memory:bob'] },
        envelopes: { view: viewEnvelope },
        onEnvelope: async () => 'accepted',
      }),
    );
    for (const mesh of [hub!, bob!, alice!]) mesh.start();
    await clock.advance(1_000);
    const envelope = makeEnvelope(testIdentity(1).key);
    const delivery = alice!.deliver(testIdentity(2).key, envelope, idOf(envelope));
    await clock.advance(1_000);
    assert.deepEqual(await delivery, accepted);
    const names = () => alice!.peers().map(({ name }) => name);
    assert.deepEqual(names(), ['hub', 'bob']);
    await clock.advance(700_000);
    assert.deepEqual(names(), ['hub']);
    const closing = Promise.all([alice, bob, hub].map((mesh) => mesh!.close()));
    await clock.advance(10_000);
    await closing;
    assert.equal(clock.timers, 0);
  });

  it('tells a node what its hub holds of it, and alarms when two processes live under one key', async () => {
    const hub = await world.node({ seed: 100, hub: true, newestOf: async () => Buffer.from('header') });
    const first = await world.node({ seed: 1, hubs: [{ url: hub.url }] });
    await connected(first);
    assert.deepEqual(first.events, ['newest header of node 100', 'up node 100']);
    const second = await world.node({ seed: 1, hubs: [{ url: hub.url }] });
    await connected(second);
    await eventually(() => first.events.includes('identity in use, says node 100'));
    assert.equal(hub.mesh.peers().length, 1);
    const third = await world.node({ seed: 1, hubs: [{ url: second.url }] });
    await eventually(() => third.events.includes('identity in use') && second.events.includes('identity in use'));
  });

  it('does not talk to itself', async () => {
    const reasons: unknown[] = [];
    const log = { ...silentLog, debug: (fields: { why?: string }) => void reasons.push(fields.why) };
    const alone = await world.node({ seed: 1, hubs: (url) => [{ url }], log });
    await eventually(() => reasons.some((why) => /this is me/.test(String(why))));
    assert.deepEqual(alone.events, []);
    assert.deepEqual(alone.mesh.peers(), []);
  });

  it('survives mistakes of its handler, its observers and its store', async () => {
    const newestOf = () => {
      throw new Error('disk full');
    };
    const hub = await world.node({ seed: 100, hub: true, newestOf });
    hub.mesh.watch({
      peerUp() {
        throw new Error('a bug');
      },
    });
    const alice = await world.node({ seed: 1, hubs: [{ url: hub.url }], newestOf: async () => new Uint8Array(256) });
    await connected(alice, hub);
    const retry = { outcome: 'acked', reason: 'rate-limited' };
    hub.answer = () => {
      throw new Error('a bug');
    };
    assert.deepEqual(await deliver(alice, hub), retry);
    hub.answer = async () => ({ reason: 'conflict', evidence: new Uint8Array(256) });
    assert.deepEqual(await deliver(alice, hub), retry);
    hub.answer = async () => ({ reason: 'conflict', evidence: Buffer.from('proof') });
    assert.deepEqual(await deliver(alice, hub), {
      outcome: 'acked',
      reason: 'conflict',
      evidence: Buffer.from('proof'),
    });
    await assert.rejects(deliver(alice, hub, makeEnvelope(alice.key, 70_000)), RangeError);
  });

  it('refuses options that would end every session', async () => {
    await assert.rejects(world.node({ seed: 1, network: new Uint8Array(31) }), RangeError);
    await assert.rejects(world.node({ seed: 1, name: 'x'.repeat(65) }), RangeError);
    await assert.rejects(world.node({ seed: 1, name: 'two\nlines' }), RangeError);
    await assert.rejects(world.node({ seed: 1, url: 'x'.repeat(513) }), RangeError);
  });
});
