import assert from 'node:assert/strict';
import { createServer, type Server, type Socket } from 'node:net';
import { answer, flood, frame, switched } from './support/hostile-server.ts';
import { needsPython, runPython } from './support/python.ts';

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

  it('keeps no more in memory than an answer may have, however much it is sent', async () => {
    const endless: ((socket: Socket) => void)[] = [
      (socket) => flood(socket, 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n[', ' '),
      (socket) => flood(socket, answer('-1\r\n', 'Transfer-Encoding: chunked\r\n'), ' '),
      (socket) => flood(socket, 'HTTP/1.1 200 OK\r\nX: ', 'y'),
    ];
    for (const behave of endless) {
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
        { url: url(), timeout: 20 },
      );
      assert.deepEqual(said.slice(0, 2), [0, 'unreachable'], String(said));
      // Of 16 MiB that an answer may have, with what Python itself takes.
      assert.ok(said[6] < 160, `${said[6]} MiB`);
    }
  });

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
});
