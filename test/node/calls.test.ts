import assert from 'node:assert/strict';
import { proposed } from '../support/deals.ts';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';

const CONVERSATION = '00112233445566778899aabbccddeeff';

describe('calls to a node', () => {
  let mesh: Mesh<'alice' | 'bob'>;
  let alice: Member;
  let bob: Member;
  before(async () => {
    mesh = await startMesh({ nodes: ['alice', 'bob'] });
    ({ alice, bob } = mesh.nodes);
  });
  after(() => mesh.stop());

  /** Anybody may ask for an agent here, where the operator hosts any; its own calls carry its token. */
  const OF_HOSTED = /^\/hosted\/(?!agents)/;

  /** Every route that changes something, of core and of the plugins that a node has. */
  async function changing(): Promise<[method: string, path: string][]> {
    const { body } = await alice.get('/openapi.json');
    const calls = Object.entries<object>(body.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method): [string, string] => [method.toUpperCase(), path]),
    );
    return calls
      .filter(([method, path]) => method !== 'GET' && !OF_HOSTED.test(path))
      .map(([method, path]) => [
        method,
        path
          .replace('{conversation_id}', CONVERSATION)
          .replace('{agent_id}', bob.id)
          .replace(/\{\w+\}/g, 'x'),
      ]);
  }

  it('whatever changes something needs the secret', async () => {
    const calls = await changing();
    assert.ok(calls.length > 50, String(calls.length));
    for (const [method, path] of calls) {
      for (const authorization of ['', 'Bearer wrong-secret-wrong-secret', `Basic ${alice.secret}`]) {
        const answer = await alice.call(method, path, {}, { authorization });
        assert.deepEqual([answer.status, answer.body.code], [401, 'unauthorized'], `${method} ${path}`);
        assert.match(answer.headers.get('content-type')!, /problem\+json/);
      }
    }
  });

  it('a refusal says which credential the call needs, and whether one came', async () => {
    const needs = /This call needs: The API secret of the node.*api-secret/;
    for (const [authorization, fault] of [
      ['', /^The header Authorization with a Bearer value is missing\. /],
      ['Bearer wrong-secret-wrong-secret', /^The Bearer value does not hold\. /],
    ] as const) {
      const { status, body } = await alice.call('POST', '/negotiate/propose', offer(), { authorization });
      assert.equal(status, 401);
      assert.match(body.detail, fault);
      assert.match(body.detail, needs);
    }
  });

  it('reads are open on loopback', async () => {
    for (const path of ['/identity', '/peers', '/deals']) {
      assert.equal((await alice.call('GET', path, undefined, { authorization: '' })).status, 200, path);
    }
  });

  const offer = () => ({ recipient: bob.id, amount_usdc: '1', message: 'Hello.' });
  const BAD: [what: string, path: string, body: () => unknown, pointer: string][] = [
    ['no body', '/negotiate/propose', () => undefined, ''],
    ['broken JSON', '/negotiate/propose', () => '{"recipient":', ''],
    ['no recipient', '/negotiate/propose', () => ({ amount_usdc: '1', message: 'x' }), '/recipient'],
    ['two amounts', '/negotiate/propose', () => ({ ...offer(), amount_usdc_micro: 1 }), '/amount_usdc_micro'],
    ['a number for a decimal', '/negotiate/propose', () => ({ ...offer(), amount_usdc: 1 }), '/amount_usdc'],
    ['seven decimals', '/negotiate/propose', () => ({ ...offer(), amount_usdc: '0.0000001' }), '/amount_usdc'],
    ['a negative amount', '/negotiate/propose', () => ({ ...offer(), amount_usdc: '-1' }), '/amount_usdc'],
    [
      'more than the protocol carries',
      '/negotiate/propose',
      () => ({ ...offer(), amount_usdc: '9999999999999' }),
      '/amount_usdc',
    ],
    [
      'a misspelt amount',
      '/negotiate/propose',
      () => ({ recipient: bob.id, amount_usd: '1', message: 'x' }),
      '/amount_usd',
    ],
    ['a recipient that is no id', '/negotiate/propose', () => ({ ...offer(), recipient: 'bob' }), '/recipient'],
    ['31 bytes of base58', '/negotiate/propose', () => ({ ...offer(), recipient: '1'.repeat(33) }), '/recipient'],
    ['the node itself', '/negotiate/propose', () => ({ ...offer(), recipient: alice.id }), '/recipient'],
    ['a message of 5 KB', '/negotiate/propose', () => ({ ...offer(), message: 'x'.repeat(5_000) }), '/message'],
    ['a conversation that is none', '/negotiate/accept', () => ({ conversation_id: 'x' }), '/conversation_id'],
    [
      'two contents',
      '/deliver',
      () => ({ conversation_id: CONVERSATION, content: 'x', content_b64: 'eA==' }),
      '/content',
    ],
    [
      'an offer of 10 001',
      '/escrow/dispute',
      () => ({ conversation_id: CONVERSATION, offer_bps: 10_001 }),
      '/offer_bps',
    ],
    ['a limit of -1', '/escrow/contest', () => ({ conversation_id: CONVERSATION, max_bps: -1 }), '/max_bps'],
    [
      'a decision that is none',
      '/notarize/decide',
      () => ({ conversation_id: CONVERSATION, outcome: 'perhaps' }),
      '/outcome',
    ],
    ['no amount', '/negotiate/counter', () => ({ conversation_id: CONVERSATION }), '/amount_usdc'],
    ['a score of 101', '/feedback', () => ({ conversation_id: CONVERSATION, score: 101 }), '/score'],
    ['a cursor of 0', '/inbox/ack', () => ({ cursor: 0 }), '/cursor'],
    ['an unknown message type', '/envelopes/send', () => ({ msg_type: 'GREET' }), '/msg_type'],
    ['a BEACON, which is the node’s', '/envelopes/send', () => ({ msg_type: 'BEACON', payload: {} }), '/msg_type'],
    [
      'a broadcast with a recipient',
      '/envelopes/send',
      () => ({ msg_type: 'DISCOVER', recipient: bob.id, payload: { query: 'x' } }),
      '/recipient',
    ],
    [
      'a REJECT without a recipient',
      '/envelopes/send',
      () => ({ msg_type: 'REJECT', payload: { reason: 'x' } }),
      '/recipient',
    ],
    [
      'a payload of another type',
      '/envelopes/send',
      () => ({ msg_type: 'DISCOVER', payload: { capabilities: [] } }),
      '/payload/query',
    ],
    [
      'payload bytes that are none',
      '/envelopes/send',
      () => ({ msg_type: 'DISCOVER', payload_b64: '!' }),
      '/payload_b64',
    ],
    [
      'both payloads',
      '/envelopes/send',
      () => ({ msg_type: 'DISCOVER', payload: { query: 'x' }, payload_b64: 'eA==' }),
      '/payload_b64',
    ],
  ];
  for (const [what, path, body, pointer] of BAD) {
    it(`${what} is refused at ${path} with its field`, async () => {
      const answer = await alice.post(path, body());
      assert.deepEqual([answer.status, answer.body.code], [400, 'invalid_request'], JSON.stringify(answer.body));
      const pointers = (answer.body.fields ?? []).map((field: { pointer: string }) => field.pointer);
      if (pointer) assert.ok(pointers.includes(pointer), `${pointers} of ${JSON.stringify(answer.body)}`);
    });
  }

  it('unknown conversations and envelopes are 404', async () => {
    for (const path of ['/negotiate/counter', '/negotiate/accept', '/negotiate/reject', '/deliver', '/feedback']) {
      const body = { conversation_id: CONVERSATION, amount_usdc: '1', content: 'x', score: 1 };
      const allowed: Record<string, string[]> = {
        '/negotiate/counter': ['amount_usdc'],
        '/deliver': ['content'],
        '/feedback': ['score'],
      };
      const kept = Object.entries(body).filter(([name]) => name === 'conversation_id' || allowed[path]?.includes(name));
      assert.equal((await alice.post(path, Object.fromEntries(kept))).status, 404, path);
    }
    assert.equal((await alice.get(`/deals/${CONVERSATION}`)).status, 404);
    assert.equal((await alice.get(`/envelopes/${'ab'.repeat(32)}`)).status, 404);
    assert.equal((await alice.get('/envelopes/xyz')).status, 400);
  });

  it('a body over the limit is 413', async () => {
    const reason = 'x'.repeat(200_000);
    const answer = await alice.post('/negotiate/reject', { conversation_id: CONVERSATION, reason });
    assert.deepEqual([answer.status, answer.body.code], [413, 'payload_too_large']);
  });

  it('an envelope over 64 KiB is 413 and leaves nothing behind', async () => {
    const before = await alice.client.send({ msg_type: 'DISCOVER', payload: { query: 'x' } });
    const payload = {
      topic: 'news',
      title: '',
      tags: [],
      format: 'data',
      content_b64: Buffer.alloc(65_000).toString('base64'),
    };
    const big = await alice.post('/envelopes/send', { msg_type: 'BROADCAST', payload });
    const bigger = Buffer.alloc(65_500).toString('base64');
    const refused = await alice.post('/envelopes/send', {
      msg_type: 'BROADCAST',
      payload: { ...payload, content_b64: bigger },
    });
    assert.equal(big.status, 200);
    assert.deepEqual([refused.status, refused.body.code], [413, 'payload_too_large']);
    const after = await alice.client.send({ msg_type: 'DISCOVER', payload: { query: 'x' } });
    assert.equal(after.nonce, before.nonce + 2);
  });

  describe('with an idempotency key', () => {
    it('the same call again gives the same answer and has one effect', async () => {
      const key = { 'idempotency-key': 'propose-1' };
      const first = await alice.post('/negotiate/propose', offer(), key);
      const second = await alice.post('/negotiate/propose', offer(), key);
      assert.equal(first.status, 200);
      assert.deepEqual(second.body, first.body);
      assert.equal(second.headers.get('idempotency-replayed'), 'true');
      const { deals } = await bob.client.deals({ limit: 200 });
      assert.equal(deals.filter(({ message }) => message === 'Hello.').length, 1);
    });

    it('another body is 422', async () => {
      const key = { 'idempotency-key': 'propose-2' };
      assert.equal((await alice.post('/negotiate/propose', offer(), key)).status, 200);
      const other = await alice.post('/negotiate/propose', { ...offer(), amount_usdc: '2' }, key);
      assert.deepEqual([other.status, other.body.code], [422, 'idempotency_mismatch']);
    });

    it('a refused call can be repeated', async () => {
      const key = { 'idempotency-key': 'accept-1' };
      const conversation_id = await proposed(alice, bob);
      assert.equal((await alice.post('/negotiate/accept', { conversation_id }, key)).status, 409);
      assert.equal((await alice.post('/negotiate/accept', { conversation_id }, key)).status, 409);
    });
  });

  describe('without a ledger', () => {
    it('money is 503 ledger_unavailable', async () => {
      const conversation_id = await proposed(alice, bob);
      for (const answer of [
        await alice.get('/portfolio/balances'),
        await alice.post(`/deals/${conversation_id}/pay`),
      ]) {
        assert.deepEqual([answer.status, answer.body.code], [503, 'ledger_unavailable']);
      }
    });
  });
});
