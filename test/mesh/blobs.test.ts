import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { eventually } from '../support/eventually.ts';
import { TestMesh, type TestNode } from './mesh-fixture.ts';
import { RawPeer } from './raw-peer.ts';
import { testIdentity } from './test-identity.ts';

const nameOf = (bytes: Uint8Array) => new Uint8Array(createHash('sha256').update(bytes).digest());

describe('blobs of a peer', function () {
  this.timeout(60_000);
  let world: TestMesh;
  const kept = new Map<string, Uint8Array>();
  let reads = 0;

  beforeEach(() => {
    world = new TestMesh();
    kept.clear();
    reads = 0;
  });
  afterEach(() => world.close());

  /** Keeps blobs for alice alone. */
  function keeper(more: object = {}): Promise<TestNode> {
    const alice = testIdentity(1).key;
    const blobFor = async (cid: Uint8Array, peer: Uint8Array) => {
      reads += 1;
      return Buffer.compare(peer, alice) === 0 ? kept.get(Buffer.from(cid).toString('hex')) : undefined;
    };
    return world.node({ seed: 2, blobFor, ...more });
  }

  function keep(size: number): { cid: Uint8Array; bytes: Uint8Array } {
    const bytes = new Uint8Array(randomBytes(size));
    const cid = nameOf(bytes);
    kept.set(Buffer.from(cid).toString('hex'), bytes);
    return { cid, bytes };
  }

  it('are fetched part by part, and read once', async () => {
    const bob = await keeper();
    const directory = { lookup: async () => [bob.url] };
    const alice = await world.node({ seed: 1, directory });
    for (const size of [1, 61_440, 61_441, 3_000_000]) {
      const { cid, bytes } = keep(size);
      reads = 0;
      const fetched = await alice.mesh.fetchBlob(bob.key, cid, size);
      assert.ok(fetched && Buffer.compare(fetched, bytes) === 0, `${size} bytes`);
      assert.equal(reads, 1);
    }
  });

  it('come over a hub when there is no other way', async () => {
    const hub = await world.node({ seed: 100, hub: true });
    const bob = await keeper({ hubs: [{ url: hub.url }] });
    const hubs = async () => [hub.key];
    const alice = await world.node({ seed: 1, hubs: [{ url: hub.url }], directory: { lookup: async () => [], hubs } });
    const { cid, bytes } = keep(400_000);
    await eventually(async () => (await alice.mesh.locate(bob.key)).slot);
    const fetched = await alice.mesh.fetchBlob(bob.key, cid, bytes.length);
    assert.ok(fetched && Buffer.compare(fetched, bytes) === 0);
    assert.ok(alice.mesh.peers().some(({ relayed }) => relayed));
  });

  it('are for whom they are kept, and of the size that was said', async () => {
    const bob = await keeper();
    const directory = { lookup: async () => [bob.url] };
    const alice = await world.node({ seed: 1, directory });
    const mallory = await world.node({ seed: 3, directory });
    const { cid, bytes } = keep(100_000);
    assert.equal(await mallory.mesh.fetchBlob(bob.key, cid, bytes.length), undefined);
    assert.equal(await alice.mesh.fetchBlob(bob.key, cid, bytes.length - 1), undefined);
    assert.equal(await alice.mesh.fetchBlob(bob.key, cid, bytes.length + 1), undefined);
    assert.equal(await alice.mesh.fetchBlob(bob.key, nameOf(bytes.subarray(1)), 10), undefined);
    assert.ok(await alice.mesh.fetchBlob(bob.key, cid, bytes.length));
  });

  it('that a node without any is asked for are not there', async () => {
    const bob = await world.node({ seed: 2 });
    const alice = await world.node({ seed: 1, directory: { lookup: async () => [bob.url] } });
    assert.equal(await alice.mesh.fetchBlob(bob.key, new Uint8Array(32), 10), undefined);
  });

  it('of a peer that falls silent, or goes, are given up', async () => {
    const bob = await keeper({ blobFor: () => new Promise(() => {}) });
    const directory = { lookup: async () => [bob.url] };
    const alice = await world.node({ seed: 1, directory, limits: { blobMs: 50 } });
    await assert.rejects(alice.mesh.fetchBlob(bob.key, new Uint8Array(32), 10), /does not answer/);
    const going = alice.mesh.fetchBlob(bob.key, new Uint8Array(32), 10);
    await bob.mesh.close();
    await assert.rejects(going, /does not answer/);
    await assert.rejects(alice.mesh.fetchBlob(bob.key, new Uint8Array(32), 10), /cannot be reached/);
  });

  it('are no way to make a node hold more than its bound', async () => {
    const bob = await keeper({ limits: { blobBytes: 150_000 } });
    const directory = { lookup: async () => [bob.url] };
    const alice = await world.node({ seed: 1, directory });
    const blobs = [keep(100_000), keep(100_000), keep(100_000)];
    for (const { cid, bytes } of [...blobs, ...blobs]) {
      const fetched = await alice.mesh.fetchBlob(bob.key, cid, bytes.length);
      assert.ok(fetched && Buffer.compare(fetched, bytes) === 0);
    }
    assert.ok(reads > 3, 'what made room is read again');
  });

  it('are read one after the other, however many a peer asks for at once', async () => {
    let [now, most] = [0, 0];
    const blobFor = async () => {
      now += 1;
      most = Math.max(most, now);
      await new Promise((resolve) => setTimeout(resolve, 2));
      now -= 1;
      return new Uint8Array(10);
    };
    const bob = await world.node({ seed: 2, blobFor });
    const peer = await (await RawPeer.connect(bob.url)).open();
    for (let i = 0; i < 100; i++)
      peer.say({ type: 'blob-ask', request: i, cid: nameOf(new Uint8Array([i])), offset: 0 });
    await eventually(() => peer.frames.filter(({ type }) => type === 'blob-part').length === 100);
    assert.equal(most, 1);
    await peer.close();
  });

  it('that nobody asked for end nothing, and too many of them end the session', async () => {
    const bob = await keeper();
    const peer = await (await RawPeer.connect(bob.url)).open();
    peer.say({ type: 'blob-part', request: 7, total: 10, bytes: new Uint8Array(10) });
    peer.say({ type: 'blob-none', request: 7 });
    peer.say({ type: 'ping', token: new Uint8Array(8) });
    await eventually(() => peer.frames.some(({ type }) => type === 'pong'));
    for (let i = 0; i < 3_000; i++) peer.say({ type: 'blob-part', request: i, total: 0, bytes: new Uint8Array(0) });
    await peer.closed();
    await peer.close();
  });
});
