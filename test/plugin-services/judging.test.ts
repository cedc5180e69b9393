import assert from 'node:assert/strict';
import {
  FakeMessages,
  fakeDeals,
  fakeEscrowAccounts,
  fakeJudging,
  sampleDeal,
  type TestAgent,
  type TestNode,
  testAgent,
  testNode,
  value,
} from '../../adapters/testing.ts';
import { BootError } from '../../core/host/boot/boot-node.ts';
import { Store } from '../../core/internal-services.ts';
import { collection, definePlugin, MeshError, type Permission, type Plugin, route, typed } from '../../core/plugin.ts';
import { Deals, EscrowAccounts, Judging, Messages } from '../../core/services.ts';
import { notary } from '../../plugins/notary/index.ts';
import { happens } from '../support/happens.ts';

interface Case {
  readonly requester: string;
  readonly provider: string;
  readonly conversation: string;
  readonly accepted: string;
  readonly told: readonly string[];
}
const cases = collection<Case>('cases', { schema: () => [] });
const CONVERSATION = '000102030405060708090a0b0c0d0e0f';
const ACCEPT = 'ab'.repeat(32);

/** A notary of somebody else, written with the public contract alone. */
function oracle(permissions: Permission[] = ['deals:judge', 'messages:gate'], name = 'oracle'): Plugin {
  return definePlugin({
    name,
    api: '2.2',
    permissions,
    node: {
      uses: { judging: Judging },
      receives: { NOTARIZE_ASSIGN: true },
      sends: { VERDICT: true, FEEDBACK: true },
      routes: {
        judge: route('POST /judge/:conversation', { auth: 'api', reply: typed<object>({ type: 'object' }) }),
      },
      setup: ({ judging }, { space, defer }) => {
        const find = async (conversation: string) => {
          if (conversation === 'f'.repeat(32)) throw new Error('out of ink');
          return space.get(cases.ref(conversation));
        };
        const tell = async (conversation: string, party: string) => {
          const found = await find(conversation);
          const word = judging.word({ outcome: 'completed', reason: 'all of it' });
          return found && judging.verdict(found, word, party, `verdict:${conversation}:${party.slice(0, 8)}`);
        };
        defer(judging.judgeBy({ find, verdict: (conversation, _, party) => tell(conversation, party) }));
        return {
          receives: {
            NOTARIZE_ASSIGN: {
              apply(tx, { conversationId, payload }) {
                const parties = JSON.parse(Buffer.from(payload.opaque_b64, 'base64').toString());
                tx.put(cases.ref(conversationId), { ...parties, conversation: conversationId, told: [] });
                return 'accepted';
              },
            },
          },
          sends: {
            VERDICT: {
              reads: ({ conversationId }) => [cases.ref(conversationId)],
              apply(tx, { conversationId, recipient, id }) {
                const found = tx.get(cases.ref(conversationId))!;
                tx.put(cases.ref(conversationId), { ...found, told: [...found.told, `${recipient} ${id}`] });
              },
            },
            FEEDBACK: {
              reads: ({ payload }) => [cases.ref(payload.conversation_id)],
              apply(tx, { payload }) {
                if (tx.get(cases.ref(payload.conversation_id))?.told.length === 0)
                  throw new MeshError('invalid_transition', 'Judge first.');
              },
            },
          },
          routes: {
            async judge({ params: { conversation } }) {
              const found = await find(conversation!);
              return { sent: found && [await tell(conversation!, found.requester)] };
            },
          },
        };
      },
    },
  });
}

async function assigned(node: TestNode): Promise<{ one: TestAgent; other: TestAgent }> {
  const [one, other] = [testAgent(), testAgent()];
  const me = (await node.call('GET /identity')).body.agent_id;
  const parties = JSON.stringify({ requester: one.id, provider: other.id, accepted: ACCEPT });
  const payload = { verifier: me, opaque_b64: Buffer.from(parties).toString('base64') };
  const { status } = await node.deliver(one, 'NOTARIZE_ASSIGN', payload, { conversationId: CONVERSATION });
  assert.equal(status, 'accepted');
  return { one, other };
}

const failed = (boot: Promise<unknown>) =>
  boot.then(
    () => assert.fail('it booted'),
    (error: unknown) => {
      assert.ok(error instanceof BootError, String(error));
      return error.message;
    },
  );

