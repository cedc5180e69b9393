import assert from 'node:assert/strict';
import { happens } from '../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';
import { SHORT_EPOCHS } from './behavior/support.ts';

describe('agents that are exempt from the gates', function () {
  this.timeout(90_000);
  let mesh: Mesh<'free' | 'strict'>;
  let free: Member;
  let strict: Member;
  before(async () => {
    const core = { lease: { gate: true }, stake: { gate: true } };
    const own = { strict: { core, api: { openLoopback: true } } };
    mesh = await startMesh({ nodes: ['free', 'strict'], storage: 'lowdb', usdc: {}, numbers: SHORT_EPOCHS, own });
    ({ free, strict } = mesh.nodes);
  });
  after(() => mesh.stop());

  const ask = async (method: string, path: string, body?: object) => {
    const answer = await strict.call(method, path, body);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body;
  };
  const said = async (say: () => Promise<{ envelope_id: string }>) =>
    (await free.client.trace((await say()).envelope_id)).hops.at(-1)!.detail;
  const letter = () => said(() => free.client.message({ recipient: strict.id, text: 'Hello.' }));
  const offer = () =>
    said(() => free.client.propose({ recipient: strict.id, amount_usdc: '0', message: 'Count the words.' }));

  it('pass the gates of leases and stakes at once, and after a restart', async () => {
    assert.deepEqual(await ask('GET', '/admin/exempt'), { exempt_agents: [], count: 0, next: null });
    assert.equal(await letter(), 'restricted');
    assert.deepEqual(await ask('POST', '/admin/exempt', { agent_id: free.id }), { ok: true, agent_id: free.id });
    assert.deepEqual([await letter(), await offer()], ['accepted', 'accepted']);
    await strict.restart();
    assert.deepEqual(await ask('GET', '/admin/exempt'), { exempt_agents: [free.id], count: 1, next: null });
    await happens('it is let in again', async () => (await letter()) === 'accepted' || undefined);
  });

  it('are judged again as soon as they are removed; removing twice changes nothing', async () => {
    await ask('POST', '/admin/exempt', { agent_id: free.id });
    for (const _ of 'ab') assert.deepEqual(await ask('DELETE', `/admin/exempt/${free.id}`), { ok: true });
    assert.equal(await letter(), 'restricted');
  });

  it('are told in pages, whether named in hex or base58', async () => {
    const keys = ['01', '02', '03'].map((byte) => byte.repeat(32));
    for (const agent_id of keys) await ask('POST', '/admin/exempt', { agent_id });
    await ask('POST', '/admin/exempt', { agent_id: keys[0] });
    const first = await ask('GET', '/admin/exempt?limit=2');
    assert.deepEqual([first.exempt_agents.length, first.count, first.next], [2, 3, first.exempt_agents[1]]);
    const rest = await ask('GET', `/admin/exempt?limit=2&after=${first.next}`);
    assert.deepEqual([rest.exempt_agents.length, rest.next], [1, null]);
    assert.deepEqual((await ask('GET', '/admin/exempt?ids=hex')).exempt_agents.sort(), keys);
    for (const agent_id of keys) await ask('DELETE', `/admin/exempt/${agent_id}`);
    assert.equal((await ask('GET', '/admin/exempt')).count, 0);
  });

  it('are nobody’s business without the secret, on a machine whose reads and writes are open too', async () => {
    const calls = [
      ['GET', '/admin/exempt'],
      ['POST', '/admin/exempt', JSON.stringify({ agent_id: free.id })],
      ['DELETE', `/admin/exempt/${free.id}`],
    ] as const;
    for (const [method, path, body] of calls) {
      const headers = { 'content-type': 'application/json' };
      for (const token of [undefined, 'wrong']) {
        const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
        const answer = await fetch(strict.url + path, {
          method,
          headers: { ...headers, ...authorization },
          ...(body && { body }),
        });
        assert.equal(answer.status, 401, `${method} with ${token}`);
      }
    }
    const open = await fetch(`${strict.url}/identity`);
    assert.equal(open.status, 200);
  });

  it('need an id that is one', async () => {
    for (const body of [
      {},
      { agent_id: 'x' },
      { agent_id: '3'.repeat(43) },
      { agent_id: '0'.repeat(64) },
      { agent_id: 7 },
    ]) {
      const { status, body: problem } = await strict.call('POST', '/admin/exempt', body);
      assert.deepEqual([status, problem.fields[0].pointer], [400, '/agent_id']);
    }
    assert.equal((await strict.call('DELETE', '/admin/exempt/x')).status, 400);
  });
});
