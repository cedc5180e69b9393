import assert from 'node:assert/strict';
import { verifyAgentCardSignature } from '@a2a-js/sdk';
import { a2aPlugin } from '../../../plugins/a2a/index.ts';
import { happens } from '../../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../../support/mesh.ts';
import { Guest } from '../hosting/support/hosted.ts';
import { saying, stockClient } from './support/stock-client.ts';

const TOKEN = 'a-token-of-ada-123';
const COUNTING = { id: 'count', name: 'Count', description: 'Counts words.', tags: ['words'] };
const COMPLETED = 3;

describe('an agent that a node hosts, for A2A clients', function () {
  this.timeout(60_000);
  let mesh: Mesh<'inn'>;
  let inn: Member;
  let ann: Guest;
  before(async () => {
    const agents: object[] = [];
    const a2a = { clients: [{ name: 'ada', token: TOKEN }], agents };
    mesh = await startMesh({
      nodes: ['inn'],
      storage: 'lowdb',
      plugins: { inn: [a2aPlugin] },
      own: { inn: { plugins: { hosting: { hostAgents: true }, a2a } } },
    });
    ({ inn } = mesh.nodes);
    ann = await Guest.register(() => inn, { name: 'ann' });
    // As an operator writes it into plugins.json, where the agent has registered.
    agents.push({ id: ann.id, name: 'ann', description: 'Counts your words.', skills: [COUNTING] });
    await inn.restart();
  });
  after(() => mesh?.stop());

  const cardOf = (id: string) => fetch(`${inn.url}/a2a/${id}/.well-known/agent-card.json`);

  it('has a card of its own, which the stock SDK verifies by the key of its node', async () => {
    const card: any = await (await cardOf(ann.id)).json();
    assert.deepEqual([card.name, card.description, card.skills], ['ann', 'Counts your words.', [COUNTING]]);
    assert.ok(card.supportedInterfaces.every(({ url }: any) => url === `${inn.url}/a2a/${ann.id}`));
    const { agent_id, node_id } = card.capabilities.extensions[0].params;
    assert.deepEqual([agent_id, node_id], [ann.id, inn.id]);
    const { keys }: any = await (await fetch(`${inn.url}/.well-known/jwks.json`)).json();
    const verify = verifyAgentCardSignature(async (kid) => keys.find((key: any) => key.kid === kid));
    await verify(card);
    await assert.rejects(verify({ ...card, name: 'mallory' }));
    const own: any = await (await fetch(`${inn.url}/.well-known/agent-card.json`)).json();
    assert.equal(own.name, 'inn');
    const { id } = await Guest.register(() => inn, { name: 'ben' });
    assert.equal((await cardOf(id)).status, 404, 'one that the operator did not name');
  });

  it('is given a task by the stock client, and does it by the routes of hosted agents', async () => {
    const client = await stockClient(`${inn.url}/a2a/${ann.id}`, 'JSONRPC', TOKEN);
    const working = (async () => {
      const { conversation_id } = await happens('an offer', async () => {
        const { deals } = await ann.does('GET /hosted/deals?state=proposed');
        return deals[0];
      });
      await ann.does('POST /hosted/negotiate/accept', { conversation_id });
      await ann.does('POST /hosted/deliver', { conversation_id, content: 'Six words.', content_type: 'text/plain' });
      return conversation_id;
    })();
    const task: any = await client.sendMessage(saying('the cat sat on the mat'));
    assert.deepEqual([task.status.state, task.id], [COMPLETED, await working]);
    assert.equal(task.artifacts[0].parts[0].content.value, 'Six words.');
    await ann.dealWhen(task.id, 'settled');
  });
});
