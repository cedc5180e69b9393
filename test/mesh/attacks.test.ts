import assert from 'node:assert/strict';
import type { AckReason } from '../../core/mesh/ack.ts';
import { CODES, type Frame, MAX_FRAME } from '../../core/mesh/frames/frames.ts';
import { ProcessKey } from '../../core/mesh/session/certificate.ts';
import { silentLog } from '../../core/platform/log.ts';
import { systemClock, systemRandom } from '../../core/platform/system-clock.ts';
import { eventually } from '../support/eventually.ts';
import { heldBytes } from '../support/held-memory.ts';
import { type Change, type Interceptor, intercept } from './interceptor.ts';
import { idOf, makeEnvelope, pause, TestMesh, type TestNode } from './mesh-fixture.ts';
import { type RawOptions, RawPeer } from './raw-peer.ts';
import { testIdentity } from './test-identity.ts';

const DAY = 24 * 3_600_000;
const flip = (at: number) => (bytes: Uint8Array) => {
  const changed = Uint8Array.from(bytes);
  changed.set([changed.at(at)! ^ 1], at < 0 ? changed.length + at : at);
  return changed;
};
const raw = (code: number, ...body: number[]) => Uint8Array.of(0, 0, 0, body.length + 1, code, ...body);

describe('a node under attack', () => {
  let world: TestMesh;
  let node: TestNode;
  const cleanups: (() => Promise<void>)[] = [];

  beforeEach(async () => {
    world = new TestMesh();
    node = await world.node({ seed: 100, hub: true });
  });
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0)) await cleanup();
    await world.close();
  });

  async function stranger(url = node.url): Promise<RawPeer> {
    const peer = await RawPeer.connect(url);
    cleanups.push(() => peer.close());
    return peer;
  }

  async function between(change?: Change): Promise<Interceptor> {
    const interceptor = await intercept(node.url, change);
    cleanups.push(() => interceptor.close());
    return interceptor;
  }

  const strangers: [what: string, options: RawOptions, reason: string][] = [
    ['whose certificate has expired', { skew: -DAY - 1_000 }, 'certificate expired'],
    ['whose certificate lives too long', { skew: DAY }, 'certificate lives too long'],
    ['whose certificate is for another Noise key', { payload: () => otherProcess().payload() }, 'certificate refused'],
    ['whose certificate names another instance', { payload: flip(36) }, 'certificate refused'],
    ['whose certificate was prolonged', { payload: flip(47) }, 'certificate refused'],
    ['who claims the key of another', { payload: flip(3) }, 'certificate refused'],
    ['whose signature is wrong', { payload: flip(-1) }, 'certificate refused'],
    ['whose certificate is cut short', { payload: (bytes) => bytes.subarray(1) }, 'certificate malformed'],
    ['whose third message was changed', { third: flip(-1) }, 'handshake failed'],
    ['whose static key was changed', { third: flip(5) }, 'handshake failed'],
    ['whose message has a wrong length', { third: flip(1) }, 'handshake failed'],
    [
      'who signs in another domain',
      { certifier: { ...testIdentity(50), sign: () => new Uint8Array(64) } },
      'certificate refused',
    ],
  ];
  for (const [what, options, reason] of strangers) {
    it(`refuses a stranger ${what}`, async () => {
      const peer = await stranger();
      await peer.shake(options);
      await peer.closed();
      assert.equal(peer.reason, reason);
      assert.equal(node.mesh.stats().faults.handshake, 1);
      assert.deepEqual([node.events, node.mesh.stats().handshakes], [[], 0]);
    });
  }

  it('refuses garbage, nothing, and too much before the handshake', async () => {
    for (const first of [new Uint8Array(0), new Uint8Array(500).fill(3), new Uint8Array(100_000)]) {
      const peer = await stranger();
      peer.link.send(first);
      await peer.closed();
      assert.equal(peer.reason, 'handshake failed');
    }
    assert.equal(node.mesh.stats().faults.handshake, 3);
  });

  it('refuses a peer of another network', async () => {
    const other = await world.node({ seed: 1, network: new Uint8Array(32), hubs: [{ url: node.url }] });
    await eventually(() => other.mesh.stats().faults.handshake > 0);
    assert.deepEqual([node.events, other.events], [[], []]);
  });

  it('lets a wire-tapper carry the session and learn nothing', async () => {
    const tap = await between();
    const alice = await world.node({ seed: 1, hubs: [{ url: tap.url, key: node.key }] });
    await eventually(() => alice.mesh.peers().length === 1);
    const envelope = Buffer.concat([alice.key, Buffer.from('a secret that is easy to find')]);
    assert.equal((await alice.mesh.deliver(node.key, envelope, idOf(envelope))).outcome, 'acked');
    const seen = Buffer.concat(tap.recorded);
    assert.ok(seen.length > envelope.length);
    for (const part of ['secret', Buffer.from(alice.key), 'node 1']) assert.equal(seen.includes(part), false);
  });

  const changes: [what: string, from: 'dialler' | 'listener', index: number, at: number][] = [
    ['the first message', 'dialler', 0, 10],
    ['the second message', 'listener', 0, 10],
    ['the certificate in the second message', 'listener', 0, -20],
    ['the third message', 'dialler', 1, -1],
  ];
  for (const [what, from, index, at] of changes) {
    it(`opens no session when ${what} is changed on the way`, async () => {
      const tap = await between((message, side, n) => (side === from && n === index ? flip(at)(message) : message));
      const alice = await world.node({ seed: 1, hubs: [{ url: tap.url }] });
      await eventually(() => alice.mesh.stats().faults.handshake + node.mesh.stats().faults.handshake > 0);
      assert.deepEqual([alice.events, node.events], [[], []]);
    });
  }

  it('ends a session in which a record was changed, and starts another', async () => {
    let changed = false;
    const tap = await between((message, side, index) => {
      if (changed || side !== 'dialler' || index !== 4) return message;
      changed = true;
      return flip(-1)(message);
    });
    const alice = await world.node({ seed: 1, hubs: [{ url: tap.url }] });
    await eventually(() => alice.mesh.peers().length === 1);
    const envelope = makeEnvelope(alice.key);
    assert.deepEqual(await alice.mesh.deliver(node.key, envelope, idOf(envelope)), { outcome: 'unknown' });
    assert.equal(node.mesh.stats().faults.record, 1);
    assert.equal(node.received.length, 0);
    await eventually(() => alice.mesh.peers()[0]?.state === 'open');
    assert.equal((await alice.mesh.deliver(node.key, envelope, idOf(envelope))).outcome, 'acked');
  });

  it('refuses a handshake that is played back', async () => {
    const tap = await between();
    const alice = await world.node({ seed: 1, hubs: [{ url: tap.url }] });
    await eventually(() => node.mesh.peers().length === 1 && alice.mesh.peers().length === 1);
    const replay = await stranger();
    replay.link.send(tap.recorded[0]!);
    await eventually(() => replay.messages.length === 1);
    for (const message of tap.recorded.slice(1)) replay.link.send(message);
    await replay.closed();
    assert.equal(replay.reason, 'handshake failed');
    assert.deepEqual(node.events, ['up node 1']);
  });

  const misbehaviours: [what: string, fault: 'frame' | 'flood', say: (peer: RawPeer) => void, reason: RegExp][] = [
    ['garbage', 'frame', (peer) => peer.sayBytes(new Uint8Array(100).fill(0xaa)), /too long/],
    ['a frame beyond the limit', 'frame', (peer) => peer.sayBytes(oversize()), /too long/],
    [
      'a frame that goes on in the next message',
      'frame',
      (peer) => peer.sayBytes(Uint8Array.of(0, 0, 0, 9, 7, 1)),
      /cut short/,
    ],
    [
      'an acknowledgement of nothing',
      'frame',
      (peer) => peer.say({ type: 'ack', upTo: 1, exceptions: [] }),
      /out of range/,
    ],
    ['a second welcome', 'frame', (peer) => peer.say({ type: 'welcome', name: 'x', hub: true }), /second welcome/],
    ['a thousand pings', 'flood', (peer) => peer.say(...pings(1_000)), /too many frames/],
  ];
  for (const [what, fault, say, reason] of misbehaviours) {
    it(`ends the session of a peer who sends ${what}, and counts it`, async () => {
      const peer = await (await stranger()).open();
      await eventually(() => node.mesh.peers().length === 1);
      say(peer);
      await peer.closed();
      assert.match(peer.reason!, reason);
      const goodbye = peer.frames.at(-1) as Frame & { type: 'goodbye' };
      assert.equal(goodbye.type, 'goodbye');
      assert.equal(node.mesh.stats().faults[fault], 1);
      await eventually(() => node.mesh.peers().length === 0);
    });
  }

  it('wants a welcome first', async () => {
    const peer = await stranger();
    await peer.shake();
    peer.say({ type: 'envelope', envelope: makeEnvelope(node.key) });
    await peer.closed();
    assert.match(peer.reason!, /not a welcome/);
    assert.equal(node.received.length, 0);
  });

  it('refuses frames of later versions politely and goes on', async () => {
    const peer = await (await stranger()).open();
    const codes = [100, 0, 200];
    peer.sayBytes(Buffer.concat(codes.map((code) => raw(code, 1, 2, 3))));
    peer.sayBytes(raw(CODES.refused, 99));
    peer.say({ type: 'ping', token: new Uint8Array(8).fill(5) });
    await eventually(() => peer.frames.some(({ type }) => type === 'pong'));
    assert.deepEqual(
      peer.frames.filter(({ type }) => type === 'refused'),
      codes.map((code) => ({ type: 'refused', code })),
    );
    assert.equal(node.mesh.peers().length, 1);
  });

  it('accepts only so many unfinished handshakes, and gives each a deadline', async () => {
    const small = await world.node({ seed: 101, limits: { handshakes: 4, handshakeMs: 150 } });
    const silent = [await stranger(small.url), await stranger(small.url)];
    await eventually(() => small.mesh.stats().handshakes === 2);
    const third = await stranger(small.url);
    await third.closed();
    assert.equal(third.reason, 'busy');
    await Promise.all(silent.map((peer) => peer.closed()));
    assert.deepEqual(
      silent.map(({ reason }) => reason),
      ['handshake timed out', 'handshake timed out'],
    );
    assert.equal((await (await stranger(small.url)).open()).reason, undefined);
  });

  it('ends the session of a peer who goes on far above its rate, however short what it sends', async () => {
    const hasty = await world.node({ seed: 103, limits: { envelopeRate: 10, broadcastRate: 20 } });
    for (const frame of [
      { type: 'envelope', envelope: new Uint8Array(1) },
      { type: 'broadcast', topic: 't', envelope: new Uint8Array(1) },
    ] as const) {
      const peer = await (await stranger(hasty.url)).open();
      peer.say(...Array<Frame>(60).fill(frame));
      await eventually(() => hasty.mesh.stats().rateLimited > 0);
      peer.say({ type: 'ping', token: new Uint8Array(8) });
      await eventually(() => peer.frames.some(({ type }) => type === 'pong'));
      peer.say(...Array<Frame>(300).fill(frame));
      await peer.closed();
      assert.equal(peer.reason, 'far too many envelopes');
    }
    assert.equal(hasty.mesh.stats().faults.flood, 2);
  });

  it('keeps little for a subscriber who does not read, and drops it in the end', async () => {
    const hub = await world.node({ seed: 102, hub: true, limits: { pingMs: 1_000 } });
    const slow = await (await stranger(hub.url)).open();
    slow.say({ type: 'subscribe', topics: ['weather'] });
    await eventually(() => publish(hub) === 1);
    slow.link.pause();
    const before = heldBytes();
    let dropped = 0;
    for (let index = 0; index < 1_500; index++) {
      dropped += 1 - publish(hub);
      if (index % 10 === 0) await pause(0);
    }
    const grown = heldBytes() - before;
    assert.ok(dropped > 300, `only ${dropped} of 1500 were held back`);
    assert.ok(grown < 20 * 1024 * 1024, `${grown} bytes more`);
    await eventually(() => hub.mesh.peers().length === 0);
    assert.equal(hub.mesh.stats().faults.silent, 1);
  });

  it('holds the reader of a slow handler back, and loses nothing', async () => {
    const waiting: ((answer: AckReason) => void)[] = [];
    const hub = await world.node({ seed: 103, hub: true, limits: { inFlight: 20, envelopeRate: 10_000 } });
    hub.answer = () => new Promise((resolve) => waiting.push(resolve));
    const alice = await world.node({ seed: 1, hubs: [{ url: hub.url }], limits: { inFlight: 1_000 } });
    await eventually(() => alice.mesh.peers().length === 1);
    const sends = Array.from({ length: 500 }, async () => {
      const envelope = makeEnvelope(alice.key, 4_000);
      return alice.mesh.deliver(hub.key, envelope, idOf(envelope));
    });
    await eventually(() => waiting.length > 0);
    await pause(50);
    assert.ok(waiting.length < 100, `${waiting.length} at once`);
    while (hub.received.length < 500 || waiting.length > 0) {
      for (const settle of waiting.splice(0)) settle('accepted');
      await pause(1);
    }
    assert.ok((await Promise.all(sends)).every(({ outcome }) => outcome === 'acked'));
  });

  it('fills no log with peers who come and go, and none with what they say about its key', async () => {
    const said: string[] = [];
    const note = (level: string) => (_: object, text: string) => void said.push(`${level} ${text}`);
    const log = { ...silentLog, info: note('info'), error: note('error'), debug: note('debug') };
    const watched = await world.node({ seed: 104, log });
    for (let round = 0; round < 150; round++) {
      const peer = await (await RawPeer.connect(watched.url)).open();
      if (round % 2) peer.say({ type: 'goodbye', reason: 'identity_in_use' });
      await peer.close();
    }
    await eventually(() => watched.mesh.peers().length === 0);
    const levels = (level: string) => said.filter((line) => line.startsWith(level)).length;
    assert.ok(levels('info') >= 200 && levels('info') < 300, `${levels('info')} lines`);
    assert.equal(levels('error'), 0);
    assert.ok(levels('debug') > 50);
  });

  it('leaves no handle behind when it closes', async () => {
    const handles = () => process.getActiveResourcesInfo().filter((kind) => /TCP|Timeout/.test(kind)).length;
    await pause(20);
    const before = handles();
    const hub = await world.node({ seed: 104, hub: true });
    const leaves = [await world.node({ seed: 1, hubs: [{ url: hub.url }] })];
    leaves.push(await world.node({ seed: 2, hubs: [{ url: hub.url }, { url: 'ws://127.0.0.1:1/mesh' }] }));
    await eventually(() => hub.mesh.peers().length === 2);
    assert.ok(handles() > before);
    await Promise.all([hub, ...leaves].map(({ mesh }) => mesh.close()));
    await eventually(() => handles() <= before);
  });

  function publish(hub: TestNode): number {
    const envelope = makeEnvelope(hub.key, 60_000);
    return hub.mesh.broadcast(envelope, idOf(envelope), 'weather');
  }
});

function oversize(): Uint8Array {
  const frame = Buffer.alloc(MAX_FRAME + 5, 1);
  frame.writeUInt32BE(MAX_FRAME + 1);
  return frame;
}

/** The same identity in another process: its certificate is good, but for another Noise key. */
function otherProcess(): ProcessKey {
  return new ProcessKey(testIdentity(50), systemClock, systemRandom);
}

function pings(count: number): Frame[] {
  return Array.from({ length: count }, () => ({ type: 'ping', token: new Uint8Array(8) }));
}
