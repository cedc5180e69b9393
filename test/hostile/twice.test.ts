import assert from 'node:assert/strict';
import { TestAgent } from '../aggregator/support/agent.ts';
import { type Mesh, startMesh } from '../support/mesh.ts';
import { rawExchange } from '../support/raw-http.ts';
import { network } from '../support/stranger.ts';

describe('requests that two readers understand in two ways', () => {
  let mesh: Mesh<'node'>;
  before(async () => {
    mesh = await startMesh({ nodes: ['node'] });
  });
  after(() => mesh.stop());

  const recipient = new TestAgent('somebody', Date.now, network).id;

  async function post(url: string, body: string) {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${mesh.nodes.node.secret}` };
    const answer = await fetch(url, { method: 'POST', body, headers });
    return { status: answer.status, body: (await answer.json()) as any };
  }

  it('a member that is there twice is refused with its name, however it is written', async () => {
    const { url } = mesh.nodes.node;
    const base = `"recipient":"${recipient}","message":"Count."`;
    for (const [body, pointer] of [
      [`{${base},"amount_usdc":"1","amount_usdc":"100"}`, '/amount_usdc'],
      [`{${base},"amount_usdc":"1","amount\\u005fusdc":"100"}`, '/amount_usdc'],
      [`{"recipient":"${recipient}",${base},"amount_usdc":"1"}`, '/recipient'],
      [`{${base},"amount_usdc":"1","acceptance":[1,{"a":"}","b":{"c":1,"c":2}}]}`, '/acceptance/1/b/c'],
    ] as const) {
      const answer = await post(`${url}/negotiate/propose`, body);
      assert.deepEqual([answer.status, answer.body.fields?.[0]?.pointer], [400, pointer], body);
      assert.match(answer.body.detail, /twice/);
    }
    for (const path of ['/escrow/lock', '/negotiate/accept', '/feedback']) {
      const answer = await post(`${url}${path}`, '{"conversation_id":"1","conversation_id":"2"}');
      assert.deepEqual([answer.status, answer.body.fields?.[0]?.pointer], [400, '/conversation_id'], path);
    }
    const once = await post(`${url}/negotiate/propose`, `{${base},"amount_usdc":"1","max_rounds":2}`);
    assert.equal(once.status, 200);
  });

  it('two Host headers are refused, for a call and for a socket', async () => {
    const upgrade =
      'Upgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n';
    for (const port of [mesh.nodes.node.node.port, mesh.aggregatorNode.port]) {
      for (const [path, more] of [
        ['/health', 'Connection: close\r\n'],
        ['/mesh', `Connection: Upgrade\r\n${upgrade}`],
      ]) {
        const two = 'Host: 127.0.0.1\r\nhost: evil.example\r\n';
        assert.match(await rawExchange(port, `GET ${path} HTTP/1.1\r\n${two}${more}\r\n`), /^HTTP\/1\.1 400 /, path);
      }
    }
  });

  it('two Authorization headers are refused, for a call and for a socket, also where nobody asks for one', async () => {
    const { node, secret } = mesh.nodes.node;
    const upgrade =
      'Upgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n';
    const two = `Host: 127.0.0.1\r\nAuthorization: Bearer ${secret}\r\nauthorization: Bearer another\r\n`;
    for (const [path, more] of [
      ['/deals', 'Connection: close\r\n'],
      ['/admin/exempt', 'Connection: close\r\n'],
      ['/ws/inbox', `Connection: Upgrade\r\n${upgrade}`],
    ]) {
      const answer = await rawExchange(node.port, `GET ${path} HTTP/1.1\r\n${two}${more}\r\n`);
      assert.match(answer, /^HTTP\/1\.1 400 [\s\S]*authorization header is there twice/, path);
    }
  });

  it('an empty item of a report refuses only itself', async () => {
    const good = new TestAgent('reporter', Date.now, network).beacon('reporter').whole;
    const items = [{}, good, { ...good, receipt_b64: 'AAAA' }, { receipt_b64: '' }];
    const answer = await post(`${mesh.aggregatorNode.url}/ingest/envelopes`, JSON.stringify({ items }));
    assert.equal(answer.status, 200);
    const statuses = answer.body.results.map(({ status }: { status: string }) => status);
    assert.deepEqual(statuses, ['invalid', 'accepted', 'invalid', 'invalid']);
  });

  it('a path that has another method is answered 405 with what it allows', async () => {
    for (const [method, path, allow] of [
      ['GET', '/escrow/lock', 'POST'],
      ['GET', '/negotiate/propose', 'POST'],
      ['DELETE', '/identity', 'GET, HEAD'],
      ['GET', '/envelopes/send', 'POST'],
    ] as const) {
      const answer = await mesh.nodes.node.call(method, path);
      assert.deepEqual([answer.status, answer.headers.get('allow')], [405, allow], `${method} ${path}`);
    }
  });
});
