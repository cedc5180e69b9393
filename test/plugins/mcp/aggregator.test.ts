import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { mcpPlugin } from '../../../plugins/mcp/index.ts';
import { happens } from '../../support/happens.ts';
import { type Mesh, startMesh } from '../../support/mesh.ts';

describe('a language model searches an aggregator over the Model Context Protocol', function () {
  this.timeout(60_000);
  let mesh: Mesh<'alice' | 'bob'>;
  const clients: Client[] = [];
  before(async () => {
    mesh = await startMesh({
      nodes: ['alice', 'bob'],
      plugins: { aggregator: [mcpPlugin], alice: [mcpPlugin] },
      own: { bob: { agent: { name: 'bob the writer', capabilities: ['haiku'] } } },
    });
  });
  after(async () => {
    for (const client of clients) await client.close();
    await mesh?.stop();
  });

  async function connect(url: string, secret?: string): Promise<Client> {
    const client = new Client({ name: 'a-test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    const requestInit = { headers: { ...(secret !== undefined && { authorization: `Bearer ${secret}` }) } };
    await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit }));
    clients.push(client);
    return client;
  }
  const call = async (client: Client, name: string, given: Record<string, unknown> = {}) =>
    (await client.callTool({ name, arguments: given })) as any;

  it('without a secret, and changes nothing', async () => {
    const client = await connect(mesh.aggregatorNode.url);
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map(({ name }) => name).sort(), ['agent', 'find_agents']);
    assert.ok(tools.every(({ annotations }) => annotations?.readOnlyHint));
    const found = await happens('bob is known', async () => {
      const { structuredContent } = await call(client, 'find_agents', { capability: 'haiku' });
      return structuredContent.agents.length === 1 ? structuredContent.agents : undefined;
    });
    assert.equal(found[0].agent_id, mesh.nodes.bob.id);
    const { structuredContent: bob } = await call(client, 'agent', { agent_id: mesh.nodes.bob.id });
    assert.equal(bob.name, 'bob the writer');
    assert.equal(typeof bob.score, 'number');
    const missing = await call(client, 'agent', { agent_id: 'FAe4sisG95oZ42w7buUn5qEE4TAnfTTFPiguZUHmhiF' });
    assert.equal(missing.structuredContent.code, 'not_found');
    await assert.rejects(client.readResource({ uri: 'mesh://agents/nobody' }), /-32602|not found/i);
  });

  it('through the node of an agent as well', async () => {
    const client = await connect(mesh.nodes.alice.url, mesh.nodes.alice.secret);
    const found = await happens('bob is found', async () => {
      const { structuredContent } = await call(client, 'find_agents', { capability: 'haiku' });
      return structuredContent.agents?.length === 1 ? structuredContent : undefined;
    });
    assert.equal(found.source, mesh.aggregatorNode.url);
    assert.equal(found.agents[0].agent_id, mesh.nodes.bob.id);
    const { structuredContent: seen } = await call(client, 'agent', { agent_id: mesh.nodes.bob.id });
    assert.equal(seen.agent_id, mesh.nodes.bob.id);
    assert.ok(seen.profile && seen.reputation);
    const { structuredContent: self } = await call(client, 'agent');
    assert.equal(self.this_agent, true);
    const nobody = await call(client, 'agent', { agent_id: 'FAe4sisG95oZ42w7buUn5qEE4TAnfTTFPiguZUHmhiF' });
    assert.equal(nobody.structuredContent.code, 'not_found');
  });
});
