import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { ClientError } from '../../core/client/client-error.ts';
import { HttpCaller } from '../../core/client/http-caller.ts';
import { NodeClient } from '../../core/client/node-client.ts';
import { operationsOf } from '../../core/client/operations.ts';
import { answer, flood, frame, HostileServer, switched } from './support/hostile-server.ts';
import { needsPython, runPython } from './support/python.ts';

const SECRET = 'the-secret-of-the-node';
const MANY = 20_000;

/** The cursors that a stream gave, and how it ended; `wanted` frames end it from here. */
interface Read {
  readonly cursors: number[];
  readonly status?: number;
  readonly code?: string;
  readonly message?: string;
}

/** Reads the streams at all of these addresses side by side. */
type ReadAll = (urls: readonly string[], wanted: number, since?: number) => Promise<Read[]>;

async function readInJavaScript(url: string, wanted: number, since?: number): Promise<Read> {
  const cursors: number[] = [];
  const node = new NodeClient({ url, secret: SECRET, timeout: 5_000 });
  try {
    for await (const { cursor } of node.api.inbox.frames(since === undefined ? {} : { since })) {
      if (cursors.push(cursor) === wanted) break;
    }
  } catch (error) {
    assert.ok(error instanceof ClientError, String(error));
    return { cursors, status: error.status, code: error.code, message: error.message };
  }
  return { cursors };
}

const IN_PYTHON = `
agent_mesh._FIRST_PAUSE, agent_mesh._LONGEST_PAUSE = 0.01, 0.05
def read(url, found):
    try:
        for one in Node(url, secret=given['secret'], timeout=5).inbox.frames(since=given.get('since')):
            found['cursors'].append(one['cursor'])
            if len(found['cursors']) == given['wanted']:
                break
    except MeshError as error:
        found.update(status=error.status, code=error.code, message=str(error))
result = [{'cursors': []} for _ in given['urls']]
threads = [threading.Thread(target=read, args=pair) for pair in zip(given['urls'], result)]
for one in threads: one.start()
for one in threads: one.join()
`;

const CLIENTS: Readonly<Record<string, ReadAll>> = {
  JavaScript: (urls, wanted, since) => Promise.all(urls.map((url) => readInJavaScript(url, wanted, since))),
  Python: (urls, wanted, since) =>
    runPython(IN_PYTHON, { urls, wanted, secret: SECRET, ...(since !== undefined && { since }) }),
};

const good = (cursor: number) => frame(JSON.stringify({ cursor, padding: 'x'.repeat(200) }));
const close = (code: number, reason: string | Buffer = '') => {
  const head = Buffer.alloc(2);
  head.writeUInt16BE(code);
  return frame(Buffer.concat([head, Buffer.from(reason as string)]), 0x88);
};

/** A reader of the inbox behind the cursor 7 takes none of these as a frame. */
const NO_FRAMES: readonly [string, Buffer | ((socket: Socket) => void)][] = [
  ['a list', frame('[]')],
  ['null', frame('null')],
  ['a cursor that is a text', frame('{"cursor":"8"}')],
  ['a cursor that is true', frame('{"cursor":true}')],
  ['half a cursor', frame('{"cursor":8.5}')],
  ['a cursor beyond all', frame('{"cursor":9007199254740993}')],
  ['the cursor before', frame('{"cursor":7}')],
  ['a cursor that goes back', frame('{"cursor":3}')],
  ['a cursor below zero', frame('{"cursor":-8}')],
  ['no cursor', frame('{"msg_type":"MESSAGE"}')],
  ['broken JSON', frame('{"cursor":')],
  ['brackets without end', frame('['.repeat(50_000))],
  ['what is no UTF-8', frame(Buffer.from('{"cursor":8,"a":"\xff"}', 'latin1'))],
  ['a binary frame', frame('{"cursor":8}', 0x82)],
  ['a packed frame', frame('{"cursor":8}', 0xc1)],
  ['a masked frame', frame('{"cursor":8}', 0x81, { masked: true })],
  ['a frame of an unknown kind', frame('{"cursor":8}', 0x83)],
  ['the rest of a frame that never began', frame('{"cursor":8}', 0x80)],
  ['a frame within another', Buffer.concat([frame('{"cur', 0x01), frame('{"cursor":8}', 0x81)])],
  ['a frame of 2^63 bytes', frame('', 0x81, { length: 2n ** 63n })],
  ['a frame of 1 GiB', (socket) => flood(socket, frame('', 0x81, { length: 2n ** 30n }), ' ')],
  ['fragments without end', (socket) => flood(socket, frame('{', 0x01), frame(' '.repeat(8_192), 0x00))],
  ['empty fragments without end', (socket) => flood(socket, frame('{', 0x01), frame('', 0x00))],
  ['a ping in pieces', frame('', 0x09)],
  ['a ping of 200 bytes', frame('x'.repeat(200), 0x89)],
  ['another answer', answer('{}')],
];

