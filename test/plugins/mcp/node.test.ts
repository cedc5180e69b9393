import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { mcpPlugin } from '../../../plugins/mcp/index.ts';
import { happens } from '../../support/happens.ts';
import { type Mesh, startMesh } from '../../support/mesh.ts';

type Given = Readonly<Record<string, unknown>>;
type Answer = { readonly isError?: boolean; readonly structuredContent?: any; readonly content: unknown };
const PER_CALL = '2';

describe('a language model acts for an agent over the Model Context Protocol', function () {
  this.timeout(90_000);
  let mesh: Mesh<'alice' | 'bob'>;
  let alice: Client;
  let bob: Client;
  /** What the person at alice's host was asked, and how they answer. */
  const asked: string[] = [];
  let says: { action: 'accept' | 'decline' | 'cancel'; content?: Record<string, boolean> } = { action: 'decline' };

  before(async () => {
    mesh = await startMesh({
      nodes: ['alice', 'bob'],
      storage: 'lowdb',
      usdc: { alice: '100' },
      plugins: { alice: [mcpPlugin], bob: [mcpPlugin] },
      own: { alice: { plugins: { mcp: { confirmAbove: PER_CALL, confirmAbovePerDay: '3' } } } },
    });
    alice = await connect('alice', { elicitation: { form: {} } });
    alice.setRequestHandler('elicitation/create', async ({ params }) => {
      asked.push(params.message);
      return says;
    });
    bob = await connect('bob');
  });
  after(async () => {
    await alice?.close();
    await bob?.close();
    await mesh?.stop();
  });
  beforeEach(() => {
    asked.splice(0);
    says = { action: 'decline' };
  });

  async function connect(name: 'alice' | 'bob', capabilities: object = {}, mode: 'legacy' | 'modern' = 'modern') {
    const { url, apiSecret } = mesh.nodes[name].node;
    const pin = { mode: { pin: '2026-07-28' } };
    const client = new Client(
      { name: 'a-test', version: '1' },
      { capabilities, ...(mode === 'modern' && { versionNegotiation: pin }) },
    );
    const requestInit = { headers: { authorization: `Bearer ${apiSecret}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit }));
    return client;
  }

  const ask = (client: Client, name: string, given: Given) =>
    client.callTool({ name, arguments: given as Record<string, unknown> }) as Promise<Answer>;
  async function call(client: Client, name: string, given: Given = {}): Promise<any> {
    const answer = await ask(client, name, given);
    assert.ok(!answer.isError, JSON.stringify(answer.content));
    return answer.structuredContent;
  }
  async function refusal(client: Client, name: string, given: Given = {}): Promise<any> {
    const answer = await ask(client, name, given);
    assert.equal(answer.isError, true, JSON.stringify(answer.content));
    return answer.structuredContent;
  }

  /** A deal for this amount that bob has accepted and delivered, owed by transfer. */
  async function delivered(amount_usdc: string): Promise<string> {
    const given = { recipient: mesh.nodes.bob.id, message: 'Write a haiku.', amount_usdc, escrow: false };
    const { conversation_id } = await call(alice, 'propose', given);
    await mesh.nodes.bob.dealWhen(conversation_id, 'proposed');
    await call(bob, 'act', { conversation_id, action: 'accept' });
    await mesh.nodes.bob.dealWhen(conversation_id, 'accepted');
    await call(bob, 'deliver', { conversation_id, text: 'An old silent pond' });
    await mesh.nodes.alice.dealWhen(conversation_id, 'delivered');
    return conversation_id;
  }
  const pay = (conversation_id: string) => ({ conversation_id, action: 'pay' });
  const usdc = async () => Number((await call(alice, 'wallet')).usdc);

  it('lists its tools, prompts and resources, each with the time for which they hold', async () => {
    const { tools, ttlMs, cacheScope } = (await alice.listTools()) as any;
    assert.deepEqual(tools.map(({ name }: any) => name).sort(), [
      'act',
      'agent',
      'deal',
      'deals',
      'deliver',
      'find_agents',
      'inbox',
      'propose',
      'rate',
      'send',
      'wallet',
    ]);
    assert.deepEqual([ttlMs, cacheScope], [300_000, 'public']);
    for (const { inputSchema, annotations } of tools) {
      assert.equal(inputSchema.additionalProperties, false);
      assert.equal(typeof annotations.title, 'string');
    }
    const { prompts } = await alice.listPrompts();
    assert.deepEqual(prompts.map(({ name }) => name).sort(), ['dispute', 'hire', 'sell']);
    const { messages } = await alice.getPrompt({ name: 'hire', arguments: { task: 'count words' } });
    assert.match((messages[0]!.content as { text: string }).text, /count words/);
    const { resourceTemplates } = await alice.listResourceTemplates();
    assert.deepEqual(resourceTemplates.map(({ uriTemplate }) => uriTemplate).sort(), [
      'mesh://agents/{id}',
      'mesh://deals/{id}',
    ]);
  });

  it('makes a free deal from offer to rating, and waits for its changes', async () => {
    const { conversation_id, deal } = await call(alice, 'propose', {
      recipient: mesh.nodes.bob.id,
      message: 'A haiku.',
    });
    const waiting = call(alice, 'deal', { conversation_id, wait_secs: 25 });
    await mesh.nodes.bob.dealWhen(conversation_id, 'proposed');
    const offers = await call(bob, 'deals', { state: 'proposed' });
    assert.ok(offers.deals.some((one: any) => one.conversation_id === conversation_id));
    await call(bob, 'act', { conversation_id, action: 'accept' });
    assert.equal((await waiting).timed_out, false);
    const known = await call(alice, 'deal', { conversation_id, wait_secs: 25, updated_at: deal.updated_at });
    assert.equal(known.deal.state, 'accepted');
    await call(bob, 'deliver', { conversation_id, text: 'An old silent pond' });
    await mesh.nodes.alice.dealWhen(conversation_id, 'settled');
    const { messages } = await call(alice, 'inbox', { conversation_id });
    assert.ok(messages.some(({ type }: any) => type === 'DELIVER'));
    const rated = await call(alice, 'rate', { conversation_id, score: 80 });
    assert.match(rated.envelope_id, /^[0-9a-f]{64}$/);
  });

  it('says after its time that nothing changed', async () => {
    const { deals } = await call(alice, 'deals', { limit: 1 });
    const found = await call(alice, 'deal', { conversation_id: deals[0].conversation_id, wait_secs: 1 });
    assert.equal(found.timed_out, true);
  });

  it('pays within the caps without a question, and beyond them only once a person said yes', async () => {
    const before = await usdc();
    const small = await delivered('2');
    assert.equal(asked.length, 0);
    assert.equal((await call(alice, 'act', pay(small))).deal.state, 'settled');
    assert.equal(asked.length, 0);
    assert.equal((await usdc()).toFixed(2), (before - 2).toFixed(2));
    assert.equal((await call(alice, 'wallet')).without_confirmation.left_today_usdc, '1');

    says = { action: 'accept', content: { confirm: true } };
    const large = await delivered('5');
    assert.match(asked[0]!, /offer 5 USDC/);
    asked.splice(0);

    says = { action: 'decline' };
    assert.equal((await refusal(alice, 'act', pay(large))).code, 'declined');
    says = { action: 'accept', content: { confirm: false } };
    assert.equal((await refusal(alice, 'act', pay(large))).code, 'declined');
    assert.equal((await usdc()).toFixed(2), (before - 2).toFixed(2));

    says = { action: 'accept', content: { confirm: true } };
    assert.equal((await call(alice, 'act', pay(large))).deal.state, 'settled');
    assert.match(asked[0]!, new RegExp(`pay 5 USDC for ${mesh.nodes.bob.id}`));
    assert.equal((await usdc()).toFixed(2), (before - 7).toFixed(2));

    // What one call may move does not fit the day any more.
    const second = await delivered('2');
    asked.splice(0);
    says = { action: 'decline' };
    assert.equal((await refusal(alice, 'act', pay(second))).code, 'declined');
    assert.equal(asked.length, 1);

    // The day is counted in the store.
    await mesh.nodes.alice.restart();
    alice = await connect('alice', { elicitation: { form: {} } });
    alice.setRequestHandler('elicitation/create', async ({ params }) => {
      asked.push(params.message);
      return says;
    });
    assert.equal((await refusal(alice, 'act', pay(second))).code, 'declined');
    assert.equal((await call(alice, 'wallet')).without_confirmation.left_today_usdc, '0');
  });

  it('never spends beyond the caps for a host that cannot ask, of the older revision too', async () => {
    says = { action: 'accept', content: { confirm: true } };
    const conversation = await delivered('4');
    const before = await usdc();
    for (const mode of ['modern', 'legacy'] as const) {
      const mute = await connect('alice', {}, mode);
      try {
        const { code, detail } = await refusal(mute, 'act', pay(conversation));
        assert.equal(code, 'confirmation_required');
        assert.match(detail, /mesh command/);
      } finally {
        await mute.close();
      }
    }
    assert.equal(await usdc(), before);
  });

  it('tells subscribers of a deal that it changed', async () => {
    const { conversation_id } = await call(alice, 'propose', { recipient: mesh.nodes.bob.id, message: 'Another.' });
    const uri = `mesh://deals/${conversation_id}`;
    const updates: string[] = [];
    alice.setNotificationHandler('notifications/resources/updated', ({ params }) => void updates.push(params.uri));
    const listening = await (alice as any).listen({ resourceSubscriptions: [uri] });
    await mesh.nodes.bob.dealWhen(conversation_id, 'proposed');
    await call(bob, 'act', { conversation_id, action: 'reject', reason: 'no time' });
    await happens('an update of the deal', async () => (updates.includes(uri) ? true : undefined));
    const { contents } = await alice.readResource({ uri });
    assert.equal(JSON.parse((contents[0] as { text: string }).text).conversation_id, conversation_id);
    await listening.close();
  });

  describe('hostile and careless calls', () => {
    const raw = (body: unknown, headers: Record<string, string> = {}) =>
      fetch(`${mesh.nodes.alice.url}/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${mesh.nodes.alice.secret}`,
          ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
          ...headers,
        },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      });
    const envelope = (method: string, params: object) => ({
      ...{ jsonrpc: '2.0', id: 1, method },
      params: {
        ...params,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
        },
      },
    });
    const toolCall = (name: string, given: object, more: object = {}) =>
      raw(envelope('tools/call', { name, arguments: given, ...more }), {
        ...{ 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name },
      });

    it('need the secret of the node', async () => {
      for (const authorization of ['', 'Bearer wrong']) {
        const answer = await raw(envelope('tools/list', {}), { authorization });
        assert.equal(answer.status, 401);
      }
    });

    it('of pages elsewhere are refused', async () => {
      const answer = await raw(envelope('tools/list', {}), { origin: 'https://elsewhere.example' });
      assert.equal(answer.status, 403);
    });

    it('that are no message of the protocol get its own errors', async () => {
      for (const body of ['{', 'null', '[]', '{"jsonrpc":"1.0"}', '"text"']) {
        const answer = await raw(body);
        assert.ok(answer.status >= 400 && answer.status < 500, `${body}: ${answer.status}`);
        const { error } = (await answer.json()) as any;
        assert.ok(error.code < 0, body);
      }
      const unknown = await raw(envelope('deals/steal', {}), {
        ...{ 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'deals/steal' },
      });
      assert.equal(unknown.status, 404);
      assert.equal(((await unknown.json()) as any).error.code, -32_601);
      const other = await raw(envelope('tools/list', {}), {
        ...{ 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call' },
      });
      assert.equal(other.status, 400);
      assert.equal(((await other.json()) as any).error.code, -32_020);
      for (const method of ['GET', 'DELETE']) {
        const answer = await fetch(`${mesh.nodes.alice.url}/mcp`, {
          method,
          headers: { authorization: `Bearer ${mesh.nodes.alice.secret}` },
        });
        assert.equal(answer.status, 405);
      }
    });

    it('with wrong arguments are told which, so that a model can correct itself', async () => {
      const wrong: [string, Given, RegExp][] = [
        ['propose', { recipient: mesh.nodes.bob.id, message: 'x', amount_usdc: '-1' }, /amount_usdc/],
        ['propose', { recipient: mesh.nodes.bob.id, message: 'x', amount: '1' }, /amount|additional/],
        ['deal', { conversation_id: '../x' }, /conversation_id/],
        ['deal', { conversation_id: 'f'.repeat(32) }, /not_found/],
        ['act', { conversation_id: 'f'.repeat(32), action: 'pay' }, /not_found/],
        ['inbox', { limit: 1_000_000 }, /limit/],
        ['send', { recipient: 'not an agent but long enough to be one', text: 'hi' }, /recipient/],
      ];
      for (const [name, given, words] of wrong) {
        const answer = await ask(bob, name, given);
        assert.equal(answer.isError, true, name);
        assert.match(JSON.stringify(answer.content), words);
      }
      await assert.rejects(ask(bob, 'steal', {}), /-32602|not found|unknown/i);
    });

    it('cannot confirm for another step, with a state of their own, or twice', async () => {
      says = { action: 'accept', content: { confirm: true } };
      const [first, second] = [await delivered('4'), await delivered('4')];
      const before = await usdc();
      const question = ((await (await toolCall('act', pay(first))).json()) as any).result;
      assert.equal(question.resultType, 'input_required');
      const yes = { inputResponses: { confirm: { action: 'accept', content: { confirm: true } } } };
      const { requestState } = question;

      const moved = ((await (await toolCall('act', pay(second), { ...yes, requestState })).json()) as any).result;
      assert.equal(moved.resultType, 'input_required', 'the confirmation of another deal asks again');
      const forged = await toolCall('act', pay(first), { ...yes, requestState: `${requestState.slice(0, -4)}AAAA` });
      assert.equal(((await forged.json()) as any).error.code, -32_602);
      const none = ((await (await toolCall('act', pay(first), yes)).json()) as any).result;
      assert.equal(none.resultType, 'input_required', 'an answer to no question asks');
      assert.equal(await usdc(), before);

      const given = { ...yes, requestState };
      const [one, other] = await Promise.all([toolCall('act', pay(first), given), toolCall('act', pay(first), given)]);
      const results = [(await one.json()) as any, (await other.json()) as any].map(({ result }) => result);
      assert.equal(results.filter(({ resultType }) => resultType === 'input_required').length, 1);
      assert.equal((await usdc()).toFixed(2), (before - 4).toFixed(2));
    });

    it('that are too large are refused while they are read', async () => {
      const answer = await raw(`{"x":"${'x'.repeat(1_100_000)}"}`);
      assert.equal(answer.status, 413);
    });
  });
});
