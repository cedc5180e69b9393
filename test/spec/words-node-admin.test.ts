import assert from 'node:assert/strict';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';
import { hasMembers } from './support/words.ts';

/** The rows of the node's administration, by the names and answers that existing clients know. */
describe('the rows of a node’s administration', function () {
  this.timeout(60_000);
  let mesh: Mesh<'one' | 'two'>;
  let one: Member;
  before(async () => {
    mesh = await startMesh({ nodes: ['one', 'two'] });
    one = mesh.nodes.one;
  });
  after(() => mesh.stop());

  const ask = async (method: string, path: string, body?: object) => {
    const answer = await one.call(method, path, body);
    assert.equal(answer.status, 200, `${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };

  it('GET /reputation/:agent_id', async () => {
    hasMembers(await ask('GET', `/reputation/${mesh.nodes.two.id}`), {
      agent_id: [mesh.nodes.two.id],
      reliability: 'integer',
      cooperation: 'integer',
      notary_accuracy: 'integer',
      total_tasks: 'integer',
      total_disputes: 'integer',
      last_active_epoch: 'integer',
    });
  });

  it('POST /admin/exempt, GET /admin/exempt and DELETE /admin/exempt/:agent_id', async () => {
    const agent_id = mesh.nodes.two.id;
    assert.deepEqual(await ask('POST', '/admin/exempt', { agentId: agent_id }), { ok: true, agent_id });
    hasMembers(await ask('GET', '/admin/exempt'), { exempt_agents: 'array', count: [1] });
    assert.deepEqual(await ask('DELETE', `/admin/exempt/${agent_id}`), { ok: true });
    const refused = await one.call('GET', '/admin/exempt', undefined, { authorization: 'Bearer wrong' });
    assert.equal(refused.status, 401, 'it requires the api_secret');
  });

  it('POST /agent/register-pid and POST /agent/reload: closed until the operator opens them', async () => {
    assert.equal((await one.post('/agent/register-pid', { pid: process.pid })).status, 403);
    assert.equal((await one.post('/agent/reload')).status, 403);
  });
});
