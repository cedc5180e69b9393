import assert from 'node:assert/strict';
import { eventually } from '../support/eventually.ts';
import { idOf, makeEnvelope, pause, TestMesh, type TestNode } from './mesh-fixture.ts';

describe('hubs among themselves', () => {
  let world: TestMesh;
  beforeEach(() => {
    world = new TestMesh();
  });
  afterEach(() => world.close());

  const send = (from: TestNode, envelope = makeEnvelope(from.key)) =>
    from.mesh.broadcast(envelope, idOf(envelope), 'weather');
  const counts = (nodes: TestNode[]) => nodes.map(({ received }) => received.length);

  /** Three hubs, each with a session with both others, and a subscribed leaf of each. */
  async function ring() {
    const first = await world.node({ seed: 101, hub: true });
    const second = await world.node({ seed: 102, hub: true, hubs: [{ url: first.url }] });
    const third = await world.node({ seed: 103, hub: true, hubs: [{ url: first.url }, { url: second.url }] });
    const hubs = [first, second, third];
    await eventually(() => hubs.every(({ mesh }) => mesh.peers().length === 2));
    const leaves: TestNode[] = [];
    for (const [index, hub] of hubs.entries()) {
      const leaf = await world.node({ seed: index + 1, hubs: [{ url: hub.url }] });
      leaf.mesh.subscribe(['weather']);
      leaves.push(leaf);
    }
    await eventually(() => hubs.every(({ mesh }) => mesh.stats().slots === 1));
    await pause(30);
    return { hubs, leaves };
  }

  it('carry a broadcast to the leaves of all, once to each, and it does not run in circles', async () => {
    const { hubs, leaves } = await ring();
    const envelope = makeEnvelope(leaves[0]!.key);
    assert.equal(send(leaves[0]!, envelope), 1);
    await eventually(() => leaves[1]!.received.length === 1 && leaves[2]!.received.length === 1);
    await pause(100);
    assert.deepEqual(
      [counts(hubs), counts(leaves)],
      [
        [1, 1, 1],
        [0, 1, 1],
      ],
    );
    assert.deepEqual(Buffer.from(leaves[2]!.received[0]!.envelope), envelope);
    const copies = hubs.reduce((sum, { mesh }) => sum + mesh.stats().broadcastsIn, 0);
    assert.ok(copies <= 5, `${copies} copies came to three hubs`);
    assert.equal(send(hubs[1]!), 3, 'its own goes to its leaf and its fellows');
    await eventually(() => leaves.every(({ received }, index) => received.length === (index === 0 ? 1 : 2)));
  });

  it('forward only what they accepted themselves', async () => {
    const { hubs, leaves } = await ring();
    hubs[0]!.answer = async () => 'invalid';
    send(leaves[0]!);
    await eventually(() => hubs[0]!.mesh.stats().broadcastsRefused === 1);
    await pause(50);
    assert.deepEqual(
      [counts(hubs), counts(leaves)],
      [
        [1, 0, 0],
        [0, 0, 0],
      ],
    );
    // What one of them refuses goes round it.
    send(leaves[1]!);
    await eventually(() => leaves[2]!.received.length === 1);
    await eventually(() => hubs[0]!.received.length >= 2);
    await pause(50);
    assert.deepEqual(counts(leaves), [0, 0, 1]);
  });

  it('forward to a few fellows only, those they dialled first', async () => {
    const chosen = await world.node({ seed: 101, hub: true });
    const hub = await world.node({ seed: 102, hub: true, hubs: [{ url: chosen.url }], limits: { hubDegree: 2 } });
    await eventually(() => hub.mesh.peers().length === 1);
    const others: TestNode[] = [];
    for (let index = 0; index < 3; index++) {
      others.push(await world.node({ seed: 110 + index, hub: true, hubs: [{ url: hub.url }] }));
      await eventually(() => hub.mesh.peers().length === index + 2);
    }
    assert.equal(send(hub), 2);
    await eventually(() => chosen.received.length === 1 && others[0]!.received.length === 1);
    await pause(30);
    assert.deepEqual(counts(others), [1, 0, 0]);
  });
});
