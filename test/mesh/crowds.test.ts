import assert from 'node:assert/strict';
import { ConnectTests } from '../../core/mesh/dial/connect-tests.ts';
import { LEAF_LIMITS, type MeshLimits } from '../../core/mesh/limits.ts';
import { createMesh } from '../../core/mesh/mesh.ts';
import type { Mesh, MeshOptions } from '../../core/mesh/mesh-contract.ts';
import { placeFor } from '../../core/mesh/session/places.ts';
import type { Session } from '../../core/mesh/session/session.ts';
import { silentLog } from '../../core/platform/log.ts';
import { systemRandom } from '../../core/platform/system-clock.ts';
import { MemoryNetwork } from '../support/memory-mesh/memory-network.ts';
import { idOf, makeEnvelope, viewEnvelope } from './mesh-fixture.ts';
import { testIdentity } from './test-identity.ts';
import { VirtualClock } from './virtual-clock.ts';

/** A crowd: many keys at one address. */
const CROWD = 'crowd';

describe('a crowd at one address', () => {
  const clock = new VirtualClock();
  let network: MemoryNetwork;
  let meshes: Mesh[] = [];

  beforeEach(() => {
    network = new MemoryNetwork(clock);
  });
  afterEach(async () => {
    const closing = Promise.all(meshes.map((mesh) => mesh.close()));
    await clock.advance(5_000);
    await closing;
    meshes = [];
  });

  function node(seed: number, address: string, given: Partial<Omit<MeshOptions, 'limits'>> = {}, limits = {}): Mesh {
    const mesh = createMesh({
      certifier: testIdentity(seed),
      network: new Uint8Array(32),
      transports: [network.transport(address)],
      clock,
      // Pauses without a random part: the clock keeps to whole milliseconds.
      random: { ...systemRandom, fraction: () => 0 },
      log: silentLog,
      name: `node ${seed}`,
      hub: false,
      directory: { lookup: async () => [] },
      envelopes: { view: viewEnvelope },
      onEnvelope: async () => 'accepted',
      ...given,
      limits: limits satisfies Partial<MeshLimits>,
    });
    mesh.start();
    meshes.push(mesh);
    return mesh;
  }
  const hubs = (...addresses: string[]) => ({ hubs: addresses.map((address) => ({ url: `memory:${address}` })) });
  const names = (mesh: Mesh) => mesh.peers().map(({ name }) => name);

  it('takes no place from others, from those whom a node dials, or from its hubs', async () => {
    const victim = node(
      1,
      'victim',
      { ...hubs('hub'), directory: { lookup: async () => ['memory:friend'] } },
      { peers: 8 },
    );
    for (let seed = 50; seed < 62; seed++) node(seed, CROWD, hubs('victim'));
    await clock.advance(5_000);
    assert.equal(victim.peers().length, 6);
    assert.ok(victim.stats().refusedFull > 0);
    node(2, 'hub', { hub: true });
    node(3, 'guest', hubs('victim'));
    node(4, 'friend');
    await clock.advance(10_000);
    const envelope = makeEnvelope(testIdentity(1).key);
    const sent = victim.deliver(testIdentity(4).key, envelope, idOf(envelope));
    await clock.advance(5_000);
    assert.deepEqual(await sent, { outcome: 'acked', reason: 'accepted' });
    for (const name of ['node 2', 'node 3', 'node 4']) assert.ok(names(victim).includes(name), `${name} is out`);
  });

  it('does not hold up the handshakes of others', async () => {
    const victim = node(1, 'victim', {}, { handshakes: 4 });
    const transport = network.transport(CROWD);
    const ends: string[] = [];
    for (let index = 0; index < 3; index++) {
      const dialling = transport.dial('memory:victim', new AbortController().signal);
      await clock.advance(1);
      (await dialling).receive({ message() {}, drain() {}, closed: (reason) => ends.push(reason) });
    }
    node(3, 'guest', hubs('victim'));
    await clock.advance(1_000);
    assert.deepEqual([ends, victim.stats().refusedBusy, names(victim)], [['busy'], 1, ['node 3']]);
    await clock.advance(20_000);
  });

  it('of dials that say nothing takes half of the 256 places of a hub, and whoever comes from elsewhere gets in', async () => {
    const hub = node(1, 'hub', { hub: true });
    const dial = async (address: string) => {
      const ends: string[] = [];
      const dialling = network.transport(address).dial('memory:hub', new AbortController().signal);
      await clock.advance(1);
      (await dialling).receive({ message() {}, drain() {}, closed: (reason) => ends.push(reason) });
      return ends;
    };
    const crowd: string[][] = [];
    for (let index = 0; index < 129; index++) crowd.push(await dial(CROWD));
    assert.deepEqual([hub.stats().handshakes, hub.stats().refusedBusy], [128, 1]);
    assert.deepEqual(crowd.at(-1), ['busy']);
    for (let index = 0; index < 128; index++) assert.deepEqual(await dial(`other-${index}`), []);
    assert.equal(hub.stats().handshakes, 256);
    assert.deepEqual(crowd[0], []);
    node(3, 'guest', hubs('hub'));
    await clock.advance(100);
    assert.deepEqual(names(hub), ['node 3']);
    assert.deepEqual([crowd[0]!.length, crowd[1]], [1, []], 'the oldest of the crowd made room');
    await clock.advance(20_000);
    assert.equal(hub.stats().handshakes, 0);
  });

  it('gives its place to an address with at least two fewer, the idle first', () => {
    const session = (remote: string, lastEnvelope = 0, dialled = false) =>
      ({ remote, lastEnvelope, dialled, open: true }) as Session;
    const came = (remote: string) => ({ remote, dialled: false });
    const sessions = [session('2001:db8::1', 5), session('2001:db8::2', 3), session('2001:db8::3', 9), session('a')];
    const limits = { peers: 5 };
    assert.equal(placeFor(came('b'), sessions.slice(1), limits), 'free');
    assert.equal(placeFor(came('b'), sessions, limits), sessions[1]);
    assert.equal(placeFor(came('a'), sessions, limits), sessions[1]);
    assert.equal(placeFor(came('2001:db8::4'), sessions, limits), 'none');
    assert.equal(placeFor({ remote: 'ws://b', dialled: true }, sessions, limits), 'free');
    const dialled = Array.from({ length: 5 }, () => session('x', 0, true));
    assert.equal(placeFor(came('b'), dialled, limits), 'none');
  });

  it('has only so many addresses tested, and a key no more of them by coming back', async () => {
    const tests = new ConnectTests(clock, LEAF_LIMITS);
    const of = (seed: number, remote: string) => ({ peer: { key: new Uint8Array(32).fill(seed) }, remote }) as Session;
    const ran: string[] = [];
    const test = (session: Session, url = 'ws://a') => tests.run(session, url, async () => void ran.push(url));
    assert.equal(await test(of(1, CROWD)), true);
    assert.equal(await test(of(1, 'elsewhere')), true);
    assert.deepEqual(ran, ['ws://a']);
    for (let seed = 2; seed < 40; seed++) await test(of(seed, CROWD));
    for (let port = 1; port < 40; port++) await test(of(1, CROWD), `ws://b:${port}`);
    assert.equal(ran.length, 16);
    assert.equal(await test(of(1, CROWD), 'ws://b:99'), undefined);
    assert.equal(await test(of(99, 'elsewhere')), true);
    await clock.advance(LEAF_LIMITS.testPauseMs);
    assert.equal(await test(of(1, CROWD), 'ws://b'), true);
    await assert.doesNotReject(() => tests.run(of(98, CROWD), 'ws://c', () => Promise.reject(new Error('away'))));
  });
});

