import assert from 'node:assert/strict';
import { letters } from '../../core/messaging/inbox-records.ts';
import { InboxService } from '../../core/node/services/inbox.ts';
import { NodeSpace } from '../../core/node/services/messaging.ts';
import { systemRandom } from '../../core/platform/system-clock.ts';
import { definePlugin, type ReceivedEnvelope } from '../../core/plugin.ts';
import { buildEnvelope } from '../../core/protocol/envelopes/build.ts';
import { encodeEnvelope } from '../../core/protocol/envelopes/codec.ts';
import { bodyOf, publicPartOf } from '../../core/protocol/envelopes/envelope.ts';
import { seal } from '../../core/protocol/envelopes/sealing.ts';
import { parseAgentId } from '../../core/protocol/identity/ids.ts';
import { newConversation, TestAgent, type Wire } from '../aggregator/support/agent.ts';
import { happens } from '../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';
import { network, Stranger } from '../support/stranger.ts';

const SECRET = 'Count the words of our secret plan.';

/** A plugin that notes what it is handed. */
function listener() {
  const heard: { readonly sealed: boolean; readonly said: unknown }[] = [];
  const note = ({ sealed, payload }: ReceivedEnvelope) => void heard.push({ sealed, said: payload });
  const plugin = definePlugin({
    name: 'listener',
    api: '2.0',
    permissions: ['messages:read'],
    node: {
      envelopes: { PROPOSE: true, DELIVER: true },
      setup: () => ({ envelopes: { PROPOSE: note, DELIVER: note } }),
    },
  });
  return { plugin, heard };
}