for (const [name, readAll] of Object.entries(CLIENTS))
  describe(`the ${name} client with a stream of a hostile server`, function () {
    this.timeout(60_000);
    let server: HostileServer;
    before(async function () {
      if (name === 'Python') needsPython(this);
      server = await HostileServer.start();
    });
    beforeEach(() => server.reset());
    after(() => server?.close());
    const read = async (wanted: number): Promise<Read> => (await readAll([server.url], wanted))[0]!;

    it('goes on behind the last frame after everything that is none, and gives nothing twice', async () => {
      const firsts: (string | undefined)[] = [];
      server.serve = (socket, request) => {
        const [, which = '', since] = /\/(\d+)\/ws\/inbox(?:\?since=(\d+))?/.exec(request)!;
        socket.write(switched(request));
        if (since !== '7') {
          socket.write(good(7));
          const bad = NO_FRAMES[Number(which)]![1];
          if (typeof bad === 'function') bad(socket);
          else socket.write(bad);
        } else {
          firsts[Number(which)] = since;
          socket.write(good(8));
        }
      };
      const found = await readAll(
        NO_FRAMES.map((_, which) => `${server.url}/${which}`),
        2,
      );
      for (const [which, [what]] of NO_FRAMES.entries()) {
        assert.deepEqual(found[which], { cursors: [7, 8] }, what);
        assert.equal(firsts[which], '7', what);
      }
      assert.ok(server.sent < NO_FRAMES.length * 40 * 1024 * 1024, `the server could send ${server.sent} bytes`);
    });

    it('ends with an error that helps when nothing else comes, five times in a row', async () => {
      const bad = NO_FRAMES.filter(([, one]) => Buffer.isBuffer(one) && one.length < 100);
      server.serve = (socket, request) => {
        socket.write(switched(request));
        socket.write(bad[Number(/\/(\d+)\/ws/.exec(request)![1])]![1] as Buffer);
      };
      const found = await readAll(
        bad.map((_, which) => `${server.url}/${which}`),
        1,
        7,
      );
      for (const [which, [what]] of bad.entries()) {
        const { status, code, message, cursors } = found[which]!;
        assert.deepEqual([cursors, status, code], [[], 0, 'invalid_answer'], what);
        assert.match(message!, /^\/ws\/inbox: .* the url must be that of a node/);
      }
      assert.equal(server.asked.length, bad.length * 5);
    });

    it('is whole though it is cut at any byte, of its opening too', async () => {
      const cursors = Array.from({ length: 5 }, (_, index) => index + 1);
      const taken = new Set<string>();
      server.serve = (socket, request) => {
        const [, cut = '', since = '0'] = /\/(\d+)\/ws\/inbox(?:\?since=(\d+))?/.exec(request)!;
        // A plain request asks why; a server that is cut has no answer.
        if (!/upgrade: websocket/i.test(request)) return void socket.destroy();
        const rest = cursors
          .filter((cursor) => cursor > Number(since))
          .map((cursor) => frame(JSON.stringify({ cursor })));
        const bytes = Buffer.concat([Buffer.from(switched(request)), ...rest]);
        if (taken.has(cut)) return void socket.write(bytes);
        taken.add(cut);
        if (Number(cut) % 2 === 0) socket.end(bytes.subarray(0, Number(cut)));
        else socket.write(bytes.subarray(0, Number(cut)), () => socket.resetAndDestroy());
      };
      const cuts = Array.from({ length: 240 }, (_, cut) => cut);
      const found = await readAll(
        cuts.map((cut) => `${server.url}/${cut}`),
        5,
        0,
      );
      for (const cut of cuts) assert.deepEqual(found[cut], { cursors }, `cut at ${cut}`);
    });

    it('ends with the words of a server that refuses it, and goes on after every other close', async () => {
      const closes = [
        close(1000),
        close(1001, 'going'),
        close(1006),
        close(1011),
        close(4000, 'x'),
        close(1),
        frame('', 0x88),
      ];
      closes.push(frame(Buffer.from([3]), 0x88), close(1001, Buffer.from([0xff])));
      server.serve = (socket, request, nth) => {
        socket.write(switched(request));
        if (nth < closes.length) socket.end(Buffer.concat([good(nth + 1), closes[nth]!]));
        else socket.end(close(1008, 'beyond\u001b[2J\u202e'));
      };
      const { cursors, status, code, message } = await read(MANY);
      assert.deepEqual(
        cursors,
        Array.from(closes, (_, index) => index + 1),
      );
      assert.deepEqual([status, code], [0, 'stream_refused']);
      assert.match(message!, /beyond\\/);
      assert.doesNotMatch(message!, /[\p{Cc}\u202e]/u);
    });

    it('follows it nowhere, says where it sends callers, and tells no other host the secret', async () => {
      const other = await HostileServer.start();
      try {
        other.serve = (socket, request) => socket.write(switched(request));
        server.serve = (socket) => socket.end(answer('', `Location: ${other.url}/ws/inbox\r\n`, '307 Moved'));
        const { status, code, message } = await read(1);
        assert.deepEqual([status, code, other.asked], [307, 'redirected', []]);
        assert.ok(message!.includes(other.url));
      } finally {
        other.close();
      }
    });

    it('says so where no stream is opened, but a page is shown', async () => {
      server.serve = (socket) => socket.end(answer('<p>Welcome!'));
      const { code, message } = await read(1);
      assert.equal(code, 'invalid_answer');
      assert.match(message!, /the url must be that of a node/);
    });
  });

