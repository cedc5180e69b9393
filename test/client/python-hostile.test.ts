import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { needsPython, runPython } from './support/python.ts';

/** An answer as bytes, with its length unless the head says otherwise. */
function answer(body: string | Buffer, head = '', status = '200 OK'): Buffer {
  const bytes = Buffer.from(body as string);
  const length = /length|chunked/i.test(head) ? '' : `Content-Length: ${bytes.length}\r\n`;
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status}\r\n${length}${head}\r\n`), bytes]);
}

/** A frame of a server (RFC 6455, 5.2). */
function frame(payload: string | Buffer, first = 0x81, more: { masked?: boolean; length?: bigint } = {}): Buffer {
  const bytes = Buffer.from(payload as string);
  const mark = more.masked ? 0x80 : 0;
  if (more.length !== undefined) {
    const head = Buffer.from([first, mark | 127, 0, 0, 0, 0, 0, 0, 0, 0]);
    head.writeBigUInt64BE(more.length, 2);
    return Buffer.concat([head, bytes]);
  }
  if (bytes.length < 126) return Buffer.concat([Buffer.from([first, mark | bytes.length]), bytes]);
  return Buffer.concat([Buffer.from([first, mark | 126, bytes.length >> 8, bytes.length & 255]), bytes]);
}

const REFUSED = `
def outcome(call):
    began = time.monotonic()
    try:
        value = call()
        return ['answered', value if isinstance(value, (dict, list, str)) else repr(value)]
    except MeshError as error:
        return [error.status, error.code, error.retry_after, list(error.fields), str(error), time.monotonic() - began]
