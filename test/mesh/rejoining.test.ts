import assert from 'node:assert/strict';
import { eventually } from '../support/eventually.ts';
import { type FarHub, farHubs } from './far-hubs.ts';
import { idOf, makeEnvelope, TestMesh } from './mesh-fixture.ts';

/** Milliseconds that each hub is away, one way. */
const FAR = [250, 0, 100];
/** A hub that is away is tried again when a node says so, or not in this test. */
const PATIENT = { backoffMs: 600_000, maxBackoffMs: 600_000 };

describe('a node whose device was asleep', function () {
  this.timeout(60_000);
  let world: TestMesh;
  let hubs: FarHub[];
  beforeEach(async () => {
    world = new TestMesh();
    hubs = [];
    hubs = await farHubs(world, FAR);
  });
  afterEach(async () => {
    await world.close();
    for (const { proxy } of hubs) await proxy.close();
  });

  const leafOf = async () => {
    const leaf = await world.node({ seed: 1, hubs: hubs.map(({ url }) => ({ url })), limits: PATIENT });
    await eventually(() => leaf.mesh.hubs().every(({ connected }) => connected));
    return leaf;
  };
  const indexOf = (slot: { hub: Uint8Array } | undefined) =>
    hubs.findIndex(({ hub: { key } }) => slot !== undefined && Buffer.compare(key, slot.hub) === 0);

  it('has a slot at each hub, and names the nearest by measured round trip', async () => {
    const leaf = await leafOf();
    const slot = await leaf.mesh.rejoin();
    assert.equal(indexOf(slot), 1);
    assert.ok(slot!.roundTrip < 2 * FAR[2]!, `${slot!.roundTrip} ms`);
    assert.deepEqual(leaf.mesh.slot(), slot);
    assert.deepEqual(
      hubs.map(({ hub: { mesh } }) => mesh.stats().slots),
      [1, 1, 1],
    );
  });

  it('gives up a socket that died without a word, goes to the next nearest, and back', async () => {
    const leaf = await leafOf();
    hubs[1]!.proxy.blackHole = true;
    assert.equal(indexOf(await leaf.mesh.rejoin()), 2);
    await eventually(() => leaf.events.includes('down node 101: no answer after sleep'));
    hubs[1]!.proxy.cut();
    hubs[1]!.proxy.blackHole = false;
    assert.equal(indexOf(await leaf.mesh.rejoin()), 1);
  });

  it('dials hubs that were away at once, whatever their next turn', async () => {
    const leaf = await leafOf();
    const { target } = hubs[1]!.proxy;
    hubs[1]!.proxy.target = 1;
    hubs[1]!.proxy.cut();
    await eventually(() => leaf.mesh.hubs().some(({ connected, why }) => !connected && why !== undefined));
    assert.equal(indexOf(await leaf.mesh.rejoin()), 2);
    hubs[1]!.proxy.target = target;
    const [one, other] = await Promise.all([leaf.mesh.rejoin(), leaf.mesh.rejoin()]);
    assert.deepEqual([indexOf(one), one], [1, other], 'two calls at once are one');
  });

  it('has no slot when no hub answers, and knows it in time', async () => {
    const leaf = await leafOf();
    for (const { proxy } of hubs) proxy.blackHole = true;
    const began = Date.now();
    assert.equal(await leaf.mesh.rejoin(), undefined);
    assert.ok(Date.now() - began < 10_000);
    assert.equal(leaf.mesh.slot(), undefined);
  });

  it('tries relayed sessions directly again, in the background', async () => {
    let isOpen = false;
    const alice = await world.node({
      seed: 1,
      hubs: [{ url: hubs[1]!.hub.url }],
      addresses: {
        async allowed() {
          if (!isOpen) throw new Error('The network is closed.');
          return ['127.0.0.1'];
        },
      },
      limits: { upgradeMs: 10, upgradeTries: 2 },
    });
    const bob = await world.node({ seed: 2, hubs: [{ url: hubs[1]!.hub.url }], tested: true });
    await eventually(() => hubs[1]!.hub.mesh.stats().slots === 2);
    await eventually(() => bob.mesh.reachability() === 'reachable');
    const send = async () => {
      const envelope = makeEnvelope(alice.key);
      assert.deepEqual(await alice.mesh.deliver(bob.key, envelope, idOf(envelope)), {
        outcome: 'acked',
        reason: 'accepted',
      });
    };
    await send();
    const session = () => alice.mesh.peers().find(({ key }) => Buffer.compare(key, bob.key) === 0);
    await eventually(() => alice.mesh.stats().dialsRefused >= 2);
    assert.equal(session()?.relayed, true);
    isOpen = true;
    await alice.mesh.rejoin();
    await eventually(() => session()?.relayed === false);
    await send();
  });
});
