import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { AggregatorClient } from '../../core/client/aggregator-client.ts';
import { NodeClient } from '../../core/client/node-client.ts';

describe('a stream of the client', () => {
  let server: WebSocketServer;
  const asked: { path: string; protocols: string }[] = [];
  let serve: (socket: WebSocket, query: URLSearchParams) => void;
  before((listening) => {
    server = new WebSocketServer({ port: 0, host: '127.0.0.1' }, listening);
    server.on('connection', (socket, request) => {
      const url = new URL(request.url!, 'http://node');
      asked.push({ path: url.pathname + url.search, protocols: request.headers['sec-websocket-protocol'] ?? '' });
      serve(socket, url.searchParams);
    });
  });
  after((closed) => {
    for (const socket of server.clients) socket.terminate();
    server.close(() => closed());
  });
  beforeEach(() => {
    asked.length = 0;
  });

  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const send = (socket: WebSocket, frame: object) => socket.send(JSON.stringify(frame));

  it('goes on behind the last frame when the connection is lost', async () => {
    serve = (socket, query) => {
      const since = Number(query.get('since'));
      for (const cursor of [since + 1, since + 2]) send(socket, { cursor });
      socket.close();
    };
    const seen: number[] = [];
    for await (const { cursor } of new NodeClient({ url: url() }).inbox({ since: 4, msg_type: 'DELIVER' })) {
      seen.push(cursor);
      if (seen.length === 5) break;
    }
    assert.deepEqual(seen, [5, 6, 7, 8, 9]);
    assert.deepEqual(
      asked.map(({ path }) => path),
      [
        '/ws/inbox?msg_type=DELIVER&since=4',
        '/ws/inbox?msg_type=DELIVER&since=6',
        '/ws/inbox?msg_type=DELIVER&since=8',
      ],
    );
  });

  it('starts where the server thinks best unless told', async () => {
    serve = (socket) => send(socket, { id: 9 });
    for await (const { id } of new AggregatorClient({ url: url() }).watchActivity()) {
      assert.equal(id, 9);
      break;
    }
    assert.equal(asked[0]!.path, '/ws/activity');
  });

  it('shows its credential as a subprotocol, never in the address', async () => {
    serve = (socket) => send(socket, { cursor: 1 });
    for await (const _ of new NodeClient({ url: url(), secret: 'a-secret-for-tests' }).inbox()) break;
    assert.deepEqual(asked, [{ path: '/ws/inbox?unacked=1', protocols: 'mesh.bearer,a-secret-for-tests' }]);
  });

  it('ends when it is told to, while it waits for a frame and while it waits to connect', async () => {
    for (const behaviour of [() => {}, (socket: WebSocket) => socket.terminate()]) {
      serve = behaviour;
      const stop = new AbortController();
      const reading = (async () => {
        for await (const _ of new NodeClient({ url: url() }).inbox({ signal: stop.signal })) assert.fail('no frame');
      })();
      setTimeout(() => stop.abort(), 30);
      await reading;
    }
  });

  it('closes its connection when the consumer leaves', async () => {
    let closed = () => {};
    const gone = new Promise<void>((resolve) => {
      closed = resolve;
    });
    serve = (socket) => {
      socket.on('close', closed);
      send(socket, { cursor: 1 });
    };
    for await (const _ of new NodeClient({ url: url() }).inbox()) break;
    await gone;
  });

  it('loses nothing when the consumer is slower than the server', async () => {
    serve = (socket, query) => {
      for (let cursor = Number(query.get('since') ?? 0) + 1; cursor <= 3_000; cursor++) send(socket, { cursor });
    };
    let last = 0;
    for await (const { cursor } of new NodeClient({ url: url() }).inbox({ since: 0 })) {
      assert.equal(cursor, last + 1);
      last = cursor;
      if (cursor === 1) await new Promise((wait) => setTimeout(wait, 100));
      if (cursor === 3_000) break;
    }
    assert.ok(asked.length > 1, 'it reconnected');
  });

  it('gives up with the reason when the server refuses the stream, after the frames that came before', async () => {
    serve = (socket) => {
      send(socket, { cursor: 1 });
      socket.close(1008, 'since is beyond the newest cursor, which is 1');
    };
    const seen: number[] = [];
    const reading = (async () => {
      for await (const { cursor } of new NodeClient({ url: url() }).inbox({ since: 0 })) {
        seen.push(cursor);
        if (asked.length > 1) assert.fail('it came again');
      }
    })();
    await assert.rejects(reading, {
      name: 'ClientError',
      status: 0,
      code: 'stream_refused',
      message: '/ws/inbox: since is beyond the newest cursor, which is 1',
    });
    assert.deepEqual([seen, asked.length], [[1], 1]);
  });

  it('comes again with growing pauses after every other end', async () => {
    const at: number[] = [];
    const ends = [1011, 4008, 1001, 1000];
    serve = (socket) => {
      at.push(performance.now());
      const code = ends.shift();
      if (code === undefined) send(socket, { id: 1 });
      else socket.close(code);
    };
    for await (const _ of new AggregatorClient({ url: url() }).watchActivity()) break;
    const pauses = at.slice(1).map((time, index) => time - at[index]!);
    for (const [index, least] of [250, 500, 1_000, 2_000].entries()) {
      assert.ok(pauses[index]! >= least - 5, `pauses of ${pauses.map(Math.round)} ms`);
    }
  }).timeout(10_000);

  it('a frame that is no JSON costs the connection, not the process', async () => {
    let first = true;
    serve = (socket) => {
      socket.send(first ? '{"cursor":' : '{"cursor":1}');
      first = false;
    };
    for await (const { cursor } of new NodeClient({ url: url() }).inbox()) {
      assert.equal(cursor, 1);
      break;
    }
    assert.equal(asked.length, 2);
  });
});
