import assert from 'node:assert/strict';
import type { Frame } from '../../core/mesh/frames/frames.ts';
import { WINDOW } from '../../core/mesh/relay/circuit.ts';
import { eventually } from '../support/eventually.ts';
import { pause, TestMesh, type TestNode } from './mesh-fixture.ts';
import { RawPeer } from './raw-peer.ts';
import { testIdentity } from './test-identity.ts';

describe('a relaying hub', () => {
  let world: TestMesh;
  let hub: TestNode;
  let bob: TestNode;
  const peers: RawPeer[] = [];
  const mine = testIdentity(50).key;

  beforeEach(async () => {
    world = new TestMesh();
    hub = await world.node({ seed: 100, hub: true, limits: { slotMs: 1_000, circuitsPerPeer: 4 } });
    bob = await world.node({ seed: 2, hubs: [{ url: hub.url }], limits: { slotMs: 1_000 } });
    await eventually(() => hub.mesh.stats().slots === 1);
  });
  afterEach(async () => {
    for (const peer of peers.splice(0)) await peer.close();
    await world.close();
  });

  async function stranger(seed = 50): Promise<RawPeer> {
    const peer = await RawPeer.connect(hub.url);
    peers.push(peer);
    return peer.open({ certifier: testIdentity(seed) });
  }
  const open = (circuit: number, from = mine, to = bob.key): Frame => ({ type: 'circuit-open', circuit, from, to });
  const data = (circuit: number, length: number): Frame => ({
    type: 'circuit-data',
    circuit,
    message: new Uint8Array(length),
  });
  const last = (peer: RawPeer, type: Frame['type']) => peer.frames.filter((frame) => frame.type === type).at(-1);
  const closing = async (peer: RawPeer, circuit: number) => {
    const found = () => peer.frames.find((frame) => frame.type === 'circuit-close' && frame.circuit === circuit);
    await eventually(() => found() !== undefined);
    return (found() as Frame & { type: 'circuit-close' }).reason;
  };

  const offences: [what: string, say: (peer: RawPeer) => Frame[], reason: RegExp][] = [
    ['opens a circuit in the name of another', () => [open(1, testIdentity(1).key)], /in the name of another/],
    ['opens a circuit twice', () => [open(1), open(1)], /number that is not free/],
    ['opens a circuit with a number of the hub', () => [open(2)], /number that is not free/],
    ['gives credit for nothing', () => [open(1), { type: 'circuit-credit', circuit: 1, bytes: WINDOW }], /credited/],
  ];
  for (const [what, say, reason] of offences) {
    it(`ends the session of a peer who ${what}`, async () => {
      const peer = await stranger();
      for (const frame of say(peer)) peer.say(frame);
      await peer.closed();
      assert.match(peer.reason!, reason);
      assert.equal(hub.mesh.stats().faults.frame, 1);
      await eventually(() => hub.mesh.stats().circuits === 0);
      assert.deepEqual([bob.received, bob.events], [[], ['up node 100']]);
    });
  }

  it('ends the session of a peer who sends more than the window, and holds no more than that for a reader', async () => {
    const reader = await stranger(51);
    reader.say({ type: 'reserve', seconds: 1 });
    await eventually(() => last(reader, 'reserved') !== undefined);
    const peer = await stranger();
    peer.say(open(1, mine, testIdentity(51).key));
    for (let index = 0; index < 8; index++) peer.say(data(1, 60_000));
    await peer.closed();
    assert.match(peer.reason!, /its window/);
    await eventually(() => last(reader, 'circuit-close') !== undefined);
    assert.equal(reader.frames.filter(({ type }) => type === 'circuit-data').length, 4);
    assert.ok(hub.mesh.stats().relayedBytes <= WINDOW);
  });

  it('refuses circuits to nobody, too many to one, and too many in all', async () => {
    const peer = await stranger();
    peer.say(open(1, mine, testIdentity(77).key));
    assert.equal(await closing(peer, 1), 'not here');
    peer.say(open(3), open(5), open(7));
    assert.equal(await closing(peer, 7), 'too many circuits');
    const others = [await stranger(51), await stranger(52)];
    for (const [index, other] of others.entries()) {
      const key = testIdentity(51 + index).key;
      other.say(open(1, key), open(3, key));
    }
    await eventually(() => hub.mesh.stats().circuits === 4 && hub.mesh.stats().circuitsRefused >= 4);
    await eventually(() => others.some((other) => last(other, 'circuit-close') !== undefined));
  });

  it('forgets a slot that was given up or ran out', async () => {
    const peer = await stranger();
    const asks = await stranger(51);
    const slot = async () => {
      const before = asks.frames.length;
      asks.say({ type: 'lookup', keys: [mine] });
      await eventually(() => asks.frames.length > before);
      return (last(asks, 'located') as Frame & { type: 'located' }).found[0]?.slot;
    };
    const reserve = async (seconds: number) => {
      const before = peer.frames.length;
      peer.say({ type: 'reserve', seconds });
      await eventually(() => peer.frames.length > before);
      return last(peer, 'reserved');
    };
    assert.deepEqual(await reserve(999), { type: 'reserved', seconds: 1 });
    assert.equal(await slot(), true);
    assert.deepEqual(await reserve(0), { type: 'reserved', seconds: 0 });
    assert.equal(await slot(), false);
    await reserve(1);
    await pause(1_100);
    assert.equal(await slot(), false);
    assert.deepEqual(await bobsSlot(asks), true, 'who renews it keeps it');
  });

  it('passes on garbage that its recipient refuses, at the cost of the circuit alone', async () => {
    const peer = await stranger();
    peer.say(open(1), data(1, 100));
    assert.equal(await closing(peer, 1), 'handshake failed');
    assert.equal(bob.mesh.stats().faults.handshake, 1);
    peer.say(data(1, 100), { type: 'ping', token: new Uint8Array(8) });
    await eventually(() => last(peer, 'pong') !== undefined);
    assert.equal(bob.mesh.peers()[0]?.state, 'open');
  });

  it('ends the session of a peer who goes on about circuits that are closed', async () => {
    const peer = await stranger();
    for (let index = 0; index < 30; index++) peer.say(...Array.from({ length: 100 }, () => data(99, 1)));
    await peer.closed();
    assert.equal(peer.reason, 'too many frames');
  });

  it('is no leaf: a leaf passes nothing on and takes circuits from none but its hubs', async () => {
    const leaf = await world.node({ seed: 3 });
    const peer = await RawPeer.connect(leaf.url);
    peers.push(peer);
    await peer.open();
    peer.say(open(1), open(3, mine, leaf.key), { type: 'reserve', seconds: 60 });
    assert.deepEqual([await closing(peer, 1), await closing(peer, 3)], ['not here', 'not reserved']);
    await eventually(() => last(peer, 'reserved') !== undefined);
    assert.deepEqual(last(peer, 'reserved'), { type: 'reserved', seconds: 0 });
    assert.equal(leaf.mesh.stats().handshakes, 0);
  });

  async function bobsSlot(asks: RawPeer): Promise<boolean | undefined> {
    const before = asks.frames.length;
    asks.say({ type: 'lookup', keys: [bob.key] });
    await eventually(() => asks.frames.length > before);
    return (last(asks, 'located') as Frame & { type: 'located' }).found[0]?.slot;
  }
});
