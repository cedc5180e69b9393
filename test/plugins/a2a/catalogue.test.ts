import assert from 'node:assert/strict';
import { a2aPlugin } from '../../../plugins/a2a/index.ts';
import { delivered } from '../../support/deals.ts';
import { happens } from '../../support/happens.ts';
import { type Mesh, startMesh } from '../../support/mesh.ts';

describe('an aggregator publishes its agents to catalogues', function () {
  this.timeout(60_000);
  let mesh: Mesh<'bob' | 'cat'>;
  before(async () => {
    mesh = await startMesh({ nodes: ['bob', 'cat'], plugins: { aggregator: [a2aPlugin] } });
    await mesh.nodes.bob.client.advertise({ capabilities: ['poetry', 'translation'], description: 'Poems.' } as any);
    await happens('the aggregator heard of it', async () => {
      const found = await mesh.aggregator.agents({ capability: 'poetry' } as any);
      return found.length > 0 || undefined;
    });
  });
  after(() => mesh?.stop());

  async function ask(path: string, body?: unknown, headers: Record<string, string> = {}) {
    const response = await fetch(mesh.aggregatorNode.url + path, {
      headers,
      ...(body !== undefined && { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      body: text === '' ? undefined : JSON.parse(text),
      etag: response.headers.get('etag'),
    };
  }
  const identifier = () => `urn:air:127.0.0.1:agent:${mesh.nodes.bob.id}`;

  it('under both well-known paths, the same document, with the time of the last record that each agent signed', async () => {
    const [one, other] = [await ask('/.well-known/ard.json'), await ask('/.well-known/ai-catalog.json')];
    const { specVersion, host, entries } = one.body;
    assert.deepEqual(Object.keys(one.body), Object.keys(other.body));
    assert.deepEqual([specVersion, typeof host.displayName], ['1.0', 'string']);
    assert.equal(entries[0].type, 'application/ai-registry+json');
    const bob = entries.find((entry: any) => entry.identifier === identifier());
    assert.ok(Date.now() - Date.parse(bob.updatedAt) < 60_000);
    assert.equal(bob.metadata.last_signed_record_at, bob.updatedAt);
    assert.equal((await fetch(bob.url)).status, 200);
    assert.deepEqual([...bob.capabilities].sort(), ['poetry', 'translation']);
    for (const entry of entries) assert.match(entry.identifier, /^urn:air:[a-zA-Z0-9.-]+(:[a-zA-Z0-9._-]+)+$/);
  });

  it('each with the time of its last signed round trip, once it has delivered what somebody asked for', async () => {
    const { bob, cat } = mesh.nodes;
    const last = async () =>
      (await ask(`/ard/v1/agents/${encodeURIComponent(identifier())}`)).body.metadata.last_round_trip_at;
    assert.equal(await last(), undefined);
    await delivered(cat, bob, { amount_usdc: '0' });
    const at = await happens('the aggregator heard of the work', last);
    const { last_round_trip } = (await mesh.aggregator.profile(bob.id))!;
    assert.equal(at, last_round_trip!.answered_at);
    const listed = (await ask('/.well-known/ard.json')).body.entries;
    assert.equal(listed.find((entry: any) => entry.identifier === identifier()).metadata.last_round_trip_at, at);
  });

  it('by text, with relevance as the score and reputation elsewhere', async () => {
    const found = await ask('/ard/v1/search', { query: { text: 'Poetry and translation' } });
    assert.equal(found.status, 200);
    const [first] = found.body.results;
    assert.deepEqual([first.identifier, first.score, found.body.referrals], [identifier(), 67, []]);
    const byName = await ask('/ard/v1/search', { query: { text: 'cat' }, pageSize: 2 });
    assert.equal(byName.body.results[0].displayName, 'cat');
    const none = await ask('/ard/v1/search', {
      query: { text: 'poetry', filter: { type: ['application/mcp-server-card+json'] } },
    });
    assert.deepEqual(none.body.results, []);
    const both = { capabilities: ['poetry', 'chess'], publisher: ['127.0.0.1'] };
    assert.equal((await ask('/ard/v1/search', { query: { text: 'poetry', filter: both } })).body.results.length, 1);
  });

  it('one by one, and page by page', async () => {
    const { body } = await ask('/ard/v1/agents?pageSize=1');
    assert.equal(body.items.length, 1);
    const next = await ask(`/ard/v1/agents?pageSize=1&pageToken=${encodeURIComponent(body.pageToken)}`);
    assert.notEqual(next.body.items[0].identifier, body.items[0].identifier);
    const one = await ask(`/ard/v1/agents/${encodeURIComponent(identifier())}`);
    assert.deepEqual([one.status, one.body.displayName, one.body.score], [200, 'bob', undefined]);
  });

  it('and answers errors in the form of the protocol', async () => {
    const wrong: [number, string, string, unknown?][] = [
      [400, 'INVALID_ARGUMENT', '/ard/v1/search', 'nonsense'],
      [400, 'INVALID_ARGUMENT', '/ard/v1/search', { query: {} }],
      [400, 'INVALID_ARGUMENT', '/ard/v1/search', { query: { text: 'x', filter: { 'metadata.score': [1] } } }],
      [400, 'INVALID_ARGUMENT', '/ard/v1/agents?pageToken=nonsense'],
      [400, 'INVALID_ARGUMENT', '/ard/v1/agents/nonsense'],
      [404, 'NOT_FOUND', `/ard/v1/agents/${encodeURIComponent(`urn:air:127.0.0.1:agent:${'1'.repeat(32)}`)}`],
      [404, 'NOT_FOUND', `/ard/v1/agents/${encodeURIComponent(`urn:air:example.com:agent:${'1'.repeat(32)}`)}`],
    ];
    for (const [status, code, path, body] of wrong) {
      const found = await ask(path, body);
      assert.deepEqual([found.status, found.body.errorCode], [status, code], path);
    }
  });
});