describe('sealed envelopes', () => {
  let mesh: Mesh<'alice' | 'bob'>;
  let alice: Member;
  let bob: Member;
  const { plugin, heard } = listener();
  before(async () => {
    mesh = await startMesh({ nodes: ['alice', 'bob'], storage: 'lowdb', plugins: { bob: [plugin] } });
    ({ alice, bob } = mesh.nodes);
  });
  after(() => mesh.stop());

  const frameOf = (member: Member, id: string) =>
    happens('the frame is in the inbox', async () => {
      const { frames } = await member.client.inboxPage({ limit: 200 });
      return frames.find(({ envelope_id }) => envelope_id === id);
    });

  it('carry a whole deal: only the parties read it, and the aggregator still counts it', async () => {
    const offer = { recipient: bob.id, amount_usdc: '1.5', message: SECRET, sealed: true };
    const { conversation_id, envelope_id } = await alice.client.propose(offer);
    assert.equal((await bob.dealWhen(conversation_id, 'proposed')).message, SECRET);
    await bob.client.counter({ conversation_id, amount_usdc: '2', message: 'Dearer.', sealed: true });
    await alice.dealWhen(conversation_id, 'countered');
    await alice.client.accept({ conversation_id, sealed: true });
    await bob.dealWhen(conversation_id, 'accepted');
    const handed = await bob.client.deliver({ conversation_id, content: '{"words":6}', sealed: true });
    await alice.dealWhen(conversation_id, 'delivered');

    const asked = await frameOf(bob, envelope_id);
    assert.equal(asked.sealed, true);
    assert.equal((asked.payload as { message: string }).message, SECRET);
    const got = await frameOf(alice, handed.envelope_id);
    assert.equal(got.sealed, true);
    assert.equal(Buffer.from(got.payload_b64, 'base64').toString(), '{"words":6}');
    await happens('the aggregator knows the deal', async () => {
      const rows = await mesh.aggregator.activity();
      const types = rows.filter((row) => row.conversation_id === conversation_id).map((row) => row.event_type);
      return (types.includes('ACCEPT') && types.includes('DELIVER')) || undefined;
    });
    assert.deepEqual(
      heard.filter(({ sealed }) => sealed).map(({ said }) => (said as { message: string }).message),
      [SECRET],
    );
  });

  it('show in the trace that they were sealed, on both sides', async () => {
    const sent = await alice.client.propose({ recipient: bob.id, amount_usdc: '1', message: SECRET, sealed: true });
    const open = await alice.client.propose({ recipient: bob.id, amount_usdc: '1', message: SECRET });
    await frameOf(bob, open.envelope_id);
    for (const member of [alice, bob]) {
      assert.equal((await member.client.trace(sent.envelope_id)).sealed, true);
      assert.equal((await member.client.trace(open.envelope_id)).sealed, false);
    }
  });

  it('leave the node encrypted', async () => {
    const request = { msg_type: 'REJECT', payload: { reason: SECRET } };
    const { conversation_id } = await alice.client.propose({ recipient: bob.id, amount_usdc: '1', message: 'Count.' });
    const { envelope_id } = await alice.client.send({ ...request, recipient: bob.id, conversation_id, sealed: true });
    await frameOf(bob, envelope_id);
    const rows = await bob.node.get(NodeSpace).page(letters, { limit: 200 });
    const { record } = rows.find((row) => row.record.envelope_id === envelope_id)!;
    assert.ok(!Buffer.from(record.bytes, 'base64').includes(SECRET));
    assert.ok(Buffer.from(record.opened!, 'base64').includes(SECRET));
  });

  it('can be read after a restart', async () => {
    const { envelope_id } = await alice.client.propose({
      ...{ recipient: bob.id, amount_usdc: '1' },
      message: 'Read me tomorrow.',
      sealed: true,
    });
    await frameOf(bob, envelope_id);
    await bob.restart();
    const { payload, sealed } = await frameOf(bob, envelope_id);
    assert.deepEqual([sealed, (payload as { message: string }).message], [true, 'Read me tomorrow.']);
  });

  const FORBIDDEN: [what: string, pointer: string, request: () => object][] = [
    ['a broadcast', '/sealed', () => ({ msg_type: 'DISCOVER', payload: { query: 'x' } })],
    [
      'a type that is public',
      '/sealed',
      () => ({ msg_type: 'VERDICT', recipient: bob.id, payload: { outcome: 'approve' } }),
    ],
    [
      'mail to a key that anybody could read as',
      '/recipient',
      () => ({ msg_type: 'REJECT', recipient: `01${'0'.repeat(62)}`, payload: { reason: 'no' } }),
    ],
  ];
  for (const [what, pointer, request] of FORBIDDEN) {
    it(`${what} cannot be sealed`, async () => {
      const { status, body } = await alice.post('/envelopes/send', { ...request(), sealed: true });
      assert.equal(status, 400, JSON.stringify(body));
      assert.equal(body.fields[0].pointer, pointer);
    });
  }

  it('may be as large as any delivery', async () => {
    const { conversation_id } = await alice.client.propose({ recipient: bob.id, amount_usdc: '1', message: 'Count.' });
    await bob.dealWhen(conversation_id, 'proposed');
    await bob.client.accept({ conversation_id });
    await alice.dealWhen(conversation_id, 'accepted');
    const content_b64 = Buffer.alloc(48 * 1024, 7).toString('base64');
    await bob.client.deliver({ conversation_id, content_b64, sealed: true });
    const { frames } = await happens('the delivery arrives', async () => {
      const page = await alice.client.inboxPage({ conversation_id });
      return page.frames.some(({ msg_type }) => msg_type === 'DELIVER') ? page : undefined;
    });
    assert.equal(frames.find(({ msg_type }) => msg_type === 'DELIVER')!.payload_b64, content_b64);
  });

  describe('of a stranger', () => {
    let mallory: Stranger;
    const eve = new TestAgent('eve', Date.now, network);
    before(async () => {
      mallory = await Stranger.start('mallory', [bob]);
    });
    after(() => mallory.stop());

    const offer = { amount_usdc_micro: 1_000_000n, message: SECRET, max_rounds: 2 };
    const bobs = () => parseAgentId(bob.id)!;

    /** An offer to bob with its body as the test seals it. */
    function sealedOffer(body: (open: Uint8Array, wire: Wire) => Uint8Array): Uint8Array {
      const to = { identity: { key: bobs() } } as TestAgent;
      const wire = mallory.sign('PROPOSE', { to, conversation: newConversation(), payload: offer });
      const made = body(bodyOf(wire.envelope), wire);
      const salt = systemRandom.bytes(16);
      return encodeEnvelope(
        buildEnvelope(
          { ...wire.envelope, body: made, salt, sealed: true, publicPart: publicPartOf(wire.envelope)! },
          mallory.identity,
          network,
        ),
      );
    }

    const refusals = async () =>
      Number(/mesh_envelopes_refused_total\{reason="invalid"\} (\d+)/.exec(await metricsOf(bob))?.[1] ?? 0);

    it('that open are accepted', async () => {
      const bytes = sealedOffer((body, { envelope }) => seal(body, envelope, systemRandom));
      assert.deepEqual(await mallory.send(bob, bytes), { outcome: 'acked', reason: 'accepted' });
    });

    const BROKEN: [what: string, body: (open: Uint8Array, wire: Wire) => Uint8Array][] = [
      ['noise', () => new Uint8Array(200).fill(9)],
      ['no seal at all', (open) => open],
      [
        'a seal that only somebody else opens',
        (open, { envelope }) => reseal(open, envelope, { recipient: eve.identity.key }),
      ],
      ['the seal of another sender', (open, { envelope }) => reseal(open, envelope, { sender: eve.identity.key })],
      [
        'the seal of another conversation',
        (open, { envelope }) => reseal(open, envelope, { conversationId: new Uint8Array(16).fill(3) }),
      ],
      ['a flipped bit', (open, { envelope }) => flipped(seal(open, envelope, systemRandom))],
      [
        'a payload that is none',
        (_, { envelope }) => seal(Buffer.from('{"message": 1}'.repeat(10)), envelope, systemRandom),
      ],
    ];
    for (const [what, body] of BROKEN) {
      it(`with ${what} are refused as invalid, counted, and change nothing`, async () => {
        const before = [await refusals(), bob.node.get(InboxService).newest];
        assert.deepEqual(await mallory.send(bob, sealedOffer(body)), { outcome: 'acked', reason: 'invalid' });
        assert.deepEqual([await refusals(), bob.node.get(InboxService).newest], [before[0]! + 1, before[1]]);
      });
    }

    /** Sealed for what bob can open, but with another address inside. */
    function reseal(open: Uint8Array, envelope: Wire['envelope'], change: Partial<Wire['envelope']>): Uint8Array {
      return seal(open, { ...envelope, ...change }, systemRandom);
    }
  });
});

function flipped(bytes: Uint8Array): Uint8Array {
  bytes[100]! ^= 1;
  return bytes;
}

async function metricsOf(member: Member): Promise<string> {
  const response = await fetch(`${member.url}/metrics`, { headers: { authorization: `Bearer ${member.secret}` } });
  return response.text();
}
