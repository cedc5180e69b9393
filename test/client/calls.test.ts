import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { AggregatorClient } from '../../core/client/aggregator-client.ts';
import { ClientError } from '../../core/client/client-error.ts';
import { NodeClient } from '../../core/client/node-client.ts';
import { eventually } from '../support/eventually.ts';
import { heldBytes } from '../support/held-memory.ts';

describe('a call of the client', () => {
  let server: Server;
  let serve: (request: IncomingMessage, response: ServerResponse, body: string) => void;
  before((listening) => {
    server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => serve(request, response, body));
    }).listen(0, '127.0.0.1', listening);
  });
  after((closed) => {
    server.closeAllConnections();
    server.close(closed);
  });

  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function refusal(call: Promise<unknown>): Promise<ClientError> {
    const error = await call.then(
      () => assert.fail('it was answered'),
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof ClientError, String(error));
    return error;
  }

  for (const wrong of [undefined, '', '127.0.0.1:9090', 'ftp://example.org', 'http://'])
    it(`is not made at ${JSON.stringify(wrong)}, and its client says at once what a url is`, () => {
      const sentence = /^the url begins with http:\/\/ or https:\/\/ and names a host; it is /;
      for (const Client of [NodeClient, AggregatorClient])
        assert.throws(() => new Client({ url: wrong as string }), { name: 'TypeError', message: sentence });
    });

  it('sends JSON, its credential, and a fresh idempotency key for what changes something', async () => {
    const keys = new Set<unknown>();
    serve = ({ method, url: path, headers }, response, body) => {
      assert.deepEqual([method, path], ['POST', '/negotiate/accept']);
      assert.equal(headers.authorization, 'Bearer a-secret-for-tests');
      assert.equal(headers['content-type'], 'application/json');
      assert.deepEqual(JSON.parse(body), { conversation_id: 'ab' });
      keys.add(headers['idempotency-key']);
      response.end('{}');
    };
    const node = new NodeClient({ url: `${url()}/`, secret: 'a-secret-for-tests' });
    for (let i = 0; i < 2; i++) await node.accept({ conversation_id: 'ab' });
    assert.equal(keys.size, 2);
    assert.ok(!keys.has(undefined));
  });

  it('writes queries and path parts so that they arrive as they are', async () => {
    serve = ({ url: path }, response) => response.end(JSON.stringify({ path }));
    const node = new NodeClient({ url: url() });
    assert.deepEqual(await node.deals({ limit: 5, before: 'a&b=c' }), { path: '/deals?limit=5&before=a%26b%3Dc' });
    assert.deepEqual(await node.trace('../identity'), { path: '/envelopes/..%2Fidentity' });
  });

  it('reads no answer without end, whatever it is packed in', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, 0x20), { level: 1 });
    let status = 200;
    serve = (_, response) => response.writeHead(status, { 'content-encoding': 'gzip' }).end(bomb);
    const node = new NodeClient({ url: url() });
    const before = heldBytes();
    assert.match((await refusal(node.identity())).message, /more than 16777216 bytes/);
    status = 500;
    const refused = await refusal(node.identity());
    assert.deepEqual([refused.status, refused.code], [500, 'http_500']);
    await eventually(() => heldBytes() - before < 32 * 1024 * 1024);
  });

  it('shows a refusal with its status, code, fields and the time to wait', async () => {
    const fields = [{ pointer: '/amount_usdc', message: 'is needed' }];
    serve = (_, response) => {
      response.writeHead(429, { 'content-type': 'application/problem+json', 'retry-after': '7' });
      response.end(JSON.stringify({ code: 'rate_limited', title: 'Too many.', detail: 'Slowly.', fields }));
    };
    const error = await refusal(new NodeClient({ url: url() }).identity());
    assert.deepEqual([error.status, error.code, error.retryAfter, error.fields], [429, 'rate_limited', 7, fields]);
    assert.match(error.message, /GET \/identity: Slowly\./);
  });

  for (const body of ['<html>Bad gateway</html>', 'null', '']) {
    it(`makes the best of a refusal that says ${JSON.stringify(body)}`, async () => {
      serve = (_, response) => void response.writeHead(502, { 'content-type': 'text/html' }).end(body);
      const error = await refusal(new NodeClient({ url: url() }).identity());
      assert.deepEqual([error.status, error.code, error.fields], [502, 'http_502', []]);
    });
  }

  it('nobody there is unreachable', async () => {
    const error = await refusal(new NodeClient({ url: 'http://127.0.0.1:1' }).identity());
    assert.deepEqual([error.status, error.code], [0, 'unreachable']);
  });

  for (const [when, answer] of [
    ['before the answer', () => {}],
    [
      'in the middle of it',
      (_: IncomingMessage, response: ServerResponse) => response.writeHead(200).write('{"agent_id":'),
    ],
  ] as const) {
    it(`a server that falls silent ${when} is unreachable after the timeout`, async () => {
      serve = answer;
      const error = await refusal(new NodeClient({ url: url(), timeout: 100 }).identity());
      assert.deepEqual([error.status, error.code], [0, 'unreachable']);
      assert.match(error.message, /no answer in time/);
    });
  }

  it('an answer that is no JSON is an error that names the call', async () => {
    serve = (_, response) => void response.end('<html>');
    const error = await refusal(new NodeClient({ url: url() }).identity());
    assert.deepEqual([error.status, error.code], [200, 'invalid_answer']);
  });

  it('an agent nobody has heard of has no reputation, and other errors are errors', async () => {
    let status = 404;
    serve = (_, response) => void response.writeHead(status).end('{}');
    const aggregator = new AggregatorClient({ url: url() });
    assert.equal(await aggregator.reputation('x'), undefined);
    status = 503;
    assert.equal((await refusal(aggregator.reputation('x'))).status, 503);
  });
});
