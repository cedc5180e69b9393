import assert from 'node:assert/strict';
import { conflicts } from '../../core/messaging/records.ts';
import { InboxService } from '../../core/node/services/inbox.ts';
import { NodeSpace } from '../../core/node/services/messaging.ts';
import { toBase64 } from '../../core/platform/bytes.ts';
import { buildEnvelope } from '../../core/protocol/envelopes/build.ts';
import { encodeEnvelope } from '../../core/protocol/envelopes/codec.ts';
import { publicPartOf } from '../../core/protocol/envelopes/envelope.ts';
import { decodeReceipt, proofBytesOf, verifyReceipt } from '../../core/protocol/envelopes/receipt.ts';
import { parseAgentId } from '../../core/protocol/identity/ids.ts';
import { defineNetwork } from '../../core/protocol/identity/network.ts';
import { newConversation, TestAgent, type Wire } from '../aggregator/support/agent.ts';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';
import { bytesOf, network, Stranger } from '../support/stranger.ts';

const DAY = 86_400_000;
const offer = { amount_usdc_micro: 1_000_000n, message: 'Count.', max_rounds: 2 };

describe('envelopes that break a rule', () => {
  let mesh: Mesh<'node'>;
  let node: Member;
  let mallory: Stranger;
  /** An agent without a node, at whom mail can be addressed. */
  const other = new TestAgent('other', Date.now, network);
  before(async () => {
    mesh = await startMesh({ nodes: ['node'], settings: { mesh: { strangerOffers: 10_000 } } });
    node = mesh.nodes.node;
    mallory = await Stranger.start('mallory', [node]);
  });
  after(async () => {
    await mallory.stop();
    await mesh.stop();
  });

  const addressee = () => ({ identity: { key: parseAgentId(node.id)! } }) as TestAgent;

  function propose(more: { at?: number; nonce?: number; from?: TestAgent; to?: TestAgent } = {}): Wire {
    const { from = mallory, to = addressee(), ...letter } = more;
    return from.sign('PROPOSE', { to, conversation: newConversation(), payload: offer, ...letter });
  }

  async function state() {
    const { deals } = await node.client.deals({ limit: 200 });
    return { deals, cursor: node.node.get(InboxService).newest };
  }

  it('a good one is accepted, and a copy of it is a duplicate', async () => {
    const good = propose();
    assert.deepEqual(await mallory.send(node, good), { outcome: 'acked', reason: 'accepted' });
    assert.deepEqual(await mallory.send(node, good), { outcome: 'acked', reason: 'duplicate' });
    const copies = await Promise.all(Array.from({ length: 5 }, () => mallory.send(node, good)));
    assert.ok(copies.every((answer) => answer.outcome === 'acked' && answer.reason === 'duplicate'));
  });

  it('of copies that arrive at once one is accepted', async () => {
    const good = propose();
    const copies = await Promise.all(Array.from({ length: 8 }, () => mallory.send(node, good)));
    const reasons = copies.map((answer) => (answer.outcome === 'acked' ? answer.reason : answer.outcome)).sort();
    assert.deepEqual(reasons, ['accepted', ...Array(7).fill('duplicate')]);
  });

  const elsewhere = defineNetwork({ name: 'another-mesh' });
  const REFUSED: [what: string, reason: string, make: () => Wire | Uint8Array][] = [
    ['random bytes', 'invalid', () => new Uint8Array(300).fill(7)],
    ['no bytes', 'invalid', () => new Uint8Array(1)],
    ['an envelope cut short', 'invalid', () => bytesOf(propose()).subarray(0, -1)],
    ['an envelope with something behind it', 'invalid', () => Buffer.concat([bytesOf(propose()), Buffer.of(0)])],
    ['more than 64 KiB', 'invalid', () => new Uint8Array(65_537).fill(0x8c)],
    ['a changed payload', 'invalid', () => changed(propose(), (envelope) => flip(envelope.payload, 20))],
    [
      'a changed amount of the header',
      'invalid',
      () => changed(propose(), (envelope) => flip(envelope.conversationId, 3)),
    ],
    ['a changed signature', 'invalid', () => changed(propose(), (envelope) => flip(envelope.signature, 9))],
    ['another sender’s name', 'invalid', () => encodeEnvelope({ ...propose().envelope, sender: other.identity.key })],
    [
      'a sender anybody can sign for',
      'invalid',
      () => encodeEnvelope({ ...propose().envelope, sender: new Uint8Array(32) }),
    ],
    ['mail for somebody else', 'invalid', () => propose({ to: other })],
    ['mail for nobody', 'invalid', () => encodeEnvelope({ ...propose().envelope, recipient: new Uint8Array(32) })],
    ['mail of another network', 'invalid', () => propose({ from: new TestAgent('mallory', Date.now, elsewhere) })],
    ['mail from the future', 'invalid', () => propose({ at: Date.now() + 40_000 })],
    ['mail five epochs old', 'expired', () => propose({ at: Date.now() - 5 * DAY })],
    ['a nonce of another epoch', 'invalid', () => propose({ nonce: propose().envelope.nonce - 2 ** 22 })],
    [
      'sequence number 0',
      'invalid',
      () => propose({ nonce: Math.floor(propose().envelope.nonce / 2 ** 22) * 2 ** 22 }),
    ],
    [
      'version 1',
      'invalid',
      () => propose({ from: new TestAgent('old', Date.now, defineNetwork({ name: 'mesh-tests', version: 1 })) }),
    ],
    [
      'a payload that is none',
      'invalid',
      () => {
        const { envelope } = propose();
        const body = Buffer.from('nonsense');
        return encodeEnvelope(
          buildEnvelope(
            { ...envelope, body, salt: new Uint8Array(16), publicPart: publicPartOf(envelope)! },
            mallory.identity,
            network,
          ),
        );
      },
    ],
    [
      'a counter in a conversation without a deal',
      'invalid',
      () =>
        mallory.sign('COUNTER', {
          to: addressee(),
          conversation: newConversation(),
          payload: { amount_usdc_micro: 1n, round: 1 },
        }),
    ],
    [
      'an offer that has run out',
      'invalid',
      () =>
        mallory.sign('PROPOSE', {
          to: addressee(),
          conversation: newConversation(),
          payload: { ...offer, expires_at: '2020-01-01T00:00:00.000Z' },
        }),
    ],
  ];
  for (const [what, reason, make] of REFUSED) {
    it(`${what} is ${reason} and changes nothing`, async () => {
      const before = await state();
      assert.deepEqual(await mallory.send(node, make()), { outcome: 'acked', reason });
      assert.deepEqual(await state(), before);
    });
  }

  it('another envelope with the same nonce is a conflict: the first is the answer, both are kept as proof', async () => {
    const first = propose();
    const second = propose({ nonce: first.envelope.nonce });
    const third = propose({ nonce: first.envelope.nonce });
    assert.deepEqual(await mallory.send(node, first), { outcome: 'acked', reason: 'accepted' });
    const before = await state();
    for (const wire of [second, third]) {
      const answer = await mallory.send(node, wire);
      assert.ok(answer.outcome === 'acked' && answer.reason === 'conflict');
      assert.deepEqual(Buffer.from(answer.evidence!), Buffer.from(proofBytesOf(first.envelope)));
    }
    assert.deepEqual(await state(), before);
    const proof = await node.node.get(NodeSpace).get(conflicts.ref(mallory.id));
    assert.equal(proof!.nonce, first.envelope.nonce);
    assert.deepEqual(
      proof!.receipts,
      [first, second].map(({ envelope }) => toBase64(proofBytesOf(envelope))),
    );
    for (const text of proof!.receipts) {
      const receipt = decodeReceipt(Buffer.from(text, 'base64'));
      assert.ok(receipt.ok && verifyReceipt(receipt.value, network));
    }
  });

  it('of two envelopes with one nonce that arrive at once the second is a conflict', async () => {
    const first = propose();
    const second = propose({ nonce: first.envelope.nonce });
    const [one, two] = await Promise.all([mallory.send(node, first), mallory.send(node, second)]);
    assert.deepEqual(one, { outcome: 'acked', reason: 'accepted' });
    assert.ok(two.outcome === 'acked' && two.reason === 'conflict');
  });

  it('a sender that writes too fast is put off, and others are not', async () => {
    const flood = await Stranger.start('flood', [node]);
    const answers = await Promise.all(Array.from({ length: 320 }, () => flood.send(node, propose({ from: flood }))));
    const reasons = answers.map((answer) => (answer.outcome === 'acked' ? answer.reason : answer.outcome));
    assert.deepEqual([...new Set(reasons)].sort(), ['accepted', 'rate-limited']);
    assert.ok(reasons.filter((reason) => reason === 'accepted').length >= 200);
    assert.deepEqual(await mallory.send(node, propose()), { outcome: 'acked', reason: 'accepted' });
    await flood.stop();
  });
});

function flip(bytes: Uint8Array, at: number): void {
  bytes[at]! ^= 1;
}

/** The wire bytes after a change that the signature does not know of. */
function changed({ envelope }: Wire, change: (envelope: Wire['envelope']) => void): Uint8Array {
  const copy = structuredClone(envelope);
  change(copy);
  return encodeEnvelope(copy);
}