describe('a stream of a server that never says anything', function () {
  this.timeout(30_000);
  let server: HostileServer;
  before(async () => {
    server = await HostileServer.start();
  });
  beforeEach(() => server.reset());
  after(() => server.close());

  /** A clock on which 90 seconds, the longest silence, are 100 ms. */
  const clock = {
    after(ms: number, run: () => void): () => void {
      const timer = setTimeout(run, ms / 900);
      return () => clearTimeout(timer);
    },
  };
  const first = (url: string) => new NodeClient({ url, timeout: 90_000, clock }).api.inbox.frames({}).next();

  it('is opened again, over JavaScript', async () => {
    server.serve = (socket, request, nth) => {
      // The first says nothing, the second only opens, the third lives by its pings alone.
      if (nth > 0 && !/upgrade/i.test(request)) return;
      if (nth > 0) socket.write(switched(request));
      if (server.lines.length < 4) return;
      let pings = 0;
      const living = setInterval(() => {
        pings += 1;
        socket.write(pings < 10 ? frame('', 0x89) : good(5));
      }, 40);
      socket.on('close', () => clearInterval(living));
    };
    const { value } = await first(server.url);
    assert.equal(value.cursor, 5);
    assert.equal(server.asked.filter((head) => /upgrade: websocket/i.test(head)).length, 3);
  });

  it('is opened again, over Python', async function () {
    needsPython(this);
    server.serve = (socket, request, nth) => {
      if (nth > 0 && !/upgrade/i.test(request)) return;
      if (nth > 0) socket.write(switched(request));
      if (nth >= 2) setTimeout(() => socket.write(good(5)), 50);
    };
    const script = `
agent_mesh._SILENCE, agent_mesh._FIRST_PAUSE = 0.3, 0.01
result = next(Node(given['url'], timeout=0.3).inbox.frames())['cursor']`;
    assert.equal(await runPython(script, { url: server.url }), 5);
  });

  it('ends when it is told to, while it is opened and while it is asked why not', async () => {
    server.serve = () => {};
    for (const timeout of [60_000, 50]) {
      const stop = new AbortController();
      const stream = new NodeClient({ url: server.url, timeout }).api.inbox.frames({}, { signal: stop.signal });
      const began = performance.now();
      setTimeout(() => stop.abort(), 300);
      assert.deepEqual(await stream.next(), { done: true, value: undefined });
      assert.ok(performance.now() - began < 5_000);
    }
  });

  interface Radio {
    readonly radio: { listen(options?: { signal?: AbortSignal }): AsyncGenerator<{ song: number }> };
  }
  const radio = (timeout: number, url = server.url) =>
    operationsOf<Radio>({ radio: { listen: 'GET /radio e' } }, new HttpCaller({ url, timeout })).radio;

  it('of events is refused, though the refusal never ends', async () => {
    server.serve = (socket) => void socket.write(answer('{', 'Content-Length: 100\r\n', '403 No'));
    const error = await radio(200)
      .listen()
      .next()
      .catch((thrown) => thrown);
    assert.ok(error instanceof ClientError, String(error));
    assert.deepEqual([error.status, error.code], [403, 'http_403']);
  });

  it('of events that are none ends with an error that helps', async () => {
    const wrong: readonly (string | Buffer)[] = [
      'data: 7\n\n',
      'data: {"song"\n\n',
      Buffer.from([0xff, 10, 10]),
      `data: ${'x'.repeat(1_100_000)}`,
    ];
    async function heard(bytes: string | Buffer): Promise<void> {
      const own = await HostileServer.start();
      try {
        own.serve = (socket) => {
          socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n');
          socket.write(bytes);
        };
        const error = await radio(5_000, own.url)
          .listen()
          .next()
          .catch((thrown) => thrown);
        assert.ok(error instanceof ClientError, String(error));
        assert.deepEqual([error.code, own.asked.length], ['invalid_answer', 5]);
      } finally {
        own.close();
      }
    }
    await Promise.all(wrong.map(heard));
  });
});

