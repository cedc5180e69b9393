import assert from 'node:assert/strict';
import type { AckReason } from '../../core/mesh/ack.ts';
import type { MeshLimits } from '../../core/mesh/limits.ts';
import { Circuit, WINDOW } from '../../core/mesh/relay/circuit.ts';
import { RelayLeg } from '../../core/mesh/relay/relay-leg.ts';
import { Slots } from '../../core/mesh/relay/slots.ts';
import { eventually } from '../support/eventually.ts';
import { idOf, makeEnvelope, pause, TestMesh, type TestNode } from './mesh-fixture.ts';

const accepted = { outcome: 'acked', reason: 'accepted' };
const deliver = (from: TestNode, to: TestNode, envelope = makeEnvelope(from.key)) =>
  from.mesh.deliver(to.key, envelope, idOf(envelope));
const relayedPeers = (node: TestNode) => node.mesh.peers().filter(({ relayed }) => relayed);

describe('a relayed session', () => {
  let world: TestMesh;
  const undo: (() => void)[] = [];
  beforeEach(() => {
    world = new TestMesh();
  });
  afterEach(async () => {
    for (const restore of undo.splice(0)) restore();
    await world.close();
  });

  /** A hub and leaves that nobody knows a URL of, each with a slot there. */
  async function star(limits: Partial<MeshLimits> = {}, leafLimits: Partial<MeshLimits> = {}, count = 2) {
    const hub = await world.node({ seed: 100, hub: true, limits });
    const leaves: TestNode[] = [];
    for (let index = 0; index < count; index++) {
      leaves.push(await world.node({ seed: index + 1, hubs: [{ url: hub.url }], limits: leafLimits }));
    }
    await eventually(() => hub.mesh.stats().slots === count);
    const [alice, bob, carol] = leaves as [TestNode, TestNode, TestNode];
    return { hub, alice, bob, carol };
  }

  /** Makes this process's hubs do something else than they should. */
  function corrupt<Name extends PropertyKey, Of extends Record<Name, unknown>>(of: Of, name: Name, by: Of[Name]): void {
    const before = of[name];
    of[name] = by;
    undo.push(() => {
      of[name] = before;
    });
  }

  it('carries acknowledged envelopes both ways between leaves that cannot be dialled', async () => {
    const { hub, alice, bob } = await star();
    bob.answer = async ({ envelope }) => (envelope.length === 301 ? 'restricted' : 'accepted');
    assert.deepEqual(await deliver(alice, bob), accepted);
    assert.deepEqual(await deliver(bob, alice, makeEnvelope(bob.key, 66_048)), accepted);
    assert.deepEqual(await deliver(alice, bob, makeEnvelope(alice.key, 301)), {
      outcome: 'acked',
      reason: 'restricted',
    });
    assert.deepEqual(
      [relayedPeers(alice)[0]?.name, relayedPeers(bob)[0]?.name, relayedPeers(hub).length],
      ['node 2', 'node 1', 0],
    );
    assert.deepEqual(bob.received[0]!.from.key, alice.key);
    assert.equal(hub.received.length, 0);
    const { circuits, circuitsOpened, slots } = hub.mesh.stats();
    assert.deepEqual([circuits, circuitsOpened, slots], [1, 1, 2]);
    await alice.mesh.close();
    await eventually(() => hub.mesh.stats().circuits === 0 && hub.mesh.stats().slots === 1);
    await eventually(() => relayedPeers(bob).length === 0);
  });

  it('carries many envelopes of every size through its window, in order', async () => {
    const { hub, alice, bob } = await star({}, { envelopeRate: 10_000, queued: 2_000, queuedBytes: 64e6 });
    const sizes = Array.from({ length: 400 }, (_, index) => 40 + ((index * 7_919) % 66_000));
    const sent = sizes.map((size) => makeEnvelope(alice.key, size));
    const outcomes = await Promise.all(sent.map((envelope) => deliver(alice, bob, envelope)));
    const failed = outcomes.filter(({ outcome }) => outcome !== 'acked');
    assert.deepEqual(failed, []);
    const wanted = sent.map((envelope) => Buffer.from(idOf(envelope)).toString('hex'));
    const heard = bob.received.map(({ envelope }) => Buffer.from(idOf(envelope)).toString('hex'));
    assert.deepEqual([...new Set(heard)].length, 400);
    assert.deepEqual(heard, wanted);
    assert.ok(hub.mesh.stats().relayedBytes > 400 * 30_000);
  });

  it('goes over a hub that the recipient names, when the two share none', async () => {
    const { hub, bob } = await star();
    const near = await world.node({ seed: 101, hub: true });
    const dora = await world.node({
      seed: 4,
      hubs: [{ url: near.url }],
      directory: {
        lookup: async (key) => (Buffer.compare(key, hub.key) === 0 ? [hub.url] : []),
        hubs: async () => [near.key, hub.key],
      },
    });
    await eventually(() => near.mesh.stats().slots === 1);
    assert.deepEqual(await deliver(dora, bob), accepted);
    assert.equal(relayedPeers(bob)[0]?.name, 'node 4');
    assert.equal(hub.mesh.stats().slots, 2, 'a hub that was asked once is not a hub to be reached over');
  });

  it('can be asked for before it is opened', async () => {
    const { hub, alice, bob } = await star();
    const stranger = await world.node({ seed: 9 });
    assert.deepEqual(await alice.mesh.locate(bob.key), { session: true, slot: true });
    assert.deepEqual(await alice.mesh.locate(stranger.key), { session: false, slot: false });
    assert.deepEqual(await stranger.mesh.locate(bob.key), { session: false, slot: false });
    assert.deepEqual(await deliver(alice, stranger), { outcome: 'unreachable' });
    assert.equal(hub.mesh.stats().circuitsRefused, 0);
  });

  it('is not for leaves beyond the slots of the hub', async () => {
    const hub = await world.node({ seed: 100, hub: true, limits: { slots: 1 } });
    const alice = await world.node({ seed: 1, hubs: [{ url: hub.url }], limits: { maxBackoffMs: 50 } });
    await eventually(() => hub.mesh.stats().slots === 1);
    const bob = await world.node({ seed: 2, hubs: [{ url: hub.url }], limits: { maxBackoffMs: 50 } });
    await eventually(() => bob.mesh.peers().length === 1);
    assert.deepEqual(await bob.mesh.locate(alice.key), { session: true, slot: true });
    assert.deepEqual(await alice.mesh.locate(bob.key), { session: true, slot: false });
    assert.deepEqual(await deliver(alice, bob), { outcome: 'unreachable' });
    await alice.mesh.close();
    await eventually(() => hub.mesh.stats().slots === 1 && hub.mesh.peers().length === 1);
    const carol = await world.node({ seed: 3, hubs: [{ url: hub.url }] });
    await eventually(() => carol.mesh.peers().length === 1);
    assert.deepEqual(await carol.mesh.locate(bob.key), { session: true, slot: true });
  });

  it('keeps its content from the hub', async () => {
    const seen: Uint8Array[] = [];
    const data = RelayLeg.prototype.data;
    corrupt(RelayLeg.prototype, 'data', function (this: RelayLeg, message: Uint8Array) {
      seen.push(Uint8Array.from(message));
      data.call(this, message);
    });
    const { alice, bob } = await star();
    const secret = Buffer.concat([alice.key, Buffer.from('a secret that is easy to find')]);
    assert.deepEqual(await deliver(alice, bob, secret), accepted);
    const all = Buffer.concat(seen);
    assert.ok(all.length > secret.length);
    for (const part of ['secret', Buffer.from(alice.key), 'node 1']) assert.equal(all.includes(part), false);
  });

  it('ends when the hub changes a byte of it, and starts anew', async () => {
    let messages = 0;
    const data = RelayLeg.prototype.data;
    corrupt(RelayLeg.prototype, 'data', function (this: RelayLeg, message: Uint8Array) {
      messages += 1;
      const changed = Uint8Array.from(message);
      if (messages === 6) changed[changed.length - 1]! ^= 1;
      data.call(this, changed);
    });
    const { alice, bob } = await star();
    const outcomes = [await deliver(alice, bob), await deliver(alice, bob), await deliver(alice, bob)];
    assert.ok(outcomes.some(({ outcome }) => outcome === 'unknown'));
    assert.equal(alice.mesh.stats().faults.record + bob.mesh.stats().faults.record, 1);
    await eventually(() => relayedPeers(bob).length + relayedPeers(alice).length !== 1);
    assert.deepEqual(await deliver(alice, bob), accepted);
  });

  it('is refused when the hub says that it is from another, and the hub gains nothing', async () => {
    const { alice, bob, carol } = await star({}, {}, 3);
    const open = Circuit.prototype.open;
    corrupt(Circuit.prototype, 'open', function (this: Circuit, from: Uint8Array, to: Uint8Array) {
      const byHub = this.number % 2 === 0;
      return open.call(this, byHub ? carol.key : from, to);
    });
    assert.deepEqual(await deliver(alice, bob), { outcome: 'unreachable' });
    assert.deepEqual([bob.received.length, relayedPeers(bob).length], [0, 0]);
    assert.ok(bob.mesh.stats().faults.handshake + alice.mesh.stats().faults.handshake > 0);
  });

  it('is refused by anyone but its recipient', async () => {
    const { alice, bob, carol, hub } = await star({}, {}, 3);
    const find = Slots.prototype.find;
    corrupt(Slots.prototype, 'find', function (this: Slots, key: Uint8Array) {
      return find.call(this, Buffer.compare(key, bob.key) === 0 ? carol.key : key);
    });
    assert.deepEqual(await deliver(alice, bob), { outcome: 'unreachable' });
    await eventually(() => carol.mesh.stats().faults.frame === 1);
    assert.deepEqual([carol.received.length, hub.mesh.stats().circuits], [0, 0]);
  });

  it('leaves what was under way unknown when the hub goes, and comes back with it', async () => {
    const { hub, alice, bob } = await star();
    bob.answer = () => new Promise<AckReason>(() => {});
    const sent = deliver(alice, bob);
    await eventually(() => bob.received.length === 1);
    const port = Number(new URL(hub.url).port);
    await hub.mesh.close();
    assert.deepEqual(await sent, { outcome: 'unknown' });
    assert.deepEqual(await deliver(alice, bob), { outcome: 'unreachable' });
    bob.answer = async () => 'accepted';
    const again = await world.node({ seed: 100, hub: true, port });
    await eventually(() => again.mesh.stats().slots === 2);
    await pause(60);
    assert.deepEqual(await deliver(alice, bob), accepted);
  });

  it('stops its sender while the reader is slow, keeps little at the hub, and loses nothing', async () => {
    const { hub, alice, bob } = await star(
      {},
      { inFlight: 1_000, inFlightBytes: 64e6, queued: 1_000, queuedBytes: 64e6 },
    );
    const slow = await world.node({ seed: 5, hubs: [{ url: hub.url }], limits: { inFlight: 5, envelopeRate: 10_000 } });
    await eventually(() => hub.mesh.stats().slots === 3);
    const waiting: ((answer: AckReason) => void)[] = [];
    slow.answer = () => new Promise((resolve) => waiting.push(resolve));
    const sends = Array.from({ length: 100 }, () => deliver(alice, slow, makeEnvelope(alice.key, 20_000)));
    await eventually(() => waiting.length > 0);
    await pause(100);
    const carried = hub.mesh.stats().relayedBytes;
    assert.ok(carried <= 2 * WINDOW, `${carried} bytes carried to a reader who does not read`);
    assert.deepEqual(await deliver(alice, bob), accepted, 'others are not held up');
    while (slow.received.length < 100 || waiting.length > 0) {
      for (const settle of waiting.splice(0)) settle('accepted');
      await pause(1);
    }
    assert.ok((await Promise.all(sends)).every(({ outcome }) => outcome === 'acked'));
  });

  it('gives way to a direct one when either side says where it can be dialled', async () => {
    const { hub, alice } = await star({}, {}, 1);
    for (const seed of [5, 6]) {
      const dora = await world.node({ seed, announced: true, hubs: [{ url: hub.url }] });
      await eventually(() => hub.mesh.stats().slots === seed - 3);
      const [from, to] = seed === 5 ? [alice, dora] : [dora, alice];
      assert.deepEqual(await deliver(from, to), accepted);
      const direct = () => alice.mesh.peers().find(({ name, relayed }) => name === `node ${seed}` && !relayed);
      await eventually(() => direct() !== undefined && hub.mesh.stats().circuits === 0);
      assert.equal(direct()!.dialled, true);
      assert.deepEqual([await deliver(from, to), await deliver(to, from)], [accepted, accepted]);
      assert.equal(hub.mesh.stats().circuits, 0);
      assert.deepEqual(dora.events, ['up node 100', 'up node 1'], 'the peer did not go down');
    }
  });

  it('stays when nobody answers where the peer says that it can be dialled', async () => {
    const { hub, alice } = await star({}, {}, 1);
    const dora = await world.node({ seed: 5, url: 'ws://127.0.0.1:1/mesh', hubs: [{ url: hub.url }] });
    await eventually(() => hub.mesh.stats().slots === 2);
    assert.deepEqual(await deliver(alice, dora), accepted);
    await eventually(() => alice.mesh.stats().dialsFailed === 1);
    assert.deepEqual(await deliver(alice, dora), accepted);
    assert.equal(relayedPeers(alice).length, 1);
  });

  it('is slowed down, not cut, by a hub whose rate it exceeds', async () => {
    const { alice, bob } = await star({ relayByteRate: 400_000 }, { queuedBytes: 64e6 });
    const started = process.hrtime.bigint();
    const sends = Array.from({ length: 30 }, () => deliver(alice, bob, makeEnvelope(alice.key, 50_000)));
    assert.ok((await Promise.all(sends)).every(({ outcome }) => outcome === 'acked'));
    const ms = Number(process.hrtime.bigint() - started) / 1e6;
    // 1.5 MB less the window and the burst of two seconds leaves about 440 kB to wait for.
    assert.ok(ms > 500 && ms < 15_000, `${ms} ms`);
  });
});
