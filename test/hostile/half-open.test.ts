import assert from 'node:assert/strict';
import { WebSocket } from 'ws';
import { TestMesh, type TestNode } from '../mesh/mesh-fixture.ts';
import { RawPeer } from '../mesh/raw-peer.ts';
import { testIdentity } from '../mesh/test-identity.ts';
import { eventually } from '../support/eventually.ts';

/** Connections that shake no hands, of one address after the other, opened again as soon as they are closed. */
class Silent {
  readonly #open = new Set<WebSocket>();
  #over = false;
  closed = 0;

  /** Keeps `each` sockets of every address open. */
  hold(url: string, addresses: readonly string[], each: number): void {
    for (const address of addresses) for (let index = 0; index < each; index += 1) this.#dial(url, address);
  }

  get size(): number {
    return [...this.#open].filter(({ readyState }) => readyState === WebSocket.OPEN).length;
  }

  stop(): void {
    this.#over = true;
    for (const socket of this.#open) socket.terminate();
  }

  #dial(url: string, localAddress: string): void {
    if (this.#over) return;
    const socket = new WebSocket(url, { localAddress });
    this.#open.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => {
      this.#open.delete(socket);
      this.closed += 1;
      setTimeout(() => this.#dial(url, localAddress), 20);
    });
  }
}

describe('a node that strangers dial and leave waiting', function () {
  this.timeout(30_000);
  let world: TestMesh;
  let silent: Silent;

  beforeEach(() => {
    world = new TestMesh();
    silent = new Silent();
  });
  afterEach(async () => {
    silent.stop();
    await world.close();
  });

  /** Newcomers one after the other; how many of them have a session within a second. */
  async function welcomed(node: TestNode, newcomers: number): Promise<number> {
    let opened = 0;
    for (let index = 0; index < newcomers; index += 1) {
      const peer = await RawPeer.connect(node.url);
      await Promise.race([
        peer.open({ certifier: testIdentity(60 + index) }).then(
          () => (opened += 1),
          () => undefined,
        ),
        new Promise((resolve) => setTimeout(resolve, 1_000)),
      ]);
      await peer.close();
    }
    return opened;
  }

  it('lets every newcomer in although 16 silent sockets of each of two addresses fill the half-open places', async () => {
    const node = await world.node({ seed: 1 });
    silent.hold(node.url, ['127.0.0.2', '127.0.0.3'], 16);
    await eventually(() => silent.size === 32);
    assert.equal(await welcomed(node, 13), 13);
    const { displaced, refusedBusy } = node.mesh.stats();
    assert.ok(displaced > 0, 'a silent one made room');
    assert.ok(refusedBusy < 13 * 32, `${refusedBusy} were told that the node is busy`);
  });

  it('keeps no place among the handshakes for a socket that says nothing for two seconds', async () => {
    const node = await world.node({ seed: 1 });
    const peers = await Promise.all([RawPeer.connect(node.url), RawPeer.connect(node.url)]);
    await eventually(() => node.mesh.stats().handshakes === 2);
    const since = performance.now();
    await Promise.all(peers.map((peer) => peer.closed()));
    assert.deepEqual(
      peers.map(({ reason }) => reason),
      ['handshake timed out', 'handshake timed out'],
    );
    const took = performance.now() - since;
    assert.ok(took > 1_000 && took < 5_000, `after ${took} ms`);
    assert.equal(node.mesh.stats().handshakes, 0);
    await Promise.all(peers.map((peer) => peer.close()));
  });
});
