import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { systemClock, systemRandom } from '../../core/platform/system-clock.ts';
import { definePlugin, route, typed } from '../../core/plugin.ts';
import { tokenSigner } from '../../core/protocol/signer/token-signer.ts';
import { TestAgent } from '../aggregator/support/agent.ts';
import { type Answer, type Member, type Mesh, startMesh } from '../support/mesh.ts';
import { testNode } from '../support/node.ts';
import { network } from '../support/stranger.ts';
import { ATTACKER } from './support/hands.ts';

describe('an idempotency key that comes again', function () {
  this.timeout(60_000);
  let mesh: Mesh<'alice' | 'bob'>;
  let alice: Member;
  let bob: Member;
  before(async () => {
    mesh = await startMesh({ nodes: ['alice', 'bob'], storage: 'lowdb' });
    ({ alice, bob } = mesh.nodes);
  });
  after(() => mesh.stop());

  const offer = (message = 'Count.') => ({ recipient: bob.id, amount_usdc: '1', message, escrow: false });
  const keyed = (key: string, path: string, body: object, headers = {}) =>
    alice.post(path, body, { 'idempotency-key': key, ...headers });
  const propose = (key: string, body: object = offer(), headers = {}) =>
    keyed(key, '/negotiate/propose', body, headers);
  const replayed = ({ headers }: Answer) => headers.get('idempotency-replayed') === 'true';
  const deals = async () => (await alice.client.deals({ limit: 200 })).deals.length;

  it('is answered as before, also after a restart; with another body it is refused and does nothing', async () => {
    const key = randomUUID();
    const first = await propose(key);
    assert.equal(first.status, 200, JSON.stringify(first.body));
    const before = await deals();
    for (const restart of [false, true]) {
      if (restart) await alice.restart();
      const again = await propose(key);
      assert.deepEqual([again.status, replayed(again), again.body], [200, true, first.body]);
      for (const body of [offer('Count again.'), { ...offer(), max_rounds: 3 }, `${JSON.stringify(offer())} `]) {
        const other = await alice.post('/negotiate/propose', body, { 'idempotency-key': key });
        assert.deepEqual([other.status, other.body.code], [422, 'idempotency_mismatch']);
      }
    }
    assert.equal(await deals(), before);
  });

  it('on another route is another call', async () => {
    const key = randomUUID();
    const { conversation_id } = (await propose(key)).body;
    const reject = await keyed(key, '/negotiate/reject', { conversation_id, reason: 'no' });
    assert.deepEqual([reject.status, replayed(reject), reject.body.deal.state], [200, false, 'rejected']);
    const sent = await keyed(key, '/envelopes/send', { recipient: bob.id, msg_type: 'REJECT', payload: {} });
    assert.equal(replayed(sent), false);
  });

  it('of a caller without the secret tells nothing of the answer', async () => {
    const key = randomUUID();
    await propose(key);
    for (const authorization of ['Bearer wrong', '']) {
      const { status, body } = await propose(key, offer(), { authorization });
      assert.deepEqual([status, body.code, body.conversation_id], [401, 'unauthorized', undefined]);
    }
  });

  it('many times at once has one effect, whatever the bodies', async () => {
    for (const bodyOf of [() => offer(), (index: number) => offer(`Count ${index}.`)]) {
      const key = randomUUID();
      const before = await deals();
      const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => propose(key, bodyOf(index))));
      const fresh = answers.filter((answer) => answer.status === 200 && !replayed(answer));
      assert.equal(fresh.length, 1, `${answers.map(({ status }) => status)}`);
      for (const answer of answers) {
        if (answer.status === 200) assert.deepEqual(answer.body, fresh[0]!.body);
        else assert.ok([409, 422].includes(answer.status), `${answer.status} ${JSON.stringify(answer.body)}`);
      }
      assert.equal((await deals()) - before, 1);
    }
  });

  it('of a call that was refused is free for the same call, done right', async () => {
    const key = randomUUID();
    assert.equal((await propose(key, { ...offer(), recipient: 'nobody' })).status, 400);
    assert.equal((await propose(key)).status, 200);
  });

  it('that is no key is refused', async () => {
    for (const key of ['x'.repeat(256), 'a b', 'a\tb']) {
      const { status, body } = await propose(key);
      assert.deepEqual([status, body.code], [400, 'invalid_request'], key);
    }
  });

  it('of another agent is that agent’s own', async () => {
    const { url } = mesh.aggregatorNode;
    const agents = ['ann', 'ben'].map((name) => new TestAgent(`same key ${name}`, Date.now, network));
    const items = agents.map((agent) => agent.beacon('sleeper').whole);
    const init = { method: 'POST', headers: { 'content-type': 'application/json' } };
    await fetch(`${url}/ingest/envelopes`, { ...init, body: JSON.stringify({ items }) });
    const key = randomUUID();
    for (const agent of agents) {
      const body = JSON.stringify({ agent_id: agent.id, sleeping: true });
      const { token } = tokenSigner(
        agent.identity,
        systemClock,
        systemRandom,
      )({
        ...{ audience: url, method: 'POST', target: '/push/sleep', body: Buffer.from(body) },
      });
      const headers = { ...init.headers, authorization: `Bearer ${token}`, 'idempotency-key': key };
      const answer = await fetch(`${url}/push/sleep`, { ...init, body, headers });
      assert.deepEqual([answer.status, answer.headers.get('idempotency-replayed')], [200, null], await answer.text());
    }
  });
});

describe('an idempotency key at a route that is open to anybody', () => {
  const Words = typed<{ words: string }>({
    type: 'object',
    required: ['words'],
    properties: { words: { type: 'string' } },
  });

  it('is of the address that brings it: another one neither reads the answer nor keeps it from its owner', async () => {
    let calls = 0;
    const plugin = definePlugin({
      name: 'box',
      api: '2.0',
      node: {
        routes: { put: route('POST /box', { auth: 'open', body: Words, reply: Words, idempotency: true }) },
        setup: () => ({ routes: { put: async () => ({ words: `secret ${++calls}` }) } }),
      },
    });
    const node = await testNode({ plugins: [plugin] });
    const put = (localAddress: string, words: string) =>
      new Promise<{ status: number; text: string }>((resolve, reject) => {
        const headers = { 'content-type': 'application/json', 'idempotency-key': 'k' };
        const call = request(`${node.url}/box`, { method: 'POST', localAddress, headers }, (answer) => {
          let text = '';
          answer.on('data', (chunk) => (text += chunk));
          answer.on('end', () => resolve({ status: answer.statusCode!, text }));
        });
        call.on('error', reject).end(JSON.stringify({ words }));
      });
    try {
      assert.deepEqual(await put(ATTACKER, 'mine'), { status: 200, text: '{"words":"secret 1"}' });
      const own = { status: 200, text: '{"words":"secret 2"}' };
      assert.deepEqual(await put('127.0.0.1', 'yours'), own);
      assert.deepEqual(await put('127.0.0.1', 'yours'), own);
      assert.deepEqual(await put(ATTACKER, 'mine'), { status: 200, text: '{"words":"secret 1"}' });
      assert.equal((await put(ATTACKER, 'yours')).status, 422);
    } finally {
      await node.stop();
    }
  });
});