describe('a stream of more than its reader takes', function () {
  this.timeout(60_000);

  it('waits in 16 MiB at most, and misses nothing', async () => {
    const server = await HostileServer.start();
    try {
      const text = 'x'.repeat(1024 * 1024);
      let gaveUp = () => {};
      const full = new Promise<void>((resolve) => {
        gaveUp = resolve;
      });
      server.serve = (socket, request) => {
        let cursor = Number(/since=(\d+)/.exec(request)?.[1] ?? 0);
        socket.write(switched(request));
        const more = () => {
          while (!socket.destroyed && cursor < 60 && socket.write(frame(JSON.stringify({ cursor: ++cursor, text }))));
        };
        socket.on('drain', more).on('close', gaveUp);
        more();
      };
      const heard: number[] = [];
      for await (const { cursor } of new NodeClient({ url: server.url }).api.inbox.frames({ since: 0 })) {
        heard.push(cursor);
        // The server sends on meanwhile, until more frames wait than the reader keeps.
        if (heard.length === 1) await full;
        if (heard.length === 60) break;
      }
      assert.deepEqual(
        heard,
        Array.from({ length: 60 }, (_, index) => index + 1),
      );
      assert.ok(server.asked.length > 1, 'the reader was never too slow');
    } finally {
      server.close();
    }
  });
});