describe('a peer that names many places where nobody answers', () => {
  it('holds a place among the dials for so long, not for as long as all of them take', async () => {
    const clock = new VirtualClock();
    const hub = testIdentity(9).key;
    const dialled: number[] = [];
    const mesh = createMesh({
      certifier: testIdentity(1),
      network: new Uint8Array(32),
      transports: [
        {
          name: 'mesh-slow',
          schemes: ['slow:'],
          dial: (_, signal) =>
            new Promise((_, reject) => {
              dialled.push(clock.now());
              signal.addEventListener('abort', () => reject(signal.reason));
            }),
          accept() {},
          close: async () => {},
        },
      ],
      clock,
      random: systemRandom,
      log: silentLog,
      name: 'node',
      hub: false,
      directory: {
        lookup: async () => ['slow:1', 'slow:2', 'slow:3', 'slow:4'],
        hubs: async () => [hub, testIdentity(10).key, testIdentity(11).key],
      },
      envelopes: { view: viewEnvelope },
      onEnvelope: async () => 'accepted',
    });
    mesh.start();
    const envelope = makeEnvelope(testIdentity(1).key);
    const began = clock.now();
    let took = Number.POSITIVE_INFINITY;
    const sent = mesh.deliver(testIdentity(2).key, envelope, idOf(envelope)).then(({ outcome }) => {
      took = clock.now() - began;
      return outcome;
    });
    await clock.advance(300_000);
    assert.equal(await sent, 'unreachable');
    assert.ok(took <= 4 * LEAF_LIMITS.handshakeMs, `${took} ms`);
    assert.equal(dialled.length, 4);
    await mesh.close();
  });
});
