import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { joinFrames, sharedFrame } from '../../core/plugin.ts';
import { eventually } from '../support/eventually.ts';
import { SECRET, type TestNode, type TestNodeOptions, testNode } from '../support/node.ts';
import { watch } from '../support/sockets.ts';
import { wire } from '../support/wire.ts';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A client's text or binary frame of fewer than 126 bytes, masked with zeros. */
function clientFrame(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)]);
}

function handshake(path: string, headers = ''): string {
  const key = randomBytes(16).toString('base64');
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n${headers}\r\n`;
}

describe('streams', () => {
  let running: TestNode | undefined;
  afterEach(async () => {
    await running?.stop();
    running = undefined;
  });

  async function open(options: TestNodeOptions = {}) {
    const made = wire();
    const node = await testNode({ plugins: [made.plugin], ...options });
    running = node;
    return { ...made, node };
  }

  it('send frames and close with 1000 at their end', async () => {
    const { node } = await open();
    const { frames, closed } = watch(`${node.url}/ws/log`);
    assert.equal((await closed).code, 1000);
    assert.deepEqual(
      frames,
      [1, 2, 3, 4, 5].map((id) => ({ id })),
    );
  });

  it('resume where ?since= says', async () => {
    const { node } = await open();
    const { frames, closed } = watch(`${node.url}/ws/log?since=3`);
    await closed;
    assert.deepEqual(frames, [{ id: 4 }, { id: 5 }]);
  });

  it('count the codes that clients make up as one', async () => {
    const { node } = await open();
    for (const code of [3_001, 3_002, 4_999, 1_000]) {
      const { socket, closed } = watch(`${node.url}/ws/live`);
      socket.once('open', () => socket.close(code));
      await closed;
    }
    const closings = async () => {
      const text = await (await fetch(`${node.url}/metrics`)).text();
      return text.match(/^mesh_sockets_closed_total.*$/gm) ?? [];
    };
    await eventually(async () => (await closings()).length === 2);
    assert.deepEqual((await closings()).sort(), [
      'mesh_sockets_closed_total{route="WS /ws/live",code="1000"} 1',
      'mesh_sockets_closed_total{route="WS /ws/live",code="other"} 3',
    ]);
  });

  it('are refused before the upgrade with the answer any call would get', async () => {
    const { node } = await open();
    const cases: [string, number, string, Record<string, string>?][] = [
      ['/ws/none', 404, 'not_found'],
      ['/ws/secret', 401, 'unauthorized'],
      ['/ws/secret', 401, 'unauthorized', { authorization: 'Bearer wrong' }],
      ['/ws/guarded?token=bob', 401, 'unauthorized'],
      [`/ws/secret?token=${SECRET}`, 401, 'unauthorized'],
      ['/ws/log?since=x', 400, 'invalid_request'],
      ['/ws/echo/%zz', 400, 'invalid_request'],
      ['/ws/log', 403, 'forbidden', { origin: 'https://evil.example' }],
      ['/ws/log', 421, 'misdirected_request', { host: 'evil.example' }],
      ['/health', 404, 'not_found'],
    ];
    for (const [path, status, code, headers] of cases) {
      const { refused } = watch(node.url + path, [], { headers: headers ?? {} });
      const answer = await refused;
      assert.deepEqual([answer.status, answer.body.code], [status, code], path);
      assert.match(String(answer.headers['content-type']), /^application\/problem\+json/);
      assert.ok(answer.headers['x-request-id']);
    }
    const rare = watch(`${node.url}/ws/rare`);
    await rare.closed;
    const again = await watch(`${node.url}/ws/rare`).refused;
    assert.deepEqual([again.status, again.headers['retry-after']], [429, '60']);
  });

  it('tell a plain GET that they are sockets', async () => {
    const { node } = await open();
    const response = await fetch(`${node.url}/ws/log`);
    assert.equal(response.status, 426);
    assert.equal(((await response.json()) as { code: string }).code, 'upgrade_required');
  });

  it('tell a plain GET that shows a credential whether it would be let in', async () => {
    const { node } = await open();
    const codeOf = async (authorization: string) => {
      const response = await fetch(`${node.url}/ws/secret`, { headers: { authorization } });
      return ((await response.json()) as { code: string }).code;
    };
    assert.equal(await codeOf('Bearer wrong-for-this-node'), 'unauthorized');
    assert.equal(await codeOf(`Bearer ${node.apiSecret}`), 'upgrade_required');
  });

  it('take a credential from the header, the subprotocol, or where allowed the query', async () => {
    const { node } = await open();
    const byHeader = watch(`${node.url}/ws/secret`, [], { headers: { authorization: `Bearer ${SECRET}` } });
    assert.equal((await byHeader.closed).code, 1000);
    const byProtocol = watch(`${node.url}/ws/secret`, ['mesh.bearer', SECRET]);
    await byProtocol.closed;
    assert.deepEqual([byProtocol.frames, byProtocol.socket.protocol], [[{ id: 1 }], 'mesh.bearer']);
    const byQuery = watch(`${node.url}/ws/guarded?token=ann`);
    await byQuery.until(1);
    assert.deepEqual(byQuery.frames, [{ id: 0, text: 'ann' }]);
  });

  it('get frames sent together with the handshake, also while the guard thinks', async () => {
    const { node } = await open();
    const socket = connect(node.port, '127.0.0.1');
    let seen = '';
    socket.on('data', (chunk) => {
      seen += chunk.toString('latin1');
    });
    socket.write(Buffer.concat([Buffer.from(handshake('/ws/guarded?token=ann')), clientFrame('{"id":7}')]));
    await eventually(() => seen.includes('{"id":7}'));
    assert.match(seen, /^HTTP\/1\.1 101 /);
    socket.destroy();
  });

  it('validate what a client sends', async () => {
    const { node } = await open();
    const good = watch(`${node.url}/ws/echo/a%20b`);
    good.socket.on('open', () => good.socket.send('{"id":1}'));
    await good.until(1);
    assert.deepEqual(good.frames, [{ id: 1, text: 'a b' }]);
    const cases: [string | Buffer, number, RegExp][] = [
      ['{"id":"x"}', 1008, /\/id must be an integer/],
      ['{', 1008, /not valid JSON/],
      [Buffer.from([1]), 1003, /text/],
      [JSON.stringify({ id: 1, text: 'x'.repeat(70_000) }), 1009, /65536/],
      ['x'.repeat(200_000), 1009, /^$/],
    ];
    for (const [message, code, reason] of cases) {
      const bad = watch(`${node.url}/ws/echo/x`);
      bad.socket.on('open', () => bad.socket.send(message));
      const closed = await bad.closed;
      assert.equal(closed.code, code);
      assert.match(closed.reason, reason);
    }
    const mute = watch(`${node.url}/ws/live`);
    mute.socket.on('open', () => mute.socket.send('{}'));
    assert.equal((await mute.closed).code, 1008);
  });

  it('close with 1011 when they fail and with their own code when they say so', async () => {
    const { node } = await open();
    const broken = watch(`${node.url}/ws/broken`);
    assert.deepEqual(await broken.closed, { code: 1011, reason: 'internal' });
    assert.deepEqual(broken.frames, [{ id: 1 }]);
    assert.equal((await watch(`${node.url}/ws/liar`).closed).code, 1011);
    assert.deepEqual(await watch(`${node.url}/ws/expired`).closed, { code: 4001, reason: 'session expired' });
  });

  it('send frames of every length whole, and each as a message of its own', async () => {
    const { node, state } = await open();
    const { frames, until } = watch(`${node.url}/ws/live`);
    await eventually(() => state.opened === 1);
    const [tail] = state.tails;
    const sent = [0, 98, 99, 100, 65_508, 65_509, 65_510, 70_000].map((length) => ({
      id: 1,
      text: 'é'.repeat(length / 2),
    }));
    for (const frame of sent) tail!.push(sharedFrame(frame));
    tail!.push(joinFrames(sent.map(sharedFrame)));
    await until(2 * sent.length);
    assert.deepEqual(frames, [...sent, ...sent]);
  });

  it('serialise a shared frame once for all watchers, and run finally when they leave', async () => {
    const { node, state, publish } = await open({ checkReplies: false });
    const watchers = Array.from({ length: 5 }, () => watch(`${node.url}/ws/live`));
    await eventually(() => state.opened === 5);
    publish(1);
    publish(2);
    for (const { until, frames } of watchers) {
      await until(2);
      assert.deepEqual(frames, [{ id: 1 }, { id: 2 }]);
    }
    assert.equal(state.made, 2);
    for (const { socket } of watchers) socket.close();
    await eventually(() => state.finished === 5);
    assert.equal(state.tails.size, 0);
  });

  it('stop producing for a client that does not read', async () => {
    const { node, state } = await open();
    const { socket } = watch(`${node.url}/ws/flood`);
    await new Promise((resolve) => socket.once('open', resolve));
    socket.pause();
    await eventually(() => state.produced > 0);
    let before = -1;
    await eventually(() => {
      const settled = state.produced === before;
      before = state.produced;
      return settled;
    });
    assert.ok(state.produced * 16_000 < 32 * 1024 * 1024, `${state.produced} frames of 16 kB`);
    socket.terminate();
  });

  it('close a client that falls behind with 4008', async () => {
    const { node, state, publish } = await open();
    const { socket, frames, closed } = watch(`${node.url}/ws/live`);
    await eventually(() => state.opened === 1);
    for (let id = 0; id < 101; id++) publish(id);
    assert.deepEqual(await closed, { code: 4008, reason: 'consumer_too_slow' });
    assert.ok(frames.length <= 101);
    assert.equal(socket.readyState, socket.CLOSED);
  });

  it('drop a client that stops answering pings, and keep one that answers', async () => {
    const { node, state } = await open({ heartbeat: 400 });
    const alive = watch(`${node.url}/ws/live`);
    const silent = connect(node.port, '127.0.0.1');
    silent.write(handshake('/ws/live'));
    silent.on('data', () => {});
    await eventually(() => state.opened === 2);
    await new Promise((resolve) => silent.once('close', resolve));
    assert.equal(alive.socket.readyState, alive.socket.OPEN);
    await eventually(() => state.finished === 1);
  });

  it('let one address hold only so many open', async () => {
    const { node, state } = await open({ settings: { api: { socketsPerIp: 2 } } });
    const first = watch(`${node.url}/ws/live`);
    watch(`${node.url}/ws/live`);
    await eventually(() => state.opened === 2);
    assert.equal((await watch(`${node.url}/ws/live`).refused).status, 429);
    first.socket.close();
    await first.closed;
    await eventually(() => state.finished === 1);
    watch(`${node.url}/ws/live`);
    await eventually(() => state.opened === 3);
  });

  it('end with 1001 when the node stops, at once', async () => {
    const { node, state } = await open();
    const watchers = Array.from({ length: 20 }, () => watch(`${node.url}/ws/live`));
    const stuck = watch(`${node.url}/ws/flood`);
    const quiet = connect(node.port, '127.0.0.1');
    quiet.on('error', () => {});
    await eventually(() => state.opened === 20 && state.produced > 0);
    stuck.socket.pause();
    await pause(50);
    const began = performance.now();
    assert.deepEqual(await node.stop(), []);
    assert.ok(performance.now() - began < 9_000);
    for (const { closed } of watchers) assert.equal((await closed).code, 1001);
    assert.equal(state.finished, 20);
    running = undefined;
    stuck.socket.terminate();
  });

  it('pass binary messages through raw sockets, up to 132 KiB', async () => {
    const { node } = await open();
    const message = randomBytes(132 * 1024);
    const { socket, frames, until } = watch(`${node.url}/raw`);
    await new Promise((resolve) => socket.once('open', resolve));
    socket.send(message);
    await until(1);
    const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
    assert.equal(digest(frames[0]), digest(message));
    const large = watch(`${node.url}/raw`);
    large.socket.on('open', () => large.socket.send(randomBytes(132 * 1024 + 1)));
    assert.equal((await large.closed).code, 1009);
  });

  it('give up the client of a raw socket for which more than 16 MiB wait, whatever its handler sends', async () => {
    const { node } = await open();
    const { socket } = watch(`${node.url}/raw`);
    await new Promise((resolve) => socket.once('open', resolve));
    socket.pause();
    const message = randomBytes(132 * 1024);
    for (let sent = 0; sent < 400; sent++) socket.send(message);
    const headers = { authorization: `Bearer ${SECRET}` };
    await eventually(async () =>
      (await (await fetch(`${node.url}/metrics`, { headers })).text()).includes(
        'mesh_sockets_closed_total{route="WS /raw",code="4008"} 1',
      ),
    );
    socket.terminate();
  });

  it('survive clients that vanish in the middle of the handshake', async () => {
    const { node } = await open();
    for (let i = 0; i < 20; i++) {
      const socket = connect(node.port, '127.0.0.1');
      socket.on('error', () => {});
      socket.write(handshake('/ws/guarded?token=ann'), () => socket.resetAndDestroy());
    }
    await pause(80);
    assert.equal((await fetch(`${node.url}/health`)).status, 200);
  });
});
