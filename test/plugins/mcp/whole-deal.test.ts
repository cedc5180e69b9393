import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { packageRoot } from '../../../core/platform/package-root.ts';
import { mcpPlugin } from '../../../plugins/mcp/index.ts';
import { happens } from '../../support/happens.ts';
import { type Mesh, startMesh } from '../../support/mesh.ts';

type Given = Record<string, unknown>;
type Answer = { readonly isError?: boolean; readonly structuredContent: any };
/** How the official client of the protocol reaches the node: as docs/mcp.md says for hosts of either kind. */
const DOORS = ['mesh mcp', 'POST /mcp'] as const;

describe('a host of a language model hires and sells by docs/mcp.md', function () {
  this.timeout(240_000);
  let mesh: Mesh<'alice' | 'bob'>;
  let folder: string;
  const clients: Client[] = [];
  const asked: string[] = [];
  let says: { action: 'accept' | 'decline'; content?: Record<string, boolean> };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mesh-host-'));
    mesh = await startMesh({
      nodes: ['alice', 'bob'],
      usdc: { alice: '100' },
      plugins: { alice: [mcpPlugin], bob: [mcpPlugin] },
      own: {
        // The line of docs/mcp.md: its caps are those that hold without a word.
        alice: { plugins: { mcp: {} } },
        bob: { plugins: { mcp: {} }, agent: { name: 'bob', capabilities: ['haiku'] } },
      },
    });
  });
  beforeEach(() => {
    asked.splice(0);
    says = { action: 'decline' };
  });
  after(async () => {
    for (const client of clients) await client.close();
    await mesh?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** The official client, of a host that asks its person, or of one that cannot. */
  async function host(name: 'alice' | 'bob', door: (typeof DOORS)[number], canAsk = true): Promise<Client> {
    const { url, secret } = mesh.nodes[name];
    const client = new Client(
      { name: 'a-host', version: '1' },
      {
        capabilities: canAsk ? { elicitation: { form: {} } } : {},
        versionNegotiation: { mode: 'auto', probe: { timeoutMs: 60_000 } },
      },
    );
    if (canAsk)
      client.setRequestHandler('elicitation/create', async ({ params }) => {
        asked.push(params.message);
        return says;
      });
    if (door === 'POST /mcp') {
      const requestInit = { headers: { authorization: `Bearer ${secret}` } };
      await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit }));
    } else {
      // The folder of the node, where mesh mcp finds its address and its secret.
      const api = { secret: { $env: 'THE_SECRET' } };
      const cwd = join(folder, name);
      await mkdir(cwd, { recursive: true });
      await writeFile(join(cwd, 'plugins.json'), JSON.stringify({ listen: new URL(url).host, api }));
      await client.connect(
        new StdioClientTransport({
          command: process.execPath,
          args: [join(packageRoot, 'bin/mesh.js'), 'mcp'],
          cwd,
          env: { PATH: process.env['PATH']!, THE_SECRET: secret },
          stderr: 'ignore',
        }),
      );
    }
    clients.push(client);
    return client;
  }

  const ask = (client: Client, name: string, given: Given = {}) =>
    client.callTool({ name, arguments: given }) as Promise<unknown> as Promise<Answer>;
  async function call(client: Client, name: string, given: Given = {}): Promise<any> {
    const { isError, structuredContent } = await ask(client, name, given);
    assert.ok(!isError, JSON.stringify(structuredContent));
    return structuredContent;
  }
  async function refusal(client: Client, name: string, given: Given = {}): Promise<any> {
    const { isError, structuredContent } = await ask(client, name, given);
    assert.equal(isError, true, JSON.stringify(structuredContent));
    return structuredContent;
  }
  /** Looks at the deal, waiting for each change, until it is as the model wants it. */
  async function until(client: Client, conversation_id: string, isIt: (deal: any) => boolean): Promise<any> {
    let { deal } = await call(client, 'deal', { conversation_id });
    for (let looks = 0; !isIt(deal); looks += 1) {
      assert.ok(looks < 40, `the deal stays ${deal.state}`);
      ({ deal } = await call(client, 'deal', { conversation_id, wait_secs: 5, updated_at: deal.updated_at }));
    }
    return deal;
  }
  const usdc = async (client: Client) => Number((await call(client, 'wallet')).usdc);

  for (const door of DOORS)
    describe(`over ${door}`, () => {
      let buyer: Client;
      let seller: Client;
      before(async () => {
        [buyer, seller] = await Promise.all([host('alice', door), host('bob', door)]);
      });

      it('settles a deal within its cap, from the search to the rating, and asks nobody', async () => {
        const [before, earned] = [await usdc(buyer), await usdc(seller)];
        const found = await happens('bob is found', async () => {
          const { agents } = await call(buyer, 'find_agents', { capability: 'haiku' });
          return agents.length === 1 ? agents[0] : undefined;
        });
        const offer = { recipient: found.agent_id, message: 'A haiku about ponds.', amount_usdc: '0.5', escrow: true };
        const { conversation_id } = await call(buyer, 'propose', offer);

        await happens('the offer is there', async () => {
          const { deals } = await call(seller, 'deals', { state: 'proposed' });
          return deals.some((one: any) => one.conversation_id === conversation_id) || undefined;
        });
        await call(seller, 'act', { conversation_id, action: 'accept' });
        await until(buyer, conversation_id, ({ allowed_actions }) => allowed_actions.includes('lock'));
        await call(buyer, 'act', { conversation_id, action: 'lock' });
        await until(seller, conversation_id, ({ escrow }) => escrow.locked_at !== undefined);
        await call(seller, 'deliver', { conversation_id, text: 'An old silent pond' });
        await until(buyer, conversation_id, ({ allowed_actions }) => allowed_actions.includes('approve'));
        const { messages } = await call(buyer, 'inbox', { conversation_id });
        assert.ok(JSON.stringify(messages).includes('An old silent pond'), JSON.stringify(messages));
        await call(buyer, 'act', { conversation_id, action: 'approve' });
        const { state } = await until(buyer, conversation_id, (deal) => deal.state === 'settled');
        await call(buyer, 'rate', { conversation_id, score: 90 });

        assert.deepEqual([state, asked], ['settled', []]);
        assert.equal((await usdc(buyer)).toFixed(6), (before - 0.5).toFixed(6), 'the bond came back');
        assert.equal((await usdc(seller)).toFixed(6), (earned + 0.5).toFixed(6));
      });

      it('asks before a step beyond its cap, and neither promises nor spends when the person says no', async () => {
        const before = await usdc(buyer);
        const large = { recipient: mesh.nodes.bob.id, message: 'A long poem.', amount_usdc: '5', escrow: true };
        assert.equal((await refusal(buyer, 'propose', large)).code, 'declined');
        assert.match(asked[0]!, /offer 5 USDC/);
        // The offer fits; the lock takes its bond with it, and does not.
        const { conversation_id } = await call(buyer, 'propose', { ...large, amount_usdc: '0.9' });
        await until(seller, conversation_id, ({ state }) => state === 'proposed');
        await call(seller, 'act', { conversation_id, action: 'accept' });
        await until(buyer, conversation_id, ({ allowed_actions }) => allowed_actions.includes('lock'));
        asked.splice(0);
        const lock = { conversation_id, action: 'lock' };
        assert.equal((await refusal(buyer, 'act', lock)).code, 'declined');
        assert.match(asked[0]!, /lock 1\.35 USDC/);
        says = { action: 'accept', content: { confirm: false } };
        assert.equal((await refusal(buyer, 'act', lock)).code, 'declined');
        const { deals } = await call(buyer, 'deals');
        assert.ok(deals.every(({ amount_usdc }: any) => amount_usdc !== '5'));
        assert.equal(await usdc(buyer), before);

        says = { action: 'accept', content: { confirm: true } };
        await call(buyer, 'act', lock);
        assert.equal((await usdc(buyer)).toFixed(6), (before - 1.35).toFixed(6));
      });

      it('tells a host that cannot ask to have a person do it, and spends nothing', async () => {
        const mute = await host('alice', door, false);
        const before = await usdc(mute);
        const large = { recipient: mesh.nodes.bob.id, message: 'A long poem.', amount_usdc: '1.000001' };
        const { code, detail } = await refusal(mute, 'propose', large);
        assert.equal(code, 'confirmation_required');
        assert.match(detail, /mesh command/);
        assert.equal(await usdc(mute), before);
      });
    });
});
