import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import type { Frame } from '../../core/mesh/frames/frames.ts';
import type { MeshLimits } from '../../core/mesh/limits.ts';
import { type AddressFilter, publicAddressesOnly } from '../../core/platform/address-filter.ts';
import { eventually } from '../support/eventually.ts';
import { idOf, makeEnvelope, type NodeOptions, pause, TestMesh, type TestNode } from './mesh-fixture.ts';
import { RawPeer } from './raw-peer.ts';

const accepted = { outcome: 'acked', reason: 'accepted' };
const deliver = (from: TestNode, to: TestNode, envelope = makeEnvelope(from.key)) =>
  from.mesh.deliver(to.key, envelope, idOf(envelope));
const peer = (node: TestNode, of: TestNode) => node.mesh.peers().find(({ key }) => Buffer.compare(key, of.key) === 0);
const isDirect = (node: TestNode, to: TestNode) => peer(node, to)?.relayed === false;
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

/** Lets everything through, once `open` was called. */
function gate(): AddressFilter & { open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return {
    open: () => open(),
    async allowed() {
      await opened;
      return ['127.0.0.1'];
    },
  };
}

describe('direct paths', () => {
  let world: TestMesh;
  const cleanups: (() => unknown)[] = [];
  beforeEach(() => {
    world = new TestMesh();
  });
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0)) await cleanup();
    await world.close();
  });

  /** A hub, alice who cannot be dialled, and bob, who has it tested whether he can. */
  async function trio(given: { hub?: Partial<NodeOptions>; alice?: Partial<NodeOptions>; bob?: Partial<NodeOptions> }) {
    const hub = await world.node({ seed: 100, hub: true, ...given.hub });
    const hubs = [{ url: hub.url }];
    const alice = await world.node({ seed: 1, hubs, ...given.alice });
    const bob = await world.node({ seed: 2, hubs, tested: true, ...given.bob });
    await eventually(() => hub.mesh.stats().slots === 2);
    return { hub, alice, bob };
  }

  it('are found by a hub that dials back, and offered in the welcome', async () => {
    const { hub, alice, bob } = await trio({});
    await eventually(() => bob.mesh.reachability() === 'reachable');
    assert.equal(alice.mesh.reachability(), 'unknown');
    assert.deepEqual(await deliver(alice, bob), accepted);
    await eventually(() => isDirect(alice, bob) && isDirect(bob, alice) && hub.mesh.stats().circuits === 0);
    assert.deepEqual([await deliver(alice, bob), await deliver(bob, alice)], [accepted, accepted]);
    assert.deepEqual([alice.mesh.stats().upgrades, bob.mesh.stats().upgrades], [1, 1]);
    assert.equal(hub.mesh.stats().tests, 1);
    assert.deepEqual(
      bob.events.filter((event) => !event.includes('100')),
      ['up node 1'],
    );
    assert.equal(hub.mesh.peers().length, 2, 'a test is no session');
  });

  it('are offered to those who came before they were found', async () => {
    const addresses = gate();
    const { hub, alice, bob } = await trio({ hub: { addresses } });
    assert.deepEqual(await deliver(alice, bob), accepted);
    await pause(100);
    assert.equal(isDirect(alice, bob), false);
    addresses.open();
    await eventually(() => isDirect(alice, bob) && hub.mesh.stats().circuits === 0);
    assert.deepEqual(await deliver(bob, alice), accepted);
  });

  it('take over in the middle of a conversation: nothing is lost, doubled or overtaken', async () => {
    const addresses = gate();
    const fast: Partial<MeshLimits> = { envelopeRate: 100_000, queued: 10_000, queuedBytes: 64e6 };
    const { hub, alice, bob } = await trio({
      hub: { addresses, limits: { ...fast, relayByteRate: 3_000_000 } },
      alice: { limits: fast },
      bob: { limits: fast },
    });
    bob.answer = async () => {
      await pause(0);
      return 'accepted';
    };
    await deliver(alice, bob);
    const sent: { from: TestNode; to: TestNode; envelope: Uint8Array }[] = [];
    const outcomes: Promise<unknown>[] = [];
    for (let index = 0; index < 1_500; index++) {
      const [from, to] = index % 3 === 0 ? [bob, alice] : [alice, bob];
      const envelope = makeEnvelope(from.key, 200 + ((index * 7_919) % 20_000));
      sent.push({ from, to, envelope });
      outcomes.push(deliver(from, to, envelope));
      if (index === 300) addresses.open();
      if (index % 20 === 0) await pause(2);
    }
    const bad = (await Promise.all(outcomes)).filter((outcome) => JSON.stringify(outcome) !== JSON.stringify(accepted));
    assert.deepEqual(bad, []);
    await eventually(() => isDirect(alice, bob) && hub.mesh.stats().circuits === 0);
    for (const node of [alice, bob]) {
      const wanted = sent.filter(({ to }) => to === node).map(({ envelope }) => hex(idOf(envelope)));
      const heard = node.received.map(({ envelope }) => hex(idOf(envelope)));
      assert.deepEqual(node === bob ? heard.slice(1) : heard, wanted);
    }
    assert.ok(alice.mesh.stats().upgrades === 1);
  });

  it('are not there when the hub reaches nobody, or somebody else', async () => {
    const hub = await world.node({ seed: 100, hub: true });
    const other = await world.node({ seed: 9 });
    const changes: string[] = [];
    for (const [seed, url] of [
      [2, 'ws://127.0.0.1:1/mesh'],
      [3, other.url],
    ] as const) {
      const bob = await world.node({ seed, url, tested: true, hubs: [{ url: hub.url }] });
      bob.mesh.watch({ reachability: (state) => changes.push(state) });
      await eventually(() => bob.mesh.reachability() === 'unreachable');
    }
    assert.deepEqual(changes, ['unreachable', 'unreachable']);
    assert.deepEqual(other.events, []);
  });

  it('are believed when one of several hubs has found them', async () => {
    const refusing: AddressFilter = {
      allowed: async () => {
        throw new Error('no');
      },
    };
    const hubs = [
      await world.node({ seed: 100, hub: true, addresses: refusing }),
      await world.node({ seed: 101, hub: true }),
    ];
    const bob = await world.node({ seed: 2, tested: true, hubs: hubs.map(({ url }) => ({ url })) });
    await eventually(() => bob.mesh.reachability() === 'reachable');
    await hubs[1]!.mesh.close();
    await eventually(() => bob.mesh.reachability() === 'unreachable');
    await hubs[0]!.mesh.close();
    await eventually(() => bob.mesh.reachability() === 'unknown');
  });

  it('are tried a few times with growing pauses, and then no more', async () => {
    const { alice, bob } = await trio({
      alice: { limits: { upgradeMs: 20, upgradeTries: 3 } },
      bob: { url: 'ws://127.0.0.1:1/mesh', tested: false },
    });
    assert.deepEqual(await deliver(alice, bob), accepted);
    await eventually(() => alice.mesh.stats().dialsFailed === 3);
    await pause(400);
    assert.equal(alice.mesh.stats().dialsFailed, 3);
    assert.deepEqual([await deliver(alice, bob), isDirect(alice, bob)], [accepted, false]);
  });

  it('are tested by hubs only, seldom for one, and over no relayed session', async () => {
    const hub = await world.node({ seed: 100, hub: true });
    const leaf = await world.node({ seed: 1 });
    for (const [node, tests] of [
      [hub, 1],
      [leaf, 0],
    ] as const) {
      const asking = await (await RawPeer.connect(node.url)).open();
      cleanups.push(() => asking.close());
      asking.say(...Array<Frame>(20).fill({ type: 'connect-test', url: hub.url }));
      asking.say({ type: 'ping', token: new Uint8Array(8) });
      await eventually(() => asking.frames.some(({ type }) => type === 'pong'));
      await eventually(() => asking.frames.filter(({ type }) => type === 'connect-tested').length === tests);
      assert.equal(node.mesh.stats().tests, tests);
      assert.equal(asking.reason, undefined);
    }
  });

  it('are not opened by whoever is asked to test them without asking, or invited without a relayed session', async () => {
    const node = await world.node({ seed: 1 });
    const watched = await listener();
    const stranger = await (await RawPeer.connect(node.url)).open();
    cleanups.push(() => stranger.close());
    stranger.say({ type: 'connect-tested', reached: true }, { type: 'connect-invite', url: watched.url });
    stranger.say({ type: 'ping', token: new Uint8Array(8) });
    await eventually(() => stranger.frames.some(({ type }) => type === 'pong'));
    await pause(50);
    assert.deepEqual([node.mesh.reachability(), watched.connections()], ['unknown', 0]);
  });

  /** Something of the node's own network, which nobody may have it dial. */
  async function listener() {
    let connections = 0;
    const server: Server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    cleanups.push(() => new Promise((resolve) => server.close(resolve)));
    const { port } = server.address() as AddressInfo;
    return { port, url: `ws://127.0.0.1:${port}/`, connections: () => connections };
  }

  describe('do not lead a node into its own network', () => {
    it('when a peer invites it there', async () => {
      const inside = await listener();
      const addresses = publicAddressesOnly({ addresses: async (host) => [host] });
      const { alice, bob } = await trio({
        hub: { addresses },
        alice: { addresses },
        bob: { url: inside.url, tested: false },
      });
      assert.deepEqual(await deliver(alice, bob), accepted);
      await eventually(() => alice.mesh.stats().dialsRefused > 0);
      assert.deepEqual([inside.connections(), alice.mesh.stats().dialsFailed], [0, 0]);
    });

    it('when a directory names it', async () => {
      const inside = await listener();
      const addresses = publicAddressesOnly({ addresses: async (host) => [host] });
      const directory = { lookup: async () => [inside.url] };
      const alice = await world.node({ seed: 1, addresses, directory });
      const bob = await world.node({ seed: 2 });
      assert.deepEqual(await deliver(alice, bob), { outcome: 'unreachable' });
      assert.deepEqual([inside.connections(), alice.mesh.stats().dialsRefused], [0, 1]);
    });

    it('when a leaf has its hub test an address there', async () => {
      const inside = await listener();
      const addresses = publicAddressesOnly({ addresses: async (host) => [host] });
      const hub = await world.node({ seed: 100, hub: true, addresses });
      const bob = await world.node({ seed: 2, url: inside.url, tested: true, hubs: [{ url: hub.url }] });
      await eventually(() => bob.mesh.reachability() === 'unreachable');
      assert.equal(inside.connections(), 0);
    });

    it('when a name means another address the second time it is looked up', async () => {
      const inside = await listener();
      const asked: string[] = [];
      const resolver = {
        async addresses(host: string) {
          asked.push(host);
          return asked.length === 1 ? ['192.0.0.8', '8.8.8.8'].slice(1) : ['127.0.0.1'];
        },
      };
      const directory = { lookup: async () => [`ws://rebinding.test:${inside.port}/`] };
      const limits = { handshakeMs: 400, redialMs: 1 };
      const alice = await world.node({ seed: 1, addresses: publicAddressesOnly(resolver), directory, limits });
      const bob = await world.node({ seed: 2 });
      assert.deepEqual(await deliver(alice, bob), { outcome: 'unreachable' });
      assert.deepEqual([asked, inside.connections()], [['rebinding.test'], 0], 'it was looked up once');
      await pause(10);
      assert.deepEqual(await deliver(alice, bob), { outcome: 'unreachable' });
      assert.deepEqual([asked.length, inside.connections(), alice.mesh.stats().dialsRefused], [2, 0, 1]);
    });

    it('and dial exactly the address that was allowed, under the name that was given', async () => {
      const bob = await world.node({ seed: 2 });
      const { port } = new URL(bob.url);
      const addresses: AddressFilter = { allowed: async () => ['127.0.0.1'] };
      const directory = { lookup: async () => [`ws://no-such-name.invalid:${port}/mesh`] };
      const alice = await world.node({ seed: 1, addresses, directory });
      assert.deepEqual(await deliver(alice, bob), accepted);
    });

    it('when names take for ever to be looked up, they give up', async () => {
      const addresses: AddressFilter = { allowed: () => new Promise(() => {}) };
      const directory = { lookup: async () => ['ws://slow.test/'] };
      const alice = await world.node({ seed: 1, addresses, directory, limits: { handshakeMs: 50 } });
      const bob = await world.node({ seed: 2 });
      assert.deepEqual(await deliver(alice, bob), { outcome: 'unreachable' });
    });

    it('but to hubs that were configured, which the operator chose', async () => {
      const hub = await world.node({ seed: 100, hub: true });
      const addresses = publicAddressesOnly({ addresses: async (host) => [host] });
      const alice = await world.node({ seed: 1, addresses, hubs: [{ url: hub.url }] });
      await eventually(() => alice.mesh.peers().length === 1);
    });
  });
});
