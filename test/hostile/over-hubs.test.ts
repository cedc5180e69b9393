import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { StrangerShare } from '../../core/messaging/strangers.ts';
import { parseAgentId } from '../../core/protocol/identity/ids.ts';
import { newConversation, type TestAgent } from '../aggregator/support/agent.ts';
import { TestMesh, type TestNode } from '../mesh/mesh-fixture.ts';
import { RawPeer } from '../mesh/raw-peer.ts';
import { testIdentity } from '../mesh/test-identity.ts';
import { eventually } from '../support/eventually.ts';
import { type Mesh, startMesh } from '../support/mesh.ts';
import { bytesOf, Stranger } from '../support/stranger.ts';

describe('what strangers may take up', () => {
  const MOST = 400;

  /** How much a key of an address gets, one after the other. */
  function taken(share: StrangerShare, key: string, network: string): number {
    for (let amount = 0; ; amount += 1) {
      const one = { key, network, amount: 1 };
      if (share.problem(one)) return amount;
      share.take(`${key} ${amount}`, one);
    }
  }

  it('is a quarter for one address and a twentieth for one key', () => {
    const share = new StrangerShare(MOST);
    assert.equal(taken(share, 'k', 'n'), MOST / 20);
    let all = MOST / 20;
    for (let key = 0; key < 60; key += 1) all += taken(share, `k${key}`, 'n');
    assert.equal(all, MOST / 4);
    assert.equal(share.problem({ key: 'one more', network: 'n', amount: 1 }), 'one address');
  });

  it('leaves room for the next address, however many have taken all that they can', () => {
    const share = new StrangerShare(MOST);
    for (let network = 0; network < 4; network += 1) {
      for (let key = 0; key < 60; key += 1) taken(share, `${network} ${key}`, `n${network}`);
    }
    assert.ok(taken(share, 'newcomer', 'of its own') >= 5);
    assert.ok(taken(share, 'another', 'of a second') >= 4);
  });

  it('leaves room for the next key of a hub of which five keys have taken all that they can', () => {
    const share = new StrangerShare(MOST);
    for (let key = 0; key < 5; key += 1) taken(share, `k${key}`, 'relay:hub');
    assert.ok(taken(share, 'newcomer', 'relay:hub') >= 5);
  });
});

describe('strangers who come over a hub', function () {
  this.timeout(60_000);
  let mesh: Mesh<'alice'>;
  const strangers: Stranger[] = [];
  before(async () => {
    mesh = await startMesh({ nodes: ['alice'], settings: { mesh: { strangerInboxMiB: 2 } } });
  });
  after(async () => {
    for (const stranger of strangers) await stranger.stop();
    await mesh.stop();
  });

  async function letterOf(stranger: Stranger): Promise<string> {
    const wire = stranger.sign('NOTARIZE_ASSIGN', {
      to: { identity: { key: parseAgentId(mesh.nodes.alice.id)! } } as TestAgent,
      conversation: newConversation(),
      payload: { verifier: mesh.nodes.alice.id, opaque_b64: randomBytes(10_000).toString('base64') },
    });
    const answer = await stranger.send(mesh.nodes.alice, bytesOf(wire));
    return answer.outcome === 'acked' ? answer.reason : answer.outcome;
  }

  async function comes(name: string, relayed: boolean): Promise<Stranger> {
    const hub = mesh.aggregatorNode.url;
    const stranger = await Stranger.start(`${name} ${newConversation()}`, [mesh.nodes.alice], { hub, relayed });
    strangers.push(stranger);
    return stranger;
  }

  async function filled(stranger: Stranger): Promise<number> {
    for (let letters = 0; ; letters += 1) {
      const answer = await letterOf(stranger);
      if (answer !== 'accepted') {
        assert.equal(answer, 'rate-limited');
        return letters;
      }
    }
  }

  it('fill the part of that hub: the next one over it, and whoever comes another way, still writes', async () => {
    let letters = 0;
    for (let index = 0; index < 5; index += 1) letters += await filled(await comes(`over the hub ${index}`, true));
    assert.ok(letters >= 20, `${letters} letters over the hub`);
    assert.ok((await filled(await comes('one more over the hub', true))) >= 1);
    const direct = await comes('of another address', false);
    assert.ok((await filled(direct)) >= 5);
  });
});

describe('a leaf that strangers call over a hub and leave waiting', function () {
  this.timeout(30_000);
  let world: TestMesh;
  let hub: TestNode;
  let leaf: TestNode;
  const peers: RawPeer[] = [];

  beforeEach(async () => {
    world = new TestMesh();
    hub = await world.node({ seed: 1, hub: true });
    leaf = await world.node({ seed: 2, hubs: [{ url: hub.url }] });
    await eventually(() => hub.mesh.stats().slots === 1);
  });
  afterEach(async () => {
    for (const peer of peers.splice(0)) await peer.close();
    await world.close();
  });

  it('lets a newcomer in over the hub, whose half of the half-open places they hold', async () => {
    const { key: to } = leaf;
    let over = false;
    async function silent(seed: number): Promise<void> {
      const peer = await RawPeer.connect(hub.url);
      peers.push(peer);
      const certifier = testIdentity(seed);
      await peer.open({ certifier });
      for (let circuit = 1; !over; circuit += 2) {
        peer.say({ type: 'circuit-open', circuit, from: certifier.key, to });
        const closed = () => peer.frames.some((frame) => frame.type === 'circuit-close' && frame.circuit === circuit);
        await eventually(() => over || closed());
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
    const crowd = Array.from({ length: 20 }, (_, index) => silent(60 + index));
    await eventually(() => leaf.mesh.stats().handshakes >= 16);
    for (let seed = 100; seed < 110; seed += 1) {
      const newcomer = await world.node({ seed, hubs: [{ url: hub.url }] });
      await eventually(() => newcomer.mesh.peers().length === 1);
      const envelope = Buffer.concat([newcomer.key, randomBytes(100)]);
      const answer = await newcomer.mesh.deliver(to, envelope, randomBytes(32));
      assert.equal(answer.outcome, 'acked', `the newcomer ${seed}`);
      await newcomer.mesh.close();
    }
    assert.ok(leaf.mesh.stats().displaced > 0);
    over = true;
    await Promise.all(crowd);
  });
});
