import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { parseAgentId } from '../../core/protocol/identity/ids.ts';
import { Operations } from '../../core/services.ts';
import { newConversation, type TestAgent, type Wire } from '../aggregator/support/agent.ts';
import { proposed } from '../support/deals.ts';
import { happens } from '../support/happens.ts';
import { type Mesh, startMesh } from '../support/mesh.ts';
import { Stranger } from '../support/stranger.ts';

const OFFERS = 80;
const [OF_ADDRESS, OF_KEY] = [OFFERS / 4, OFFERS / 20];
const MIB = 1024 * 1024;

describe('strangers who want much of a node', function () {
  this.timeout(60_000);
  let mesh: Mesh<'alice' | 'bob'>;
  const strangers: Stranger[] = [];

  beforeEach(async () => {
    mesh = await startMesh({
      nodes: ['alice', 'bob'],
      storage: 'lowdb',
      settings: { mesh: { strangerOffers: OFFERS, strangerInboxMiB: 2 } },
    });
  });
  afterEach(async () => {
    for (const stranger of strangers.splice(0)) await stranger.stop();
    await mesh.stop();
  });

  async function stranger(name: string): Promise<Stranger> {
    const started = await Stranger.start(name, [mesh.nodes.alice]);
    strangers.push(started);
    return started;
  }

  const alice = () => ({ identity: { key: parseAgentId(mesh.nodes.alice.id)! } }) as TestAgent;

  function offer(from: TestAgent, conversation = newConversation()): Wire {
    const payload = { amount_usdc_micro: 1n, message: 'Buy this.', max_rounds: 2 };
    return from.sign('PROPOSE', { to: alice(), conversation, payload });
  }

  async function answer(from: Stranger, wire: Wire): Promise<string> {
    const answered = await from.send(mesh.nodes.alice, wire);
    return answered.outcome === 'acked' ? answered.reason : answered.outcome;
  }

  async function accepted(from: Stranger, count: number): Promise<number> {
    const answers = await Promise.all(Array.from({ length: count }, () => answer(from, offer(from))));
    for (const each of answers) assert.ok(each === 'accepted' || each === 'rate-limited', each);
    return answers.filter((each) => each === 'accepted').length;
  }

  async function refused(bound: string): Promise<number> {
    const { text } = await mesh.nodes.alice.node.get(Operations).metrics();
    return Number(text.match(new RegExp(`mesh_strangers_refused_total\\{bound="${bound}"\\} (\\d+)`))?.[1] ?? 0);
  }

  it('have few open offers by key and by address, also after a restart, and those who have business here have theirs', async () => {
    const { alice, bob } = mesh.nodes;
    const first = await stranger('first');
    assert.equal(await accepted(first, 3 * OF_KEY), OF_KEY);
    assert.equal(await refused('offers'), 2 * OF_KEY);
    await alice.restart();
    assert.equal(await accepted(first, 5), 0);
    let taken = OF_KEY;
    for (let index = 0; taken < OF_ADDRESS; index += 1) taken += await accepted(await stranger(`s${index}`), 5);
    const next = await stranger('one more');
    assert.equal(await accepted(next, 5), 0);
    const { deals } = await alice.client.deals({ limit: 200 });
    assert.equal(deals.length, OF_ADDRESS);
    // Alice has made Bob an offer, so he may make her as many as he likes.
    await proposed(alice, bob);
    for (let index = 0; index <= OF_ADDRESS; index += 1) await proposed(bob, alice);
    const { conversation_id } = deals.find(({ requester }) => requester === first.id)!;
    await alice.client.reject({ conversation_id, reason: 'no' });
    await happens('an answered offer makes room', async () => (await accepted(next, 1)) === 1 || undefined);
  });

  it('use up none of the calls that the owner has for its own business', async () => {
    const { alice, bob } = mesh.nodes;
    const mallory = await stranger('mallory');
    const theirs = offer(mallory, newConversation());
    assert.equal(await answer(mallory, theirs), 'accepted');
    const { deals } = await alice.client.deals({});
    const partner = await proposed(alice, bob);
    await bob.client.counter({ conversation_id: partner, amount_usdc: '2' });
    await alice.dealWhen(partner, 'countered');
    const say = (path: string, conversation_id: string, more = {}) =>
      alice.call('POST', path, { conversation_id, ...more });
    const reject = async () => (await say('/negotiate/reject', deals[0]!.conversation_id, { reason: 'no' })).status;
    const statuses = new Set<number>();
    for (let index = 0; index < 70; index += 1) {
      for (const status of await Promise.all(Array.from({ length: 10 }, reject))) statuses.add(status);
    }
    assert.ok(statuses.has(429), `rejections were answered ${[...statuses]}`);
    const envelope = { recipient: mallory.id, msg_type: 'REJECT', payload: { reason: 'no' } };
    const sends = Array.from({ length: 700 }, () => say('/envelopes/send', deals[0]!.conversation_id, envelope));
    assert.ok((await Promise.all(sends)).some(({ status }) => status === 429));
    assert.equal((await say('/negotiate/reject', partner, { reason: 'no' })).status, 200);
    assert.notEqual((await say('/envelopes/send', partner, { ...envelope, recipient: bob.id })).status, 429);
  });

  it('fill only their part of the inbox, until it is acknowledged', async () => {
    const { alice: node } = mesh.nodes;
    const mallory = await stranger('mallory');
    const letter = (from: TestAgent) =>
      from.sign('NOTARIZE_ASSIGN', {
        to: alice(),
        conversation: newConversation(),
        payload: { verifier: node.id, opaque_b64: randomBytes(20_000).toString('base64') },
      });
    async function filled(from: Stranger): Promise<number> {
      for (let bytes = 0; ; ) {
        const wire = letter(from);
        const reason = await answer(from, wire);
        if (reason !== 'accepted') {
          assert.equal(reason, 'rate-limited');
          return bytes;
        }
        bytes += Buffer.from(wire.whole.envelope_b64, 'base64').length;
      }
    }
    let all = await filled(mallory);
    assert.ok(all > 0 && all <= (2 * MIB) / 20, `${all} bytes of one key`);
    assert.ok((await refused('inbox')) >= 1);
    for (let index = 0; index < 8; index += 1) all += await filled(await stranger(`s${index}`));
    assert.ok(all > MIB / 4 && all <= MIB / 2, `${all} bytes of one address`);
    await node.restart();
    assert.equal(await filled(await stranger('after the restart')).then((bytes) => bytes > 0.1 * MIB), false);
    await node.client.acknowledge((await node.call('GET', '/inbox?limit=200')).body.next);
    assert.ok((await filled(await stranger('later'))) > 0);
  });
});