describe('a plugin that is a notary', function () {
  this.timeout(30_000);
  let node: TestNode;
  afterEach(async () => assert.deepEqual(await node?.stop(), []));

  it('sends VERDICTs, and notes each in the transaction that signs it', async () => {
    node = await testNode(oracle());
    const { one, other } = await assigned(node);
    const { body } = await node.call(`POST /judge/${CONVERSATION}`);
    const [sent] = body.sent;
    const space = node.get(Store).space('oracle');
    assert.deepEqual((await space.get(cases.ref(CONVERSATION)))!.told, [`${one.id} ${sent.id}`]);
    const trace = (await node.call(`GET /envelopes/${sent.id}`)).body;
    assert.deepEqual([trace.msg_type, trace.recipient], ['VERDICT', one.id], JSON.stringify(trace));
    assert.equal((await node.call(`POST /judge/${CONVERSATION}`)).body.sent[0].id, sent.id);
    const asked = { msg_type: 'VERDICT', recipient: other.id, conversation_id: CONVERSATION };
    const said = await node.call('POST /envelopes/send', { body: { ...asked, payload: { outcome: 'approve' } } });
    assert.equal(said.status, 200, JSON.stringify(said.body));
    const { told } = (await space.get(cases.ref(CONVERSATION)))!;
    assert.deepEqual(told, [`${one.id} ${sent.id}`, `${other.id} ${said.body.envelope_id}`]);
  });

  it('says who may be rated as its notary, and when', async () => {
    node = await testNode(oracle());
    const { one } = await assigned(node);
    const rate = (conversation_id: string) =>
      node.call('POST /feedback', { body: { conversation_id, target_agent: one.id, score: 50 } });
    const early = await rate(CONVERSATION);
    assert.deepEqual([early.status, early.body.detail], [409, 'Judge first.']);
    await node.call(`POST /judge/${CONVERSATION}`);
    const late = await rate(CONVERSATION);
    assert.deepEqual([late.status, late.body.feedback?.role_name], [200, 'notary'], JSON.stringify(late.body));
    assert.equal((await rate('1'.repeat(32))).body.code, 'not_found');
    assert.equal((await rate('f'.repeat(32))).body.code, 'internal');
  });

  it('is one, and needs the permission', async () => {
    const both = await failed(testNode(oracle(), { beside: [[notary, {}]] }));
    assert.match(
      both,
      /oracle: setup failed: Another plugin keeps the cases|notary: setup failed: Another plugin keeps/,
    );
    assert.match(await failed(testNode(oracle(['messages:gate']))), /deals:judge/);
    assert.match(await failed(testNode(oracle(['deals:judge']))), /has receives without the permission messages:gate/);
    node = await testNode(oracle(undefined, 'other'));
  });
});

describe('the plugin notary, with fakes of the services', function () {
  this.timeout(30_000);

  it('tells the notary of each deal that is locked, those of before its start too, once', async () => {
    const [me, worker, other] = [testAgent().id, testAgent().id, testAgent().id];
    const deal = (conversation_id: string, fields: object = {}) =>
      sampleDeal({
        ...{ conversation_id, state: 'accepted', role: 'requester', requester: me, provider: worker, notary: other },
        escrow: { agreed: true, locked_at: '2026-01-01T00:00:00.000Z' },
        history: [{ event: 'accept', by: worker, at: '2026-01-01T00:00:00.000Z', envelope_id: ACCEPT }],
        ...fields,
      });
    const [before, later, unlocked, without] = ['1', '2', '3', '4'].map((digit) => digit.repeat(32));
    const deals = fakeDeals([deal(before!), deal(without!, { notary: null })]);
    const [messages, escrows] = [new FakeMessages(), fakeEscrowAccounts()];
    const services = [value(Deals, deals.service), value(Messages, messages), value(EscrowAccounts, escrows)];
    const node = await testNode(notary, { services });
    try {
      await happens('it is told of the deal of before', async () => messages.sent.length === 1 || undefined);
      await deals.change(deal(unlocked!, { escrow: { agreed: true } }));
      for (let turn = 0; turn < 2; turn++) await deals.change(deal(later!));
      assert.deepEqual(
        messages.sent.map(({ type, options }) => [type, options.recipient, options.conversationId]),
        [before, later].map((conversation) => ['NOTARIZE_ASSIGN', other, conversation]),
      );
      const [first] = messages.sent;
      assert(first?.type === 'NOTARIZE_ASSIGN');
      const said = JSON.parse(Buffer.from(first.payload.opaque_b64, 'base64').toString());
      assert.deepEqual(said, { requester: me, provider: worker, accepted: ACCEPT });
    } finally {
      assert.deepEqual(await node.stop(), []);
    }
  });

  it('carries its verdict to a contested escrow, and asks for one where there is none', async () => {
    const [judging, escrows] = [fakeJudging(), fakeEscrowAccounts()];
    const services = [value(Judging, judging), value(EscrowAccounts, escrows)];
    const node = await testNode(notary, { services });
    try {
      const { one, other } = await assigned(node);
      const name = { requester: one.id, provider: other.id, conversation: CONVERSATION };
      const me = (await node.call('GET /identity')).body.agent_id;
      assert.deepEqual((await judging.judge!.find(CONVERSATION))?.accepted, ACCEPT);
      const decide = () =>
        node.call('POST /notarize/decide', { body: { conversation_id: CONVERSATION, for_provider: true } });
      assert.equal((await decide()).body.code, 'escrow_not_found');
      escrows.put(name, { state: 'delivered', notary: me });
      const told = await node.call('POST /verdict', { body: { conversation_id: CONVERSATION, outcome: 'approve' } });
      assert.equal(told.status, 200, JSON.stringify(told.body));
      assert.deepEqual(
        judging.verdicts.map(({ party, word }) => [party, word.outcome]),
        [
          [one.id, 'approve'],
          [other.id, 'approve'],
        ],
      );
      assert.equal((await decide()).body.code, 'invalid_transition');
      escrows.put(name, { state: 'contested', notary: me, disputedAt: Math.floor(Date.now() / 1_000) });
      assert.equal((await decide()).status, 200);
      assert.deepEqual(judging.decisions, [{ conversation: CONVERSATION, forProvider: true }]);
    } finally {
      assert.deepEqual(await node.stop(), []);
    }
  });
});
