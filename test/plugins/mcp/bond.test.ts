import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { mcpPlugin } from '../../../plugins/mcp/index.ts';
import { type Mesh, startMesh } from '../../support/mesh.ts';

describe('a language model that locks a bond', function () {
  this.timeout(60_000);
  let mesh: Mesh<'alice' | 'bob'>;
  let model: Client;

  before(async () => {
    mesh = await startMesh({
      nodes: ['alice', 'bob'],
      usdc: { alice: '100' },
      plugins: { alice: [mcpPlugin] },
      own: { alice: { plugins: { mcp: { confirmAbove: '2', confirmAbovePerDay: '5' } } } },
    });
    const { url, apiSecret } = mesh.nodes.alice.node;
    model = new Client({ name: 'a-test', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
    const requestInit = { headers: { authorization: `Bearer ${apiSecret}` } };
    await model.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit }));
  });
  after(async () => {
    await model?.close();
    await mesh?.stop();
  });

  const ask = (name: string, given: Record<string, unknown> = {}) =>
    model.callTool({ name, arguments: given }) as Promise<{ isError?: boolean; structuredContent?: any }>;

  /** A deal with escrow that bob has accepted. */
  async function accepted(amount_usdc: string, bond_usdc: string): Promise<string> {
    const { alice, bob } = mesh.nodes;
    const offer = { recipient: bob.id, message: 'a haiku', amount_usdc, bond_usdc, escrow: true };
    const { body } = await alice.post('/negotiate/propose', offer);
    const { conversation_id } = body;
    await bob.dealWhen(conversation_id, 'proposed');
    await bob.post('/negotiate/accept', { conversation_id });
    await alice.dealWhen(conversation_id, 'accepted');
    return conversation_id;
  }

  it('is asked about all that leaves the wallet: the amount and the bond', async () => {
    const conversation_id = await accepted('1.5', '3');
    const { isError, structuredContent } = await ask('act', { conversation_id, action: 'lock' });
    assert.equal(isError, true, JSON.stringify(structuredContent));
    assert.equal(structuredContent.code, 'confirmation_required');
    assert.match(structuredContent.detail, /lock 4.5 USDC/);
  });

  it('has the bond counted for the day', async () => {
    const conversation_id = await accepted('1', '0.5');
    const { isError, structuredContent } = await ask('act', { conversation_id, action: 'lock' });
    assert.ok(!isError, JSON.stringify(structuredContent));
    const { without_confirmation } = (await ask('wallet')).structuredContent;
    assert.equal(without_confirmation.left_today_usdc, '3.5');
  });
});
