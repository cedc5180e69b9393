import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import { AggregatorClient } from '../../core/client/aggregator-client.ts';
import { ClientError } from '../../core/client/client-error.ts';
import { HttpCaller } from '../../core/client/http-caller.ts';
import { NodeClient } from '../../core/client/node-client.ts';
import { operationsOf } from '../../core/client/operations.ts';

const DEEP = '['.repeat(2_000_000);

describe('the client of a hostile server', () => {
  const asked: string[] = [];
  const keys: unknown[] = [];
  let serve: (request: IncomingMessage, response: ServerResponse) => void;
  let greet: (socket: import('ws').WebSocket, nth: number) => void;
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    keys.push(request.headers['idempotency-key']);
    serve(request, response);
  });
  const sockets = new WebSocketServer({ server, path: '/ws/activity' });
  let nth = 0;
  sockets.on('connection', (socket) => greet(socket, nth++));
  before((listening) => void server.listen(0, '127.0.0.1', listening));
  after((closed) => {
    for (const socket of sockets.clients) socket.terminate();
    server.closeAllConnections();
    server.close(closed);
  });
  beforeEach(() => {
    asked.length = 0;
    keys.length = 0;
    nth = 0;
  });
  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function refusal(call: Promise<unknown>): Promise<ClientError> {
    const error = await call.then((value) => assert.fail(`it was answered: ${JSON.stringify(value)}`), asIs);
    assert.ok(error instanceof ClientError, String(error));
    return error;
  }

  for (const [text, where] of [
    ['[]', 'an object'],
    ['null', 'an object'],
    ['"text"', 'an object'],
    ['{}', 'a list'],
    ['7', 'a list'],
    ['', 'an object'],
    [DEEP, 'an object'],
    ['{"a":1}garbage', 'an object'],
    ['\ufeff\u0000', 'a list'],
  ] as const) {
    it(`takes ${JSON.stringify(text.slice(0, 20))} for no answer where ${where} belongs`, async () => {
      serve = (_, response) => void response.end(text);
      const node = new NodeClient({ url: url() });
      const error = await refusal(where === 'a list' ? node.peers() : node.identity());
      assert.deepEqual([error.status, error.code], [200, 'invalid_answer']);
    });
  }

  it('follows it nowhere, with or without a credential', async () => {
    serve = (_, response) => void response.writeHead(307, { location: 'http://127.0.0.1:1/steal' }).end('{}');
    for (const status of [301, 302, 303, 307, 308]) {
      serve = (_, response) => void response.writeHead(status, { location: `${url()}/elsewhere` }).end('{}');
      const error = await refusal(new NodeClient({ url: url(), secret: 's' }).accept({ conversation_id: 'ab' }));
      assert.deepEqual([error.status, error.code], [status, 'redirected']);
    }
    assert.ok(asked.every((line) => line === 'POST /negotiate/accept'));
  });

  it('believes no member of a problem document to be what it should be', async () => {
    for (const body of [
      { code: 7, detail: { a: 1 }, fields: 'no' },
      {
        code: '../../etc',
        title: ['x'],
        fields: [null, { pointer: 1, message: 'm' }, { pointer: '/a', message: 'is bad' }],
      },
      ['code'],
      'text',
    ]) {
      serve = (_, response) => {
        response.writeHead(429, { 'retry-after': '-5, 1e99' }).end(JSON.stringify(body));
      };
      const error = await refusal(new NodeClient({ url: url() }).identity());
      assert.deepEqual([error.status, error.code, error.retryAfter], [429, 'http_429', undefined]);
      assert.ok(
        error.fields.every(({ pointer, message }) => typeof pointer === 'string' && typeof message === 'string'),
      );
      assert.match(error.message, /^GET \/identity: /);
    }
  });

  it('shows no control character of its sentences', async () => {
    serve = (_, response) => void response.writeHead(400).end(JSON.stringify({ detail: 'a\u001b[2Jb\nc\u202e' }));
    const error = await refusal(new NodeClient({ url: url() }).identity());
    assert.doesNotMatch(error.message, /[\p{Cc}\u202e]/u);
  });

  it('gives up at its deadline however slowly it drips', async () => {
    let drip: NodeJS.Timeout;
    serve = (_, response) => {
      response.writeHead(200).write('{');
      drip = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(drip));
    };
    const began = performance.now();
    const error = await refusal(new NodeClient({ url: url() }).api.identity.identity({ timeout: 200 }));
    assert.equal(error.code, 'unreachable');
    assert.ok(performance.now() - began < 2_000);
  });

  it('ends when its caller says so, and tells the key with which to ask again', async () => {
    serve = () => {};
    const stop = new AbortController();
    const { api } = new NodeClient({ url: url() });
    setTimeout(() => stop.abort(), 50);
    const error = await refusal(api.negotiation.accept({ conversation_id: 'ab' }, { signal: stop.signal }));
    assert.deepEqual([error.code, error.key], ['aborted', keys[0]]);
    assert.match(error.key!, /^[0-9a-f]{32}$/);
    serve = (_, response) => void response.end('{}');
    await api.negotiation.accept({ conversation_id: 'ab' }, { key: error.key });
    assert.equal(keys[1], keys[0]);
    assert.equal((await refusal(api.identity.identity({ signal: AbortSignal.abort() }))).code, 'aborted');
  });

  it('is led to no other operation by an id that it gave', async () => {
    const { api } = new AggregatorClient({ url: url() });
    for (const id of ['', '.', '..']) {
      await assert.rejects(api.agents.agentProfile(id), {
        name: 'TypeError',
        message: /^agent_id is a part of a path/,
      });
    }
    await assert.rejects(api.agents.agentProfile(undefined as never), TypeError);
    serve = (_, response) => void response.end('{}');
    await api.agents.agentProfile('../../a?b#c');
    assert.deepEqual(asked, ['GET /agents/..%2F..%2Fa%3Fb%23c/profile']);
  });

  it('goes on with a stream after frames that are none', async () => {
    const bad: (string | Buffer)[] = ['[]', 'null', '7', '{"id":"9"}', '{"id":1.5}', '{}', Buffer.from('{"id":1}')];
    greet = (socket, one) => {
      socket.send(JSON.stringify({ id: one }));
      socket.send(bad[one] ?? '{"id":99}');
    };
    const ids: number[] = [];
    for await (const { id } of new AggregatorClient({ url: url() }).watchActivity()) {
      ids.push(id);
      if (id === 99) break;
    }
    assert.deepEqual(ids, [...bad.keys(), bad.length, 99]);
  });

  it('tells why a stream is not opened, when asking again does not help', async () => {
    for (const status of [401, 403, 404]) {
      serve = (_, response) => void response.writeHead(status).end(JSON.stringify({ code: 'nope', detail: 'No.' }));
      const stream = new NodeClient({ url: url() }).inbox();
      const error = await refusal(stream.next());
      assert.deepEqual([error.status, error.code], [status, 'nope']);
    }
  });

  describe('with events', () => {
    interface Radio {
      readonly radio: { listen(options?: { signal?: AbortSignal }): AsyncGenerator<{ song: number }> };
    }
    const radio = () =>
      operationsOf<Radio>({ radio: { listen: 'GET /radio e' } }, new HttpCaller({ url: url() })).radio;

    it('resumes behind the last id, over cuts and broken events', async () => {
      const last: unknown[] = [];
      serve = ({ headers }, response) => {
        const from = Number(headers['last-event-id'] ?? 0);
        last.push(headers['last-event-id']);
        response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
        response.write(`:\n\nid: ${from + 1}\r\ndata: {"song":\r\ndata: ${from + 1}}\r\n\r\n`);
        if (from % 2 === 0) response.end(`id: ${from + 2}\ndata: {"song"`);
        else response.write(`id: ${from + 2}\ndata: 7\n\n`);
      };
      const heard: number[] = [];
      for await (const { song } of radio().listen()) {
        heard.push(song);
        if (song === 5) break;
      }
      assert.deepEqual(heard, [1, 2, 3, 4, 5]);
      assert.deepEqual(last, [undefined, '1', '2', '3', '4']);
    });

    it('is refused for good by its end, its status or its kind, and by no other end', async () => {
      const answers: [number, string, string][] = [
        [200, 'text/event-stream', 'event: end\ndata: {"code":1001,"reason":"stopping"}\n\n'],
        [503, 'application/problem+json', '{}'],
        [200, 'text/event-stream', 'event: end\ndata: {"code":1008,"reason":"No such station."}\n\n'],
        [403, 'application/problem+json', '{"code":"forbidden","detail":"No."}'],
        [200, 'text/html', '<html>'],
      ];
      serve = (_, response) => {
        const [status, type, text] = answers.shift()!;
        response.writeHead(status, { 'content-type': type }).end(text);
      };
      const codes = [];
      for (let i = 0; i < 3; i++) codes.push((await refusal(radio().listen().next())).code);
      assert.deepEqual([codes, answers], [['stream_refused', 'forbidden', 'invalid_answer'], []]);
    });

    it('keeps no event without end', async () => {
      let answers = 0;
      serve = (_, response) => {
        answers++;
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        if (answers === 2) response.write('data: {"song":1}\n\n');
        else for (let i = 0; i < 40; i++) response.write(`data: ${'x'.repeat(64 * 1024)}\n`);
      };
      for await (const { song } of radio().listen()) {
        assert.equal(song, 1);
        break;
      }
      assert.equal(answers, 2);
    });

    it('ends when it is told to, before the answer and within it', async () => {
      for (const head of [false, true]) {
        serve = (_, response) => {
          if (head) response.writeHead(200, { 'content-type': 'text/event-stream' }).write(':\n\n');
        };
        const stop = new AbortController();
        setTimeout(() => stop.abort(), 50);
        assert.deepEqual(await radio().listen({ signal: stop.signal }).next(), { done: true, value: undefined });
      }
    });
  });
});

function asIs(error: unknown): unknown {
  return error;
}