node = Node(given['url'], secret='s', timeout=given.get('timeout', 20))
`;

describe('the Python client of a hostile server', function () {
  this.timeout(60_000);
  let server: Server;
  let serve: (socket: Socket, request: string, nth: number) => void;
  let asked: string[] = [];
  const open = new Set<Socket>();
  before(function (listening) {
    needsPython(this);
    server = createServer((socket) => {
      open.add(socket);
      socket.on('error', () => {}).on('close', () => open.delete(socket));
      let text = '';
      socket.on('data', (data) => {
        const isWhole = text.includes('\r\n\r\n');
        text += data.toString('latin1');
        if (isWhole || !text.includes('\r\n\r\n')) return;
        asked.push(text.slice(0, text.indexOf('\r\n')));
        serve(socket, text, asked.length - 1);
      });
    }).listen(0, '127.0.0.1', listening);
  });
  after(() => {
    for (const socket of open) socket.destroy();
    server?.close();
  });
  beforeEach(() => {
    asked = [];
  });

  const url = () => `http://127.0.0.1:${(server.address() as { port: number }).port}`;

  const none: readonly [string, string | Buffer][] = [
    ['a list', answer('[]')],
    ['null', answer('null')],
    ['a text', answer('"text"')],
    ['nothing', answer('')],
    ['broken JSON', answer('{"a":')],
    ['JSON with something behind it', answer('{} {}')],
    ['brackets without end', answer('['.repeat(300_000))],
    ['a number of a million digits', answer(`{"a":${'9'.repeat(1_000_000)}}`)],
    ['a head that is cut', Buffer.from('HTTP/1.1 200 OK\r\nContent-')],
    ['no number', answer('{"a":NaN}')],
    ['what is no UTF-8', answer(Buffer.from([0x7b, 0xff, 0xfe, 0x7d]))],
  ];
  for (const [what, bytes] of none) {
    it(`takes ${what} for no answer`, async () => {
      serve = (socket) => socket.end(bytes);
      const said = await runPython(`${REFUSED}result = outcome(node.identity.identity)`, { url: url() });
      assert.deepEqual(said.slice(0, 2), [200, 'invalid_answer'], String(said));
    });
  }

  const broken: readonly [string, (socket: Socket) => void][] = [
    ['is cut', (socket) => socket.end(answer('{"a":1', 'Content-Length: 100\r\n'))],
    ['is no HTTP', (socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n')],
    ['has a chunk of no size', (socket) => socket.end(answer('zz\r\n{}\r\n', 'Transfer-Encoding: chunked\r\n'))],
    ['is packed unasked', (socket) => socket.end(answer(gzipSync('{}'), 'Content-Encoding: gzip\r\n'))],
    ['has a head without end', (socket) => socket.end(`HTTP/1.1 200 OK\r\n${'X: y\r\n'.repeat(5_000)}`)],
    ['has a line without end', (socket) => socket.end(`HTTP/1.1 200 OK\r\nX: ${'y'.repeat(200_000)}`)],
    ['never comes', () => {}],
    ['has as many bytes as it likes', (socket) => flood(socket)],
  ];
  for (const [what, behave] of broken) {
    it(`is unreachable when the answer ${what}`, async () => {
      serve = behave;
      const said = await runPython(
        // What getrusage says begins with the memory of the process that started this one.
        `${REFUSED}
result = outcome(node.identity.identity)
try:
    with open('/proc/self/status') as status:
        most = [int(line.split()[1]) // 1024 for line in status if line.startswith('VmHWM')]
except OSError:
    most = []
result.append(most[0] if most else 0)`,
        { url: url(), timeout: what === 'never comes' ? 0.5 : 20 },
      );
      assert.deepEqual(said.slice(0, 2), [0, 'unreachable'], String(said));
      // Of 16 MiB that an answer may have, with what Python itself takes.
      assert.ok(said[6] < 160, `${said[6]} MiB`);
    });
  }

  it('gives up at its deadline however slowly the answer drips, in its head and its body', async () => {
    for (const head of ['HTTP/1.1 200 OK\r\nX: ', answer('', 'Content-Length: 1000\r\n')]) {
      serve = (socket) => {
        socket.write(head);
        const drip = setInterval(() => socket.write(' '), 50);
        socket.on('close', () => clearInterval(drip));
      };
      const said = await runPython(`${REFUSED}result = outcome(node.identity.identity)`, { url: url(), timeout: 0.6 });
      assert.deepEqual(said.slice(0, 2), [0, 'unreachable']);
      assert.match(said[4], /no answer in time/);
      assert.ok(said[5] < 2, `${said[5]} s`);
    }
  });

  it('follows it nowhere, and is led nowhere by ids', async () => {
    serve = (socket) => socket.end(answer('{}', `Location: ${url()}/elsewhere\r\n`, '307 Temporary Redirect'));
    const said = await runPython(`${REFUSED}result = outcome(lambda: node.negotiation.accept(conversation_id='ab'))`, {
      url: url(),
    });
    assert.deepEqual([said.slice(0, 2), asked], [[307, 'redirected'], ['POST /negotiate/accept HTTP/1.1']]);
    serve = (socket) => socket.end(answer('{}'));
    const wrong = await runPython(
      `${REFUSED}
result = []
for given_id in ('', '.', '..', None):
    try:
        node.deals.get(given_id)
    except ValueError as error:
        result.append(str(error)[:15])
node.deals.get('../a?b#c')`,
      { url: url() },
    );
    assert.equal(wrong.length, 4);
    assert.deepEqual(asked.slice(1), ['GET /deals/..%2Fa%3Fb%23c HTTP/1.1']);
  });

  it('believes no member of a problem document to be what it should be', async () => {
    const problems = [
      { code: 7, detail: { a: 1 }, fields: 'no' },
      {
        code: '../../etc',
        title: ['x'],
        fields: [null, { pointer: 1, message: 'm' }, { pointer: '/a', message: 'bad' }],
      },
      ['code'],
      { detail: 'a\u001b[2Jb\nc\u202e' },
    ];
    serve = (socket, _, nth) => {
      socket.end(answer(JSON.stringify(problems[nth]), 'Retry-After: -5, 1e99\r\n', '429 Slowly'));
    };
    const said = await runPython(`${REFUSED}result = [outcome(node.identity.identity) for _ in range(4)]`, {
      url: url(),
    });
    for (const [status, code, retry, fields, text] of said) {
      assert.deepEqual([status, code, retry], [429, 'http_429', null]);
      for (const field of fields) assert.deepEqual(field, { pointer: '/a', message: 'bad' });
      assert.doesNotMatch(text, /[\p{Cc}\u202e]/u);
    }
  });

  describe('that streams', () => {
    const switched = (request: string) => {
      const key = /Sec-WebSocket-Key: (.*)\r/i.exec(request)![1]!;
      const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
      return `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`;
    };
    const good = (cursor: number) => frame(JSON.stringify({ cursor, padding: 'x'.repeat(200) }));

    it('goes on behind the last frame after everything that is no frame', async () => {
      const bad: Buffer[] = [
        frame('[]'),
        frame('{"cursor":"7"}'),
        frame('{"cursor":true}'),
        frame('{"cursor":'),
        frame('['.repeat(50_000)),
        frame(Buffer.from([0xff, 0xfe])),
        frame('{"cursor":99}', 0x82),
        frame('{"cursor":99}', 0xc1),
        frame('{"cursor":99}', 0x81, { masked: true }),
        frame('{"cursor":99}', 0x80),
        frame('', 0x81, { length: 2n ** 63n }),
        frame('x'.repeat(200), 0x89),
        frame('', 0x09),
        frame('', 0x83),
        Buffer.concat([frame('{"cur', 0x01), frame('{"cursor":99}', 0x81)]),
        frame('', 0x88),
        frame(Buffer.from([0x03]), 0x88),
      ];
      serve = (socket, request, nth) => {
        socket.write(switched(request));
        socket.write(good(nth + 1));
        socket.write(bad[nth] ?? good(1_000));
      };
      const seen = await runPython(
        `
agent_mesh._FIRST_PAUSE = 0.01
result = []
for one in Node(given['url']).inbox.frames():
    result.append(one['cursor'])
    if one['cursor'] == 1000: break`,
        { url: url() },
      );
      assert.deepEqual(seen, [...Array.from({ length: bad.length + 1 }, (_, i) => i + 1), 1_000]);
      assert.deepEqual(asked.slice(0, 3), [
        'GET /ws/inbox HTTP/1.1',
        'GET /ws/inbox?since=1 HTTP/1.1',
        'GET /ws/inbox?since=2 HTTP/1.1',
      ]);
    });

    it('reads fragments with pings between them, answers those, and says good-bye', async () => {
      const heard: Buffer[] = [];
      serve = (socket, request) => {
        socket.on('data', (data) => heard.push(data));
        socket.write(switched(request));
        const text = Buffer.from(JSON.stringify({ cursor: 1, text: 'Grüße 🕸' }));
        const parts = [text.subarray(0, 25), text.subarray(25, 26), text.subarray(26)];
        const frames = [frame(parts[0]!, 0x01), frame('a', 0x89), frame(parts[1]!, 0x00), frame(parts[2]!, 0x80)];
        for (const byte of Buffer.concat(frames)) socket.write(Buffer.of(byte));
      };
      const said = await runPython("result = next(Node(given['url']).inbox.frames())", { url: url() });
      assert.deepEqual(said, { cursor: 1, text: 'Grüße 🕸' });
      const all = Buffer.concat(heard);
      const mask = all.subarray(2, 6);
      assert.deepEqual([all[0], all[1], all[6]! ^ mask[0]!], [0x8a, 0x81, 'a'.charCodeAt(0)]);
      assert.equal(all[7], 0x88);
    });

    it('takes no answer for a WebSocket that does not prove it, and stops where asking again does not help', async () => {
      const first = 'HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Accept: bm9ib2R5\r\n\r\n';
      serve = (socket, request, nth) => {
        if (nth % 2 === 0) socket.end(nth === 0 ? first : answer('', '', '404 Not Found'));
        else socket.end(nth === 1 ? answer('', '', '426 Upgrade') : answer('{"code":"gone"}', '', '404 Not Found'));
        assert.equal(/upgrade: websocket/i.test(request), nth % 2 === 0);
      };
      const said = await runPython(`${REFUSED}result = outcome(lambda: next(node.inbox.frames()))`, { url: url() });
      assert.deepEqual([said.slice(0, 2), asked.length], [[404, 'gone'], 4]);
    });

    it('ends with the reason of a server that refuses', async () => {
      serve = (socket, request) => {
        socket.write(switched(request));
        socket.end(frame(Buffer.concat([Buffer.from([0x03, 0xf0]), Buffer.from('beyond\u001b')]), 0x88));
      };
      const said = await runPython(`${REFUSED}result = outcome(lambda: next(node.inbox.frames()))`, { url: url() });
      assert.deepEqual(said.slice(0, 2), [0, 'stream_refused']);
      assert.match(said[4], /beyond\\x1b/);
    });

    it('reads server-sent events, resumes behind their id, and ends by them', async () => {
      const last: unknown[] = [];
      serve = (socket, request, nth) => {
        last.push(/Last-Event-ID: (.*)\r/.exec(request)?.[1]);
        const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n';
        if (nth === 2) return void socket.end(`${head}event: end\ndata: {"code":1008,"reason":"over"}\n\n`);
        const id = nth + 1;
        socket.end(`${head}:\n\nid: ${id}\r\ndata: {"song":\r\ndata: ${id}}\r\n\r\nid: 9\ndata: {"song"`);
      };
      const said = await runPython(
        `${REFUSED}
agent_mesh._FIRST_PAUSE = 0.01
songs = node._frames('/radio', {}, None, None, agent_mesh._Events)
result = [next(songs)['song'], next(songs)['song'], outcome(lambda: next(songs))]`,
        { url: url() },
      );
      assert.deepEqual([said[0], said[1], said[2][1], last], [1, 2, 'stream_refused', [undefined, '1', '2']]);
    });
  });

  function flood(socket: Socket): void {
    socket.write('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n[');
    const piece = Buffer.alloc(256 * 1024, 0x20);
    const more = () => {
      while (!socket.destroyed && socket.write(piece));
    };
    socket.on('drain', more);
    more();
  }
});
